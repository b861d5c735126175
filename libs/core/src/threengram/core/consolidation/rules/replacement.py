"""Does the newer of two clauses give another value for what the older one says?

Each rule looks for one replaced slot and is silent when anything else differs that could make it another thing: two
slots that differ are two statements about two things far more often than one statement corrected twice.
"""

from collections.abc import Iterator, Sequence

from threengram.core.consolidation.reading import Reading
from threengram.core.consolidation.reading.lexicon import Lexicon, words
from threengram.core.consolidation.reading.tokens import VALUES, Clause, Kind, Role, Token
from threengram.core.consolidation.rules.difference import Difference, Placed, by_slot
from threengram.core.consolidation.rules.identity import joints
from threengram.core.consolidation.rules.lookalikes import names_differ
from threengram.core.consolidation.rules.positions import (
    follow_each_other,
    is_due,
    is_headed,
    is_numbering,
    is_value,
    is_value_before_verb,
    leads,
    qualifies,
    role_before,
)
from threengram.core.lexical.folding import fold
from threengram.schema.enums import MemoryType, ProposalRule

Found = tuple[ProposalRule, float]

_RETRACTING = frozenset({Role.RETRACTOR, Role.NO_LONGER, Role.FROM, Role.NEGATOR})
_INSTANTS = frozenset({"time", "weekday", "day"})
_SEVERAL = frozenset({MemoryType.COMMITMENT, MemoryType.BLOCKER})
"""Types of which many stand side by side: a promise to another person is another promise."""
_PROMISED = frozenset({Kind.TIME, Kind.WEEKDAY, Kind.DATE})
_DEFINITE = words("the der die das le la l el il lo o de het")
_ALSO = words(
    "also too additionally another auch zusätzlich außerdem aussi également también además anche inoltre também além"
    " ook も 也 还 另外"
)
_BUT = words("but sondern mais sino ma mas maar") | {","}
_AND = words("and und et y e i en")
_HEADING = words("leads heads chairs manages leitet führt dirige lidera guida leidt kieruje")
_REACH = 3
_MAX_RUN = 3


def replacement(
    found: Difference, older: Reading, newer: Reading, memory_type: MemoryType, lexicon: Lexicon
) -> Found | None:
    """The rule by which the newer clause replaces the older one, with its confidence; None when none does."""
    if _says_also(found):
        return None
    retracted = _retraction(found, lexicon)
    if retracted is not None:
        return retracted
    if found.older_negations != found.newer_negations:
        return _negation(found, older, newer)
    if not found.removed or not found.added or not found.shared or not (found.says_so or _keeps_order(found)):
        return None
    if not found.says_so and joints(found.older) != joints(found.newer):
        return None
    if is_held_by_another(found):
        return ProposalRule.NAME, 0.75
    return (
        _value(found, older, newer, memory_type, lexicon)
        or _name(found, memory_type, lexicon)
        or _words(found, memory_type, lexicon)
    )


def _says_also(found: Difference) -> bool:
    """Whether the newer clause says itself that it comes on top: `also drinks chamomile tea`."""
    known = {token.key for token in found.older}
    return any(token.key in _ALSO and token.key not in known for token in found.newer)


def _keeps_order(found: Difference) -> bool:
    """Whether what both say comes in the same order; who does what to whom may depend on it."""
    shared = {token.key for token in found.shared}
    older, newer = (
        [token.key for token in clause if token.is_content and token.key in shared]
        for clause in (found.older, found.newer)
    )
    return older == newer


def is_held_by_another(found: Difference) -> bool:
    """`Olga is the lead of the data team`, `Ravi is now the lead of the data team`: only the holder differs."""
    if not (found.says_so and len(found.removed) == len(found.added) == 1 and len(found.shared) > 1):
        return False
    return all(
        placed.token.kind in (Kind.NAME, Kind.WORD) and leads(placed, clause) and _is_defined(clause, placed.position)
        for placed, clause in ((found.removed[0], found.older), (found.added[0], found.newer))
    )


def _is_defined(clause: Clause, position: int) -> bool:
    """Whether `is the` or `leads the` follows: there is only one."""
    following = [token for token in clause[position + 1 :] if token.role not in (Role.CHANGE, Role.SOFT)][:2]
    if len(following) < 2 or following[1].key not in _DEFINITE:
        return False
    return following[0].role is Role.COPULA or fold(following[0].text) in _HEADING


def _retraction(found: Difference, lexicon: Lexicon) -> Found | None:
    """The newer clause itself takes back what the older one says: `X instead of Y`, `from Y to X`, `not Y`."""
    said = {
        token.key
        for place, token in enumerate(found.older)
        if token.kind not in (None, Kind.CONTRAST)
        and not token.is_pivot
        and is_value(Placed(place, token), found.older)
    }
    for position, token in enumerate(found.newer):
        if token.role not in _RETRACTING or (token.role is Role.NEGATOR and (found.older_negations or not found.added)):
            continue
        reached = list(_within_reach(found.newer, position, lexicon))
        if token.role in (Role.NO_LONGER, Role.NEGATOR) and _goes_on_otherwise(found, position):
            continue
        taken_back = [one for one in (reached[:1] if token.role is Role.NEGATOR else reached) if one.key in said]
        if taken_back and _offers_another(found, taken_back, token.role, lexicon):
            return ProposalRule.RETRACTED, 0.95
    return None


