"""Documents and queries as lexical terms.

Both go through `segment.tokens` and `words`, so that a document is found by every word it holds. They differ in
what they keep. A document keeps each distinct term with a weight that already contains everything known at write
time: how often the term occurs, how long the text is, and whether the topic says it. What is left for the search is one
multiplication by the inverse document frequency. A query keeps groups of alternatives.

Stop words are dropped from queries, unless a query consists of nothing else ("The Who"), and from bodies, unless a
document consists of nothing else. Topics keep theirs: a topic is short, so that costs a term or two, and a query of
stop words alone finds the memories that are *about* those words instead of nearly all of them. Light words of a query
(`lightwords`) weigh half; in documents they are like any other.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from threengram.core.lexical.lightwords import LIGHT_WEIGHT, LIGHT_WORDS
from threengram.core.lexical.segment import is_run, normalise, tokens
from threengram.core.lexical.words import Role, Unit, analysis, run_units

ANALYSER_VERSION = 1
MAX_DOCUMENT_TERMS = 4096
MAX_QUERY_TERMS = 32
# One occurrence in the topic counts as this many in the body.
TOPIC_OCCURRENCES = 2.0
# A term that occurs once in a text of the reference length weighs `TYPICAL_WEIGHT`; occurrences saturate towards twice
# that. A quarter of the damping follows the length. The reference is fixed, because a weight must not change when
# another memory is written: it is the number of words of a typical memory that are no stop words.
TYPICAL_WEIGHT = 5_000
LENGTH_SHARE = 0.25
REFERENCE_LENGTH = 60
_LIGHT_KEYS = frozenset(key for word in LIGHT_WORDS for key in analysis(word).keys)


@dataclass(frozen=True, slots=True)
class Term:
    """One distinct term of a document: `weight` from 1 to twice `TYPICAL_WEIGHT`, approached as occurrences grow."""

    key: int
    weight: int


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One alternative of a query group.

    A document scores the best alternative of each group once. A strict filter wants one alternative of every group
    that is `required`. `weight` is in (0, 1] and equal within a group.
    """

    key: int
    group: int
    weight: float
    required: bool


def document_terms(topic: str, content: str) -> list[Term]:
    """The distinct terms of a memory, sorted by key; of a huge one the first `MAX_DOCUMENT_TERMS`, topic first."""
    in_topic, in_body = _counted(topic), _counted(content)
    occurrences: dict[int, float] = {}
    length = _collect(in_topic, occurrences, TOPIC_OCCURRENCES, keep_stop_words=True)
    length += _collect(in_body, occurrences, 1.0, keep_stop_words=False)
    if not occurrences:
        length += _collect(in_body, occurrences, 1.0, keep_stop_words=True)
    damping = 1 - LENGTH_SHARE + LENGTH_SHARE * length / REFERENCE_LENGTH
    limit = 2 * TYPICAL_WEIGHT
    return [Term(key, max(1, round(limit * n / (n + damping)))) for key, n in sorted(occurrences.items())]


def query_terms(query: str) -> list[QueryTerm]:
    """The distinct terms of a query, group by group in the order of its words, at most `MAX_QUERY_TERMS` groups.

    Empty when the query has neither letters, digits nor symbols.
    """
    units: list[Unit] = []
    stop_words: list[Unit] = []
    for token in dict.fromkeys(tokens(normalise(query))):
        if is_run(token):
            units += (unit for unit in run_units(token) if unit.role is not Role.INDEX_ONLY)
        else:
            found = analysis(token)
            (stop_words if found.is_stop_word else units).extend(map(_weighed, found.units))
    return [
        QueryTerm(key, number, unit.weight, unit.role is Role.REQUIRED)
        for number, unit in enumerate(_merged(units or stop_words))
        for key in unit.keys
    ]


def _weighed(unit: Unit) -> Unit:
    """A unit of a query: light when one of its terms is, whatever the inflection."""
    return unit if _LIGHT_KEYS.isdisjoint(unit.keys) else unit._replace(weight=unit.weight * LIGHT_WEIGHT)


def _counted(text: str) -> Counter[str]:
    return Counter(tokens(normalise(text)))


def _collect(counted: Counter[str], occurrences: dict[int, float], each: float, *, keep_stop_words: bool) -> int:
    """Add the terms of counted tokens and return how many words they are."""
    length = 0
    for token, count in counted.items():
        if len(occurrences) >= MAX_DOCUMENT_TERMS:
            length += count
        elif is_run(token):
            length += len(token) * count
            _add((key for unit in run_units(token) for key in unit.keys), occurrences, each * count)
        else:
            found = analysis(token)
            if keep_stop_words or not found.is_stop_word:
                length += count
                _add(found.keys, occurrences, each * count)
    return length


def _add(keys: Iterable[int], occurrences: dict[int, float], each: float) -> None:
    for key in keys:
        if key in occurrences:
            occurrences[key] += each
        elif len(occurrences) < MAX_DOCUMENT_TERMS:
            occurrences[key] = each
        else:
            return


def _merged(found: list[Unit]) -> list[Unit]:
    """One group for units that share a term, so that "run running" doesn't count the stem twice."""
    groups: list[Unit] = []
    group_of: dict[int, int] = {}
    for unit in found:
        number = next((group_of[key] for key in unit.keys if key in group_of), len(groups))
        fresh = tuple(key for key in unit.keys if key not in group_of)
        if number == len(groups):
            if number == MAX_QUERY_TERMS:
                break
            groups.append(unit)
        else:
            role = Role.REQUIRED if Role.REQUIRED in (unit.role, groups[number].role) else Role.OPTIONAL
            groups[number] = Unit(
                groups[number].keys + fresh,
                max(unit.weight, groups[number].weight),
                role,
            )
        group_of.update(dict.fromkeys(fresh, number))
    return groups
