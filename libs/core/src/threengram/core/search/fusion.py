"""The ranking formula: what each leg is worth and how the legs add up. Pure; the SQL of the legs is in `queries`.

    lexical = Σ over query groups of  max over alternatives( term weight · idf · saturation(posting weight) ) / mass
    mass    = Σ over query groups of  max over alternatives( term weight · idf ),  a word nowhere being a unique one
    score   = 1.25 · cosine + lexical + topic bonus + recency − superseded penalty

Measured on five conversations of LoCoMo, 302 memories of up to 2,000 characters, 788 questions, all-MiniLM-L6-v2 int8;
a session ranks by its best memory. Share of questions with evidence in the first 5 / first 10, and MRR, when each
conversation is a tenant, then when all are one:

    cosine alone                            0.764 / 0.893, 0.596        0.711 / 0.850, 0.563
    lexical, idf by presence                0.906 / 0.949, 0.765        0.871 / 0.923, 0.747
    lexical, as here                        0.918 / 0.953, 0.799        0.897 / 0.939, 0.776
    cosine + lexical / its maximum          0.926 / 0.966, 0.808        0.919 / 0.951, 0.784
    1.25 · cosine + lexical, as here        0.925 / 0.967, 0.806        0.912 / 0.957, 0.785
    reciprocal rank fusion, k = 60          0.888 / 0.948, 0.729        0.860 / 0.937, 0.709

The constants were chosen on these very questions, and one point is about one standard error: the two sums are equals.
What decides between them is a stress: with the rarest half of the words that the evidence shares taken out of each
question, division by the mass keeps 0.761 / 0.863, 0.592 of the last column, division by the maximum 0.712 / 0.836,
0.542 at the same weight of the cosine, as long as other memories hold those words; if none does, they are equal again
(0.709 against 0.712). A share of the mass also needs no second pass over the scores and doesn't depend on who else is
in the pool. Words that no document holds stay in the mass: a memory that shares one common word with a question must
not count as covering it. LoCoMo, whose questions reuse its words, hardly notices (0.907 / 0.954, 0.778 instead of
0.912 / 0.957, 0.785 for one tenant, 0.923 / 0.964, 0.804 instead of 0.925 / 0.967, 0.806 for several); paraphrases do.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from threengram.core.lexical import QueryTerm
from threengram.core.lexical.analyser import TYPICAL_WEIGHT

# Between 0.75 and 1.5 nothing changes beyond the noise; at 2.0 the MRR loses a point.
COSINE_WEIGHT = 1.25
LEXICAL_WEIGHT = 1.0
# A topic that holds a whole query of one or two words is what a reader typed it for.
TOPIC_BONUS = 0.5
TOPIC_BONUS_MAX_TOKENS = 2
# Orders equals, no more: nothing is gained at any size, and 0.05 loses 0.4 points of both shares.
RECENCY_WEIGHT = 0.002
RECENCY_HALF_LIFE_DAYS = 90.0
# Above any sum of the rest (1.25 + 2 + 0.5 + 0.002), so that a superseded memory ranks below every live one.
SUPERSEDED_PENALTY = 4.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the legs know about one memory: `cosine` is None where there is no vector, `lexical` a share of the mass."""

    cosine: float | None
    lexical: float
    topic_matches: bool
    age_days: float
    superseded: bool


def idf(document_count: int, document_frequency: int) -> float:
    """How rare a term is among the memories of a tenant: positive, ln 2 for a term in each, large for a unique one.

    ln(1 + N / df) ranks a little better than the BM25 form on its own (0.897 / 0.939, 0.776 against 0.895 / 0.938,
    0.773 in the second column), equally in the sum, and is positive for every pair of counts. A term that is nowhere
    is as rare as a unique one. The counts may lag behind each other by a concurrent write.
    """
    return math.log1p(max(document_count, document_frequency, 1) / max(document_frequency, 1))


def saturation(weight: int) -> float:
    """A posting's weight as a factor in (0, 2): 1 for one occurrence in a text of typical length."""
    return weight / TYPICAL_WEIGHT


def mass(terms: Iterable[QueryTerm], idfs: Mapping[int, float], *, unknown: float) -> float:
    """The divisor of lexical scores; `idfs` holds the keys that some document has, `unknown` counts for all others.

    A group is worth its rarest known alternative. 0 when there are no terms.
    """
    total = 0.0
    for _, group in groupby(terms, key=attrgetter("group")):
        alternatives = list(group)
        known = [term.weight * idfs[term.key] for term in alternatives if term.key in idfs]
        total += max(known) if known else unknown * max(term.weight for term in alternatives)
    return total


def topic_matches(query: str, topic: str) -> bool:
    """Whether a short query stands in the topic as it is, whatever the case. `%` and `_` are ordinary characters."""
    words = query.split()
    return 0 < len(words) <= TOPIC_BONUS_MAX_TOKENS and " ".join(words).casefold() in topic.casefold()


def recency(age_days: float) -> float:
    """1 for now, halved every 90 days; a future date counts as now."""
    return math.exp2(-max(age_days, 0.0) / RECENCY_HALF_LIFE_DAYS)


def score(evidence: Evidence) -> float:
    """The rank score; scores compare within one search only. A negative cosine counts as none."""
    total = COSINE_WEIGHT * max(evidence.cosine or 0.0, 0.0) + LEXICAL_WEIGHT * evidence.lexical
    total += TOPIC_BONUS * evidence.topic_matches + RECENCY_WEIGHT * recency(evidence.age_days)
    return total - SUPERSEDED_PENALTY * evidence.superseded
