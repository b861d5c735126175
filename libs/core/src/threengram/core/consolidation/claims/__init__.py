"""Measurable claims in prose, as facts to propose: a subject, a predicate that holds the unit, a value as text."""

from threengram.core.consolidation.claims.extraction import CLAIMING, Claim, claims_in

__all__ = ["CLAIMING", "Claim", "claims_in"]
