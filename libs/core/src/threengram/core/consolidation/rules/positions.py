"""Where in its clause a token stands: in what is talked about, or in what is said of it."""

from collections.abc import Sequence
from itertools import pairwise

from threengram.core.consolidation.reading.lexicon import words
from threengram.core.consolidation.reading.tokens import VALUES, Clause, Kind, Role, Token
from threengram.core.consolidation.rules.difference import Placed
from threengram.core.lexical.folding import fold

_LIGHT = frozenset({Role.ARTICLE, Role.SOFT, Role.CHANGE, Role.TITLE, Role.NEGATOR, Role.HEDGE})
_LINKING = frozenset(
    {Role.PREPOSITION, Role.GENITIVE, Role.DEADLINE, Role.FROM, Role.FUNCTION, Role.RETRACTOR, Role.HEDGE}
)

_STATING = frozenset({":", "="})
_NUMBERS = words("number no nr nummer numéro número numero nº n° №")


def leads(placed: Placed, clause: Clause) -> bool:
    """Whether it is the first thing that the clause says."""
    return not any(token.is_content for token in clause[: placed.position])


def role_before(placed: Placed, clause: Clause) -> Role | None:
    """The role of the word before it, past articles and the like."""
    for token in reversed(clause[: placed.position]):
        if token.role not in _LIGHT:
            return token.role
    return None


def is_value(placed: Placed, clause: Clause) -> bool:
    """Whether it stands where something is said of the subject: behind a verb of saying so, or at a phrase's end."""
    if leads(placed, clause):
        return False
    if any(token.is_pivot for token in clause[: placed.position]) or _is_listed(placed, clause):
        return True
    if placed.token.kind not in VALUES and role_before(placed, clause) is Role.GENITIVE:
        return False
    if placed.token.kind in VALUES and _is_goal(placed, clause):
        return True
    after = _next(clause, placed.position)
    return after is None or after.role in _LINKING


def _is_goal(placed: Placed, clause: Clause) -> bool:
    """Whether something was changed to it: `raised the dose to 20 mg a day`."""
    changes = any(token.role is Role.CHANGE for token in clause)
    return changes and role_before(placed, clause) is Role.PREPOSITION


def _is_listed(placed: Placed, clause: Clause) -> bool:
    """Whether it stands right behind a colon in place of a sentence: `Insulin in the morning: 8 units`."""
    before, behind = clause[: placed.position], clause[placed.position + 1 :]
    return bool(before) and before[-1].key == ":" and not any(token.is_pivot for token in behind)


def is_value_before_verb(placed: Placed, clause: Clause) -> bool:
    """The same where verbs come last: behind what is talked about, and no part of a name that goes on."""
    before, after = clause[: placed.position], clause[placed.position + 1 :]
    if any(token.is_pivot for token in before):
        return True
    follows = next((token.role for token in after if token.is_content or token.role), None)
    return not leads(placed, clause) and follows is not Role.GENITIVE and not any(token.is_pivot for token in after)


def is_numbering(placed: Placed, clause: Clause) -> bool:
    """Whether a whole number only tells things apart: `load note 17`, `write 3 of the test`, `sample number 4`.

    It stands behind a word in what is no sentence, since a sentence says something of its subject; a colon or an
    equals sign does as well: `port: 8080`. A word that opens a clause may be a noun as well as a verb.
    """
    before = clause[placed.position - 1] if placed.position else None
    if before is None or not placed.token.amount.isdecimal():
        return False
    if fold(before.text) in _NUMBERS:
        return True
    says = any(token.is_pivot or token.role is Role.COPULA for token in clause[1:])
    return before.kind is Kind.WORD and not says and not any(token.key in _STATING for token in clause)


def is_headed(placed: Placed, clause: Clause) -> bool:
    """Whether it is the noun behind a modifier: `chocolate` in `dark chocolate`."""
    before = clause[placed.position - 1] if placed.position else None
    return before is not None and before.kind is Kind.WORD and not before.is_pivot


def is_due(placed: Placed, clause: Clause) -> bool:
    """Whether a word for a deadline stands before the date, or behind it as in Chinese and Japanese."""
    behind = clause[placed.position + 1 : placed.position + 2]
    return role_before(placed, clause) is Role.DEADLINE or any(token.role is Role.DEADLINE for token in behind)


def qualifies(placed: Placed, clause: Clause) -> bool:
    """Whether it only narrows what is said: behind a preposition, with an object between the verb and itself."""
    before = clause[: placed.position]
    last_pivot = max((place for place, token in enumerate(before) if token.is_pivot), default=-1)
    between = [token for token in before[last_pivot + 1 :] if token.is_content]
    return bool(between) and role_before(placed, clause) in (Role.PREPOSITION, Role.GENITIVE)


def follow_each_other(run: Sequence[Placed]) -> bool:
    """Whether the tokens stand side by side, as one phrase does."""
    return all(after.position - before.position == 1 for before, after in pairwise(run))


def _next(clause: Clause, position: int) -> Token | None:
    """The word behind it, past those that only say how or that it changed: `on Mondays from now on`."""
    behind = (token for token in clause[position + 1 :] if token.role not in (Role.CHANGE, Role.SOFT))
    return next((token for token in behind if token.is_content or token.role or token.key == ","), None)