def _goes_on_otherwise(found: Difference, position: int) -> bool:
    """Whether what is no longer so is another thing than the older clause says: `no longer blocked by the vendor`."""
    joining = _BUT if found.removed else _BUT | _AND
    ends = (at for at, token in enumerate(found.newer) if at > position and token.key in joining)
    end = next(ends, len(found.newer))
    return any(position < one.position < end for one in found.added)


def _within_reach(clause: Clause, position: int, lexicon: Lexicon) -> Iterator[Token]:
    """What a word takes back: what follows it, or the one thing before it where such words come last."""
    if lexicon.retracts_before and clause[position].role is Role.RETRACTOR:
        return (token for token in clause[max(0, position - 1) : position] if token.is_content)
    return (token for token in clause[position + 1 : position + 1 + _REACH] if token.is_content)


def _offers_another(found: Difference, taken_back: Sequence[Token], role: Role | None, lexicon: Lexicon) -> bool:
    """Whether something of the same kind is there in place of what is taken back, and the subject is still there."""
    kinds = {token.kind for token in taken_back}
    offered = [one for one in found.added if not one.token.is_pivot]
    values = [one for one in offered if one.token.kind in kinds or one.token.kind is Kind.NAME]
    keys = {token.key for token in taken_back}
    subject = [token for token in found.shared if token.key not in keys]
    if any(one.token.kind in (Kind.NAME, Kind.CONTRAST) for one in found.removed):
        return False
    match role:
        case Role.RETRACTOR:
            return bool(found.added) and not _is_elsewhere(found, lexicon)
        case Role.FROM:
            return bool(values) and any(token.role is Role.CHANGE for token in found.newer)
        case _:
            return bool(values) and bool(subject)


def _is_elsewhere(found: Difference, lexicon: Lexicon) -> bool:
    """Whether both clauses say what for, of different things: `for sessions`, `for the queue`."""
    if not lexicon.is_spaced:
        return False
    return all(
        any(one.token.kind is Kind.WORD and role_before(one, clause) is Role.PREPOSITION for one in placed)
        for placed, clause in ((found.removed, found.older), (found.added, found.newer))
    )


def _negation(found: Difference, older: Reading, newer: Reading) -> Found | None:
    """The same statement with and without its negation. What is denied of a part (`not on Sundays`) denies no whole."""
    if found.older_negations and found.newer_negations:
        return None
    if not found.removed and not found.added:
        return ProposalRule.NEGATED, 0.9
    if names_differ(found, older, newer) and not found.says_so:
        return None
    narrowed = found.removed if found.older_negations else found.added
    return (ProposalRule.NEGATED, 0.75) if not narrowed and len(found.shared) > 1 else None


def _value(
    found: Difference, older: Reading, newer: Reading, memory_type: MemoryType, lexicon: Lexicon
) -> Found | None:
    """One measured value, number or instant for another one of the same slot."""
    removed, added = by_slot(found.removed), by_slot(found.added)
    slots = [slot for slot in removed if slot in added and removed[slot][0].token.kind in VALUES]
    if len(slots) != 1 or names_differ(found, older, newer) or _other_values(removed, added, slots[0]):
        return None
    before, after = removed[slots[0]], added[slots[0]]
    if len(before) != len(after) or len(before) > 2:
        return None
    if _has_words(found.removed) and _has_words(found.added):
        return None
    if found.older_negations and slots[0] not in ("time", "weekday"):
        return None
    if slots[0] == "weekday" and _has_hours(found, lexicon):
        return None
    removed_words = [one for one in found.removed if not (found.says_so and _is_participle(one, found.older))]
    if _narrows(removed_words, newer, is_older=True) or _narrows(found.added, older, is_older=False):
        return None
    if not all(
        _can_change(one, clause, memory_type, lexicon, says_so=found.says_so)
        for several, clause in ((before, found.older), (after, found.newer))
        for one in several
    ):
        return None
    is_instant = slots[0] in _INSTANTS
    return (ProposalRule.INSTANT, 0.85) if is_instant else (ProposalRule.VALUE, 0.9)


def _has_hours(found: Difference, lexicon: Lexicon) -> bool:
    """Whether a time is given for each of several days: `opens at 9:00 on Mondays`."""
    opens = any(token.key in lexicon.beginnings for token in found.shared)
    return opens and any(token.kind is Kind.TIME for token in found.shared)


def _other_values(removed: dict[str, list[Placed]], added: dict[str, list[Placed]], slot: str) -> bool:
    return any(
        one.token.kind in VALUES
        for side in (removed, added)
        for other, several in side.items()
        if other != slot
        for one in several
    )


