"""Do two clauses with the same content say the same?"""

from collections import Counter
from itertools import pairwise

from threengram.core.consolidation.reading.lexicon import words
from threengram.core.consolidation.reading.tokens import VALUES, Clause, Role, Token
from threengram.core.consolidation.rules.difference import Difference

_JOINTS = frozenset({Role.PREPOSITION, Role.DEADLINE, Role.FROM, Role.RETRACTOR})
_OR = words("or oder ou o 或 或者")
_JOINING = words("and or und oder et ou y e o ed と や 和 与 및 , also as well sowie")


def is_same(found: Difference) -> bool:
    """Whether nothing but order can differ, and the order doesn't matter."""
    if found.removed or found.added or found.older_negations != found.newer_negations:
        return False
    if joints(found.older) != joints(found.newer):
        return False
    return in_same_order(found) or _swaps_two_blocks(found)


def in_same_order(found: Difference) -> bool:
    """Whether the content comes in the same order."""
    return _keys(found.older) == _keys(found.newer)


def _swaps_two_blocks(found: Difference) -> bool:
    """`on Mondays it fails` for `it fails on Mondays`, `a and b` for `b and a`; never `a hit b` for `b hit a`."""
    older, newer = _keys(found.older), _keys(found.newer)
    start = next(place for place, (one, other) in enumerate(zip(older, newer, strict=True)) if one != other)
    tail = next(place for place, (one, other) in enumerate(zip(older[::-1], newer[::-1], strict=True)) if one != other)
    end = len(older) - tail
    inner, other = older[start:end], newer[start:end]
    cut = next((cut for cut in range(1, len(inner)) if inner[cut:] + inner[:cut] == other), None)
    if cut is None:
        return False
    if _is_listed(found.older, start, end):
        return True
    taken_along = _linked_by(found.older, start + cut), _linked_by(found.newer, start)
    if taken_along[0] != taken_along[1]:
        return False
    if any(_looks_like_a_name(token) for clause in (found.older, found.newer) for token in clause[1:]):
        return False
    return taken_along[0] is not None or _names(found.older, start, end) < 2


def joints(clause: Clause) -> Counter[str]:
    """The words that say where, when and which way: before a meal is not after it, and from Bern not to Bern."""
    return Counter(token.key for token in clause if token.role in _JOINTS or token.key in _OR)


def _linked_by(clause: Clause, place: int) -> str | None:
    """The preposition that introduces the content at this place."""
    token = _content(clause)[place]
    for before in reversed(clause[: next(at for at, one in enumerate(clause) if one is token)]):
        if before.role is not Role.ARTICLE:
            return before.key if before.role is Role.PREPOSITION else None
    return None


def _names(clause: Clause, start: int, end: int) -> int:
    return sum(token.kind in VALUES or token.text[:1].isupper() for token in _content(clause)[start:end])


def _looks_like_a_name(token: Token) -> bool:
    """Whether what some language has as a small word is written like a name within a clause: `Iris knows Dan`."""
    return not token.is_content and len(token.text) > 1 and token.text[0].isupper()


def _is_listed(clause: Clause, start: int, end: int) -> bool:
    """Whether a conjunction or comma stands between any two neighbours of the part, so that it is a list."""
    content = _content(clause)[start:end]
    places = [next(place for place, token in enumerate(clause) if token is one) for one in content]
    return all(any(token.key in _JOINING for token in clause[one + 1 : other]) for one, other in pairwise(places))


def _content(clause: Clause) -> list[Token]:
    return [token for token in clause if token.is_content]


def _keys(clause: Clause) -> list[str]:
    return [token.key for token in clause if token.is_content]
