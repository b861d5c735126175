"""Part a sentence into what it says and what it adds by the way: why, what follows, what somebody did."""

from collections.abc import Sequence

from threengram.core.consolidation.reading.lexicon import words
from threengram.core.consolidation.reading.tokens import VALUES, Clause, Kind, Role, Token

_CONSEQUENCE = words("so therefore daher deshalb donc entonces quindi perciò portanto dus więc dlatego")
_SUBORDINATING = words(
    """which who whose whom that where when while as than or if der die das den dem des deren dessen wer wo wenn während
    als dass ob oder qui que quoi dont quand comme où ou quien cual cuando como donde o che chi quando dove quem onde
    die dat wie waar wanneer terwijl of który która które kiedy gdzie lub"""
)
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
    for place, token in enumerate(clause):
        head, tail = clause[:place], clause[place + (token.key == ",") :]
        if head and not _is_doubtful(clause) and _is_aside(token, head, tail):
            return [head, *parted(tail)]
    return [clause]


def _is_aside(token: Token, head: Clause, tail: Clause) -> bool:
    if token.role is Role.REASON:
        return _states(head)
    if token.key != "," or not tail:
        return False
    both_state = _states(head) and _states(tail)
    return tail[0].key in _CONSEQUENCE or (both_state and _stands_alone(head) and _stands_alone(tail, head))


def _stands_alone(part: Clause, before: Clause | None = None) -> bool:
    """Whether a part has a subject of its own and narrows nothing; behind another it holds no value, or a new one."""
    first = part[0]
    if first.role in _NARROWING or first.key in _SUBORDINATING:
        return False
    if before is None:
        return True
    verb = _verb(part)
    if any(token.role is Role.CHANGE for token in part):
        # `it is now 9:00` would lose what it is about.
        return any(token.is_content for token in part[:verb])
    return not any(
        token.kind in VALUES
        or token.kind is Kind.CONTRAST
        or (token.kind is Kind.NAME and verb is not None and at > verb)
        for at, token in enumerate(part)
    )


def _states(part: Clause) -> bool:
    """Whether it is a sentence: something is said of something."""
    return _verb(part) is not None


def _verb(part: Sequence[Token]) -> int | None:
    places = (at for at, token in enumerate(part) if token.is_pivot or token.is_happening or token.role is Role.CHANGE)
    return next(
        (at for at in places if any(token.is_content or token.role is Role.FUNCTION for token in part[:at])), None
    )


def _is_doubtful(clause: Clause) -> bool:
    return any(token.role is Role.HEDGE for token in clause)
