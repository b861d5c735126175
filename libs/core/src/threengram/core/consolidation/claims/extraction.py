"""Find claims in a text by rules: one subject, one verb, one value in a clause, or nothing.

`The checkout timeout is 20 seconds` gives (checkout timeout, duration_s, 20), `the gym costs $39 per month` gives
(gym, costs_USD_per_month, 39), `the owner of billing is Priya` gives (billing, owner, Priya). A clause that negates,
tells of something that happened once, or holds two values to choose from says nothing here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from threengram.core.consolidation.claims.phrases import (
    attribute_of,
    is_bare,
    phrase,
    qualifier_of,
    rate_of,
    subject_of,
)
from threengram.core.consolidation.reading import Reading, language_name, lexicon_named, read
from threengram.core.consolidation.reading.lexicon import Lexicon, words
from threengram.core.consolidation.reading.tokens import Clause, Kind, Role, Token
from threengram.core.consolidation.rules.difference import is_past, negations
from threengram.core.lexical.folding import fold
from threengram.schema.bounds import MAX_FACTS_PER_WRITE, MAX_PREDICATE_CHARS, MAX_SUBJECT_CHARS, MAX_VALUE_CHARS
from threengram.schema.enums import MemoryType

CLAIMING = frozenset({MemoryType.FACT, MemoryType.DECISION, MemoryType.PREFERENCE})
"""Types whose text says what is so; what is promised, blocked, noted or has happened is no measured fact."""

_MEASURED = frozenset({Kind.QUANTITY, Kind.NUMBER})
_COMPARING = words(
    "than more fewer extra additional als mehr weniger weitere plus moins más menos più meno mais 比 보다"
)
"""What is 12 m higher than something else is not 12 m high, and 2 more are not 2."""

_BOUNDING = words("over under above below nearly almost über unter fast knapp presque casi quasi quase 超过 约")
"""Right before a value they say where it is not, and how far from it nobody knows."""

_AIMING = words(
    """goal goals target targets aim objective estimate forecast ziel ziele vorgabe prognose schätzung objectif
    objectifs cible prévision objetivo objetivos meta metas previsión previsão obiettivo obiettivi previsione stima doel
    doelen doelstelling raming cel cele prognoza 目标 目標"""
)
"""What is aimed at or foreseen is not how it is."""

_COMING = words(
    """will shall tomorrow soon next morgen bald nächste nächsten nächster nächstes demain bientôt prochain prochaine
    mañana pronto próximo próxima domani presto prossimo prossima amanhã breve binnenkort volgende jutro wkrótce
    przyszły przyszłym 明天 下周 下月 明日 来週 来月"""
)
"""What is still to come is not how it is."""

_REQUIRING = words("need needs require requires benötigt benötigen nécessite necesita necesitamos requiere")
"""What is needed need not be there."""

_STREETS = words(
    "rue avenue boulevard calle avenida plaza via viale piazza rua praça ulica ul laan plein platz weg allee"
)
_STREET_ENDINGS = tuple(words("straße strasse gasse straat weg platz laan"))

_FULL_DATE_CHARS = len("2026-03-01")


@dataclass(frozen=True, slots=True)
class Claim:
    """One fact as `remember` would take it; `confidence` is between 0 and 1."""

    subject: str
    predicate: str
    value: str
    confidence: float


def claims_in(topic: str, content: str) -> list[Claim]:
    """The claims of a memory in reading order, each subject and predicate once, at most as many as one write takes.

    A subject and predicate that the text gives two values is left out: which one was meant can't be told.
    """
    language = language_name(topic, content)
    reading, lexicon = read(topic, content, language), lexicon_named(language)
    found: dict[tuple[str, str], Claim | None] = {}
    for claim in _found(reading, topic, lexicon):
        series = (claim.subject, claim.predicate)
        known = found.get(series, claim)
        found[series] = claim if known is not None and known.value == claim.value else None
    return [claim for claim in found.values() if claim is not None][:MAX_FACTS_PER_WRITE]


def _found(reading: Reading, topic: str, lexicon: Lexicon) -> Iterator[Claim]:
    if not lexicon.name:
        return
    for clause in reading.clauses:
        claim = None if _is_unclear(clause) else _claim(clause, lexicon)
        if claim is not None and is_bare(clause, reading.topic):
            # `The limit is 30 s` under `Checkout`: the limit of something else must not share its series.
            claim = replace(claim, subject=f"{topic}: {claim.subject}")
        if claim is not None and _fits(claim):
            yield claim


def _is_unclear(clause: Clause) -> bool:
    """Whether it negates, hedges, compares, tells of a happening, or contrasts with what was before."""
    if negations(clause) or any(token.role in (Role.RETRACTOR, Role.HEDGE) for token in clause):
        return True
    changes = any(token.role is Role.CHANGE for token in clause)
    verb = next((place for place, token in enumerate(clause) if token.is_pivot), 0)
    if any(token.role is Role.FROM and (changes or place > verb) for place, token in enumerate(clause)):
        return True
    if any(token.key in _COMPARING or fold(token.text) in _REQUIRING | _AIMING | _COMING for token in clause):
        return True
    return is_past(clause) or (not changes and any(token.is_happening for token in clause))


def _claim(clause: Clause, lexicon: Lexicon) -> Claim | None:
    values = [place for place, token in enumerate(clause) if token.kind in _MEASURED or token.kind is Kind.DATE]
    end = values[0] if values else len(clause)
    pivots = [place for place, token in enumerate(clause[:end]) if token.is_pivot and place > 0]
    if not pivots or len(values) > 1:
        return None
    copulas = [place for place in pivots if clause[place].role is Role.COPULA]
    pivot = copulas[0] if copulas else pivots[-1]
    subject, said = clause[:pivot], clause[pivot + 1 :]
    if not values:
        return _named(subject, clause[pivot], said, lexicon)
    return _measured(subject, clause[pivot], said, clause[values[0]], lexicon)


def _measured(subject: Clause, verb: Token, said: Clause, value: Token, lexicon: Lexicon) -> Claim | None:
    is_being = verb.role is Role.COPULA and verb.key not in lexicon.having
    stands_alone = is_being and not value.slot.startswith("count")
    name = subject_of(subject, lexicon, splits=stands_alone)
    if name is None or any(one.key in _BOUNDING and after is value for one, after in pairwise(said)):
        return None
    if value.kind is Kind.NUMBER and _is_named(value, said):
        return None
    if value.kind is Kind.DATE:
        has_year = len(value.key) == _FULL_DATE_CHARS
        what = name.attribute or ("date" if verb.role is Role.COPULA else verb.text.lower())
        return Claim(name.subject, what, value.key, 0.7) if has_year else None
    if value.slot == "phone":
        return Claim(name.subject, "phone", value.text, 0.7)
    attribute, rate = name.attribute or attribute_of(verb, said, value), rate_of(said, value)
    qualifier = qualifier_of(said, value, attribute, rate)
    if qualifier is None:
        return None
    predicate = "_".join(part for part in (attribute, qualifier, value.unit, rate) if part)
    return Claim(name.subject, predicate, value.amount, 0.8 if value.unit else 0.7)


def _is_named(value: Token, said: Clause) -> bool:
    """Whether the number is part of a name or an address: `48 Elm Road`, `Hauptstraße 12`; it measures nothing."""
    place = next(at for at, token in enumerate(said) if token is value)
    before, behind = said[:place], said[place + 1 :]
    street = fold(before[-1].text) if before else ""
    if street in _STREETS or street.endswith(_STREET_ENDINGS):
        return True
    if not behind or fold(behind[0].text) in _STREETS:
        return bool(behind)
    return behind[0].kind is Kind.NAME and behind[0].text.istitle() and not _counts_noun(behind)


def _counts_noun(behind: Clause) -> bool:
    """Whether a noun follows the names, so that it is what is counted: `25 Figma seats`."""
    noun = next((token for token in behind if token.kind is not Kind.NAME), None)
    return noun is not None and noun.kind is Kind.WORD


def _named(subject: Clause, verb: Token, said: Clause, lexicon: Lexicon) -> Claim | None:
    """`the <attribute> of X is <name>`: one name, right behind the verb, and nothing but it."""
    content = [token for token in said if token.is_content]
    name = subject_of(subject, lexicon, splits=True)
    if name is None or name.attribute is None or verb.role is not Role.COPULA or not content:
        return None
    if any(token.kind is not Kind.NAME for token in content) or any(token.is_multivalued for token in subject):
        return None
    return Claim(name.subject, name.attribute, phrase(content, lexicon), 0.6)


def _fits(claim: Claim) -> bool:
    return (
        0 < len(claim.subject) <= MAX_SUBJECT_CHARS
        and 0 < len(claim.predicate) <= MAX_PREDICATE_CHARS
        and 0 < len(claim.value) <= MAX_VALUE_CHARS
    )
