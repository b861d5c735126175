"""Parts of a clause as words for a fact: who or what it is about, which property, per what."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from threengram.core.consolidation.reading.lexicon import Lexicon, words
from threengram.core.consolidation.reading.tokens import VALUES, Clause, Kind, Role, Token
from threengram.core.consolidation.reading.units import unit_named

MAX_SUBJECT_WORDS = 6
MAX_QUALIFIER_WORDS = 3
_PER = frozenset({"per", "pro", "par", "por", "je"})

_ATTRIBUTES = {
    "length": "length", "mass": "weight", "duration": "duration", "data": "size", "area": "area", "volume": "volume",
    "temperature": "temperature", "share": "share", "age": "age", "pressure": "pressure", "power": "power",
}  # fmt: skip


_WITHIN = (Role.GENITIVE, Role.TITLE, Role.COPULA)
_LINKING = (Role.PREPOSITION, Role.FROM)
"""Within a subject they tell it from others (`the rent for the flat`); before it, what follows only holds there."""
_OURS = words(
    """my our mein meine unser unsere mon ma mes notre nos mi mis nuestro nuestra mio mia nostro nostra meu minha nosso
    nossa mijn onze ons mój moja moje nasz nasza nasze"""
)


class Named(NamedTuple):
    """What a clause is about; `attribute` where it names the property too (`the owner of X`)."""

    subject: str
    attribute: str | None


def subject_of(before: Clause, lexicon: Lexicon, *, splits: bool) -> Named | None:
    """The subject in front of the verb; None when it is too long, or holds values itself.

    With `splits` it is `X` of `the owner of X`, and the owner an attribute.
    """
    tokens = [
        token
        for token in before
        if token.role not in (Role.ARTICLE, Role.SOFT, Role.CHANGE) and token.key not in ",:" and token.key not in _OURS
    ]
    content = [token for token in tokens if token.is_content]
    if not content or len(content) > MAX_SUBJECT_WORDS:
        return None
    if any(token.kind not in (Kind.WORD, Kind.NAME, Kind.CONTRAST) for token in content):
        return None
    if tokens[0].role in _LINKING or any(token.role not in (None, *_WITHIN, *_LINKING) for token in tokens):
        return None
    of = next((place for place, token in enumerate(tokens) if token.role is Role.GENITIVE), None)
    if of is None or not splits or not 0 < of < len(tokens) - 1:
        return Named(phrase(tokens, lexicon), None)
    head, tail = tokens[:of], tokens[of + 1 :]
    # `X of Y` names Y last; where the owner comes first (`Y の X`, `Y 的 X`) it is the other way round.
    owner, attribute = (head, tail) if not lexicon.is_spaced else (tail, head)
    return Named(phrase(owner, lexicon), _as_predicate(phrase(attribute, lexicon)))


def is_bare(clause: Clause, topic: Clause) -> bool:
    """Whether it is about `the <noun>` and no more, and the topic doesn't name it either."""
    place = next((place for place, token in enumerate(clause) if token.is_pivot and place > 0), len(clause))
    content = [token for token in clause[:place] if token.is_content]
    if len(content) != 1 or content[0].kind is not Kind.WORD or content[0].key in {token.key for token in topic}:
        return False
    return any(token.role is Role.ARTICLE for token in clause[:place])


def phrase(tokens: Sequence[Token], lexicon: Lexicon) -> str:
    """The words as written, joined as the language joins them."""
    return (" " if lexicon.is_spaced else "").join(token.text for token in tokens if token.key != ",")


def attribute_of(verb: Token, said: Clause, value: Token) -> str:
    """The property that a value is of: what the clause calls it, what is counted or labelled, the verb, or its kind."""
    place = _place(said, value)
    behind = [token for token in said[place + 1 : place + 3] if token.key != ","]
    before = [token for token in said[:place] if token.is_content and not token.is_pivot]
    if value.slot.startswith("label") and before:
        return _as_predicate(before[-1].text)
    if value.kind is Kind.NUMBER and behind and behind[0].is_content:
        return _as_predicate(behind[0].text)
    if before and place and said[place - 1].role is Role.GENITIVE:
        return _as_predicate(" ".join(token.text for token in before))
    if behind and behind[0].role is Role.GENITIVE and len(behind) > 1 and behind[1].kind is Kind.WORD:
        return _as_predicate(behind[1].text)
    if value.slot.startswith("rating"):
        return "rating"
    if behind and behind[0].text == "old":
        return "age"
    if behind and behind[0].kind is Kind.WORD:
        return _as_predicate(behind[0].text)
    return _ATTRIBUTES.get(value.slot, "amount") if verb.role is Role.COPULA else _as_predicate(verb.text)


def rate_of(said: Clause, value: Token) -> str:
    """`per_month` when the value is for each of something, else nothing."""
    behind = [token for token in said[_place(said, value) + 1 :] if token.key != ","]
    for joint, counted in pairwise(behind):
        if joint.role not in (Role.PREPOSITION, Role.ARTICLE):
            continue
        unit = unit_named(counted.text)
        if unit is not None and (unit.dimension == "duration" or joint.key in _PER):
            return f"per_{unit.symbol}"
        if joint.key in _PER and counted.is_content:
            return f"per_{_as_predicate(counted.text)}"
    return ""


def qualifier_of(said: Clause, value: Token, attribute: str, rate: str) -> str | None:
    """What else the clause says behind the value, as part of a predicate: `on_test_set`, or nothing.

    It tells this measure from others, so it must not get lost. None when it is too much for that, or a time.
    """
    known = {*f"{attribute}_{rate}".split("_"), "old"}
    behind = [token for token in said[_place(said, value) + 1 :] if token.role not in (Role.ARTICLE, Role.SOFT)]
    content = [
        token for token in behind if token.is_content and token.text.lower() not in known and not _is_rate(token, rate)
    ]
    if not content:
        return ""
    if len(content) > MAX_QUALIFIER_WORDS or any(token.kind in VALUES - {Kind.WEEKDAY} for token in content):
        return None
    first = behind.index(content[0])
    said_so = behind[max(0, first - 1) :] if first and behind[first - 1].role is Role.PREPOSITION else behind[first:]
    return _as_predicate(" ".join(token.text for token in said_so if token.key not in ",:"))


def _is_rate(token: Token, rate: str) -> bool:
    unit = unit_named(token.text)
    return unit is not None and rate.endswith(unit.symbol)


def _place(said: Clause, value: Token) -> int:
    return next(place for place, token in enumerate(said) if token is value)


def _as_predicate(text: str) -> str:
    return text.strip().lower().replace(" ", "_")