def _narrows(placed: Sequence[Placed], other: Reading, *, is_older: bool) -> bool:
    """Whether a clause says of a part (`for children`, `of the neighbours`) what the other one says of the whole."""
    return any(
        one.token.kind is Kind.WORD and one.token.key not in other.keys and not (one.token.is_pivot and is_older)
        for one in placed
    )


def _is_participle(placed: Placed, clause: Clause) -> bool:
    """Whether it belongs to the verb of the older clause, which may be another one: `is booked for 3 May`."""
    return placed.position > 0 and clause[placed.position - 1].role is Role.COPULA


def _has_words(placed: Sequence[Placed]) -> bool:
    return any(one.token.kind is Kind.WORD for one in placed)


def _can_change(placed: Placed, clause: Clause, memory_type: MemoryType, lexicon: Lexicon, *, says_so: bool) -> bool:
    """Whether a value is what the clause says, and not part of what it says it about."""
    kind, role = placed.token.kind, role_before(placed, clause)
    if memory_type in _SEVERAL and kind not in _PROMISED:
        return False
    if kind is Kind.NUMBER and not says_so and is_numbering(placed, clause):
        return False
    if kind is Kind.DATE:
        before = clause[: placed.position]
        dated = any(token.role is Role.COPULA or token.key in lexicon.beginnings for token in before)
        return is_due(placed, clause) or says_so or (placed.token.slot == "day" and dated and role is not Role.GENITIVE)
    if kind is Kind.WEEKDAY and memory_type is MemoryType.COMMITMENT:
        return is_due(placed, clause) or says_so
    is_verb_last = not lexicon.is_spaced or bool(lexicon.endings)
    return is_value_before_verb(placed, clause) if is_verb_last else is_value(placed, clause)


def _name(found: Difference, memory_type: MemoryType, lexicon: Lexicon) -> Found | None:
    """One name for another one, where a name is what is said and only one can be right."""
    if memory_type in _SEVERAL or not _are(found.removed, Kind.NAME) or not _are(found.added, Kind.NAME):
        return None
    if _may_go_together(found):
        return None
    fixed = any(token.kind in VALUES for token in found.shared)
    return (ProposalRule.NAME, 0.8) if _is_said(found, lexicon) and not fixed else None


def _words(found: Difference, memory_type: MemoryType, lexicon: Lexicon) -> Found | None:
    """One word or phrase for another: silent but where the two exclude each other or the newer one says so."""
    kinds = (Kind.WORD, Kind.NAME)
    if memory_type in _SEVERAL or not _are(found.removed, *kinds) or not _are(found.added, *kinds):
        return None
    if not _is_said(found, lexicon) or (lexicon.capitalises_nouns and _is_list_of_nouns(found)):
        return None
    if any(one.token.is_pivot for one in (*found.removed, *found.added)):
        return None
    before, after = found.removed[-1].token.key, found.added[-1].token.key
    if before in lexicon.classes and lexicon.classes.get(before) == lexicon.classes.get(after):
        return ProposalRule.WORDS, 0.8
    if is_headed(found.removed[0], found.older) and is_headed(found.added[0], found.newer):
        return None
    if _may_go_together(found) or any(token.kind in VALUES for token in found.shared):
        return None
    chosen = memory_type in (MemoryType.PREFERENCE, MemoryType.DECISION) and len(found.shared) > 1
    return (ProposalRule.WORDS, 0.7) if found.says_so or chosen else None


def _is_list_of_nouns(found: Difference) -> bool:
    """`für Rechnungen MySQL` are two phrases, which no capital shows where every noun has one."""
    for run, clause in ((found.removed, found.older), (found.added, found.newer)):
        behind = clause[run[-1].position + 1 : run[-1].position + 2]
        is_followed = any(token.is_content and token.text[:1].isupper() for token in behind)
        if role_before(run[0], clause) is Role.PREPOSITION and (len(run) > 1 or is_followed):
            return True
    return False


def _is_said(found: Difference, lexicon: Lexicon) -> bool:
    """Whether the phrases stand on both sides where something is said, rather than where it is narrowed."""
    free_order = found.says_so and not lexicon.is_spaced
    return all(
        is_value(one, clause) and (free_order or not qualifies(one, clause))
        for one, clause in ((found.removed[0], found.older), (found.added[0], found.newer))
    )


def _are(placed: Sequence[Placed], *kinds: Kind) -> bool:
    """Whether it is one short phrase of these kinds."""
    return 0 < len(placed) <= _MAX_RUN and follow_each_other(placed) and all(one.token.kind in kinds for one in placed)


def _may_go_together(found: Difference) -> bool:
    """Whether many such values may hold at once: friends, allergies, languages, and all that is not so."""
    if found.says_so:
        return False
    return found.older_negations > 0 or any(token.is_multivalued for token in (*found.older, *found.newer))
