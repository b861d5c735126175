"""Facts: measurable claims with a validity, one generation after the other for each subject and predicate."""

from threengram.core.facts.read import get_facts

__all__ = ["get_facts"]
