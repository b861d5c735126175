"""Part a sentence into what it says and what it adds by the way: why, what follows, what somebody did."""

from threengram.core.consolidation.reading.lexicon import words
from threengram.core.consolidation.reading.tokens import VALUES, Clause, Kind, Role, Token

_CONSEQUENCE = words("so therefore daher deshalb donc entonces quindi perciò portanto dus więc dlatego")
_SUBORDINATING = words(
    """where when while as wo wenn während als quand comme où cuando como donde quando dove onde waar wanneer terwijl
    kiedy gdzie gdy"""
)
_RELATIVE = words(
    """which who whose whom that than or der die das den dem des deren dessen dass ob oder qui que quoi dont ou quien
    cual o che chi quem dat wie of który która które lub"""
)
"""Behind a comma they belong to what is before it; at the head of a sentence some of them are articles."""
_PAUSES = frozenset({",", ":"})
_MAX_PARTED_TOKENS = 80
_NARROWING = frozenset(
    {
        Role.PREPOSITION, Role.GENITIVE, Role.DEADLINE, Role.SINCE, Role.FROM, Role.RETRACTOR, Role.NO_LONGER,
        Role.NEGATOR, Role.REASON,
    }
)  # fmt: skip


def parted(clause: Clause) -> list[Clause]:
    """The clause, or the clauses it consists of.

    What is guessed or asked stays whole, since nobody can tell which part the doubt is about; so does a part that may
    narrow the other one: `the ticket is 7 EUR, for students it is 4 EUR`.
    """
    if len(clause) > _MAX_PARTED_TOKENS or any(token.role is Role.HEDGE for token in clause):
        return [clause]
    for place, token in enumerate(clause):
        if place and (token.role is Role.REASON or token.key in _PAUSES):
            head, tail = clause[:place], clause[place + (token.key in _PAUSES) :]
            head = head[:-1] if head[-1].key in _PAUSES else head
            if head and tail and _is_aside(token, head, tail):
                return [head, *parted(tail)]
    return [clause]


def _is_aside(token: Token, head: Clause, tail: Clause) -> bool:
    if token.role is Role.REASON:
        return len([one for one in head if one.is_content]) > 1
    if token.key == ":":
        return _announces(head) and _states(tail) and _stands_alone(tail)
    both_state = _states(head) and _states(tail)
    return tail[0].key in _CONSEQUENCE or (both_state and _stands_alone(head) and _comments(tail))


def _announces(head: Clause) -> bool:
    """Whether somebody did something, and what came of it follows: `the board agreed: the fee is 30 EUR`."""
    return _stands_alone(head) and any(token.is_happening and token.role is None for token in head[1:])


def _stands_alone(part: Clause) -> bool:
    """Whether it doesn't begin as what narrows something else does."""
    return part[0].role not in _NARROWING and part[0].key not in _SUBORDINATING


def _comments(tail: Clause) -> bool:
    """Whether it holds no value that the part before it could be meant to narrow, or says itself that it is new."""
    if not _stands_alone(tail) or tail[0].key in _RELATIVE:
        return False
    verb = _verb(tail) or 0
    if any(token.role is Role.CHANGE for token in tail):
        # `it is now 9:00` would lose what it is about.
        return any(token.is_content for token in tail[:verb])
    if any(token.kind in VALUES or token.kind is Kind.CONTRAST for token in tail):
        return False
    return not any(token.kind is Kind.NAME for token in tail[verb:])


def _states(part: Clause) -> bool:
    """Whether it is a sentence: something is said of something."""
    return _verb(part) is not None


def _verb(part: Clause) -> int | None:
    """Where the verb stands, if there is one with a subject before it."""
    has_subject = False
    for place, token in enumerate(part):
        if has_subject and (token.is_pivot or token.is_happening or token.role is Role.CHANGE):
            return place
        has_subject = has_subject or token.is_content or token.role is Role.FUNCTION
    return None
