"""The ranking formula: what each leg is worth and how the legs add up. Pure; the SQL of the legs is in `queries`.

    lexical = Σ over query groups of  max over alternatives( term weight · idf · saturation(posting weight) ) / mass
    mass    = Σ over query groups of  max over alternatives( term weight · idf ),  a word nowhere being a unique one
    relevance = 1.5 · cosine + lexical + topic bonus + recency
    score   = the larger of its relevance and half the best relevance among what it replaced − superseded penalty

Measured with all-MiniLM-L6-v2 int8 in windows of 128 pieces on the lives of the golden set that weights may be fitted
on (train and dev; MRR@5 of 161 English questions) and on five conversations of LoCoMo, cut into memories of up to 1,000
characters, each a tenant (share of the evidence sessions among the first 5 / first 10, MRR; 782 questions):

    cosine alone                            0.892       0.775 / 0.882, 0.672
    1.25 · cosine + lexical, no light words 0.907       0.881 / 0.938, 0.831
    1.25 · cosine + lexical                 0.909       0.881 / 0.943, 0.827
    1.5 · cosine + lexical, as here         0.912       0.882 / 0.942, 0.828
    2.0 · cosine + lexical                  0.912       0.882 / 0.939, 0.824
    1.5 · cosine + lexical², no light words 0.913       0.878 / 0.934, 0.824

One point is about one standard error, so the middle is a plateau. Lexical scores divided by their maximum instead of
the mass, cosines standardised within a query, and reciprocal rank fusion are all below it on one of the two columns.
A share of the mass needs no second pass over the scores and doesn't depend on who else is in the pool. Words that no
document holds stay in the mass: a memory that shares one common word with a question must not count as covering it;
without that the first column falls to 0.876. ADR 0021 has the rest.
"""

import math
from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from threengram.core.lexical import QueryTerm
from threengram.core.lexical.analyser import TYPICAL_WEIGHT

COSINE_WEIGHT = 1.5
LEXICAL_WEIGHT = 1.0
# A topic that holds a whole query of one or two words is what a reader typed it for.
TOPIC_BONUS = 0.5
TOPIC_BONUS_MAX_TOKENS = 2
# Orders equals, no more: nothing is gained at any size, and 0.05 loses 0.4 points of both shares.
RECENCY_WEIGHT = 0.002
RECENCY_HALF_LIFE_DAYS = 90.0
# The words of an old statement lead to the one that replaced it: an order number, say, that the new one leaves out.
HEIR_SHARE = 0.5
# Above any sum of the rest (1.5 + 2 + 0.5 + 0.002), so that a superseded memory ranks below every live one.
SUPERSEDED_PENALTY = 5.0


class Evidence(NamedTuple):
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


def topic_phrase(query: str) -> str | None:
    """What a topic has to hold to match the query, whatever the case; None where the query is not a short one."""
    words = query.split()
    return " ".join(words).casefold() if 0 < len(words) <= TOPIC_BONUS_MAX_TOKENS else None


def topic_matches(phrase: str | None, topic: str) -> bool:
    """Whether the phrase stands in the topic as it is. `%` and `_` are ordinary characters."""
    return phrase is not None and phrase in topic.casefold()


def recency(age_days: float) -> float:
    """1 for now, halved every 90 days; a future date counts as now."""
    return math.exp2(-max(age_days, 0.0) / RECENCY_HALF_LIFE_DAYS)


def relevance(evidence: Evidence) -> float:
    """What the legs say of a memory by itself; compares within one search only. A negative cosine counts as none."""
    total = COSINE_WEIGHT * max(evidence.cosine or 0.0, 0.0) + LEXICAL_WEIGHT * evidence.lexical
    return total + TOPIC_BONUS * evidence.topic_matches + RECENCY_WEIGHT * recency(evidence.age_days)


def score(evidence: Evidence, *, bequeathed: float = 0.0) -> float:
    """The rank score; `bequeathed` is the best relevance among the memories that this one replaced, if any was found.

    A superseded memory only has its own: what it was left with goes on to its successor (ADR 0073).
    """
    own = relevance(evidence)
    return own - SUPERSEDED_PENALTY if evidence.superseded else max(own, HEIR_SHARE * bequeathed)
