"""What the TypeScript server that this product replaces did with the same texts and queries, and what is aimed at.

Version 1.3.0, one process on Node 24, PostgreSQL 18.6, the same model in a gateway of its own, on two cores with
nothing else running; 20 s a run. Its writes leave without vectors.
"""

from dataclasses import dataclass

from threengram.evals.bench.cases import Case, Kind
from threengram.evals.bench.world import Site


@dataclass(frozen=True, slots=True)
class Original:
    """Its figures for one case; CPU is that of server and database together, known for eight callers."""

    calls_per_s: float
    p50_ms: float
    p95_ms: float
    cpu_ms_per_call: float | None = None


ORIGINAL = {
    Case(Kind.SEARCH, Site.MEDIUM, 1): Original(23.1, 42, 52),
    Case(Kind.SEARCH, Site.MEDIUM, 8): Original(45.6, 173, 222, 34.7),
    Case(Kind.SEARCH, Site.SMALL, 1): Original(33.7, 29, 37),
    Case(Kind.SEARCH, Site.SMALL, 8): Original(71.6, 109, 140, 18.2),
    Case(Kind.SEARCH_REST, Site.MEDIUM, 1): Original(28.3, 35, 42),
    Case(Kind.SEARCH_REST, Site.MEDIUM, 8): Original(53.6, 146, 202, 30.1),
    Case(Kind.SEARCH_REST, Site.SMALL, 1): Original(46.2, 21, 26),
    Case(Kind.SEARCH_REST, Site.SMALL, 8): Original(95.8, 83, 103, 13.6),
    Case(Kind.REMEMBER_SHORT, Site.WRITER, 1): Original(58.7, 16, 27),
    Case(Kind.REMEMBER_SHORT, Site.WRITER, 8): Original(73.7, 102, 163, 15.9),
    Case(Kind.REMEMBER_REST, Site.WRITER, 1): Original(78.6, 12, 21),
    Case(Kind.REMEMBER_REST, Site.WRITER, 8): Original(113.9, 68, 92, 10.0),
    Case(Kind.BRIEFING_REST, Site.MEDIUM, 1): Original(41.7, 23, 29),
    Case(Kind.BRIEFING_REST, Site.MEDIUM, 8): Original(79.5, 99, 140, 23.7),
    Case(Kind.BRIEFING_REST, Site.SMALL, 1): Original(130, 8, 10),
    Case(Kind.BRIEFING_REST, Site.SMALL, 8): Original(235, 33, 49, 6.7),
}


@dataclass(frozen=True, slots=True)
class Aim:
    """A bound on one figure of a case; at least where `is_floor`, else at most."""

    case: Case
    figure: str
    bound: float
    is_floor: bool = False

    def is_met(self, value: float) -> bool:
        """Whether a measured value is within the bound."""
        return value >= self.bound if self.is_floor else value <= self.bound


AIMS = (
    Aim(Case(Kind.SEARCH, Site.MEDIUM, 1), "p50_ms", 12),
    Aim(Case(Kind.SEARCH, Site.MEDIUM, 1), "p95_ms", 30),
    Aim(Case(Kind.SEARCH, Site.MEDIUM, 8), "calls_per_s", 140, is_floor=True),
    Aim(Case(Kind.SEARCH, Site.SMALL, 8), "calls_per_s", 215, is_floor=True),
    Aim(Case(Kind.REMEMBER_SHORT, Site.WRITER, 8), "calls_per_s", 100, is_floor=True),
    Aim(Case(Kind.REMEMBER_SHORT, Site.WRITER, 1), "p95_ms", 40),
    Aim(Case(Kind.REMEMBER_FULL, Site.WRITER, 1), "p95_ms", 150),
    Aim(Case(Kind.SEARCH, Site.LARGE, 2), "p95_ms", 60),
    Aim(Case(Kind.SEARCH, Site.LARGE, 8), "p95_ms", 150),
)
MAX_CROWD_RATIO = 1.3
"""p95 of a tenant among 5,000 by that of the same tenant among 10."""

MIN_OVERLAP = 0.98
"""Share of the nearest memories that a walk has to find."""
