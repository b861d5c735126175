"""What a text is made of once it is read: content that says something, and words that connect, negate or date it."""

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a content token is. All but `WORD`, `NAME` and `CONTRAST` are values by themselves."""

    WORD = "word"
    NAME = "name"
    CONTRAST = "contrast"
    QUANTITY = "quantity"
    NUMBER = "number"
    TIME = "time"
    WEEKDAY = "weekday"
    DATE = "date"


VALUES = frozenset({Kind.QUANTITY, Kind.NUMBER, Kind.TIME, Kind.WEEKDAY, Kind.DATE})


class Role(Enum):
    """What a word does that isn't content.

    A `HEDGE` makes a clause less than a plain statement of what is: a condition, question, wish, plan, guess, bound or
    former time.
    """

    FUNCTION = "function"
    ARTICLE = "article"
    COPULA = "copula"
    PREPOSITION = "preposition"
    GENITIVE = "genitive"
    DEADLINE = "deadline"
    SINCE = "since"
    FROM = "from"
    NEGATOR = "negator"
    NO_LONGER = "no_longer"
    RETRACTOR = "retractor"
    CHANGE = "change"
    SOFT = "soft"
    TITLE = "title"
    HEDGE = "hedge"
    REASON = "reason"


@dataclass(frozen=True, slots=True)
class Token:
    """One element of a clause: content of a `kind`, or a word in a `role`.

    `key` is equal exactly when two tokens say the same. `slot` names what a value measures (a dimension, the noun that
    is counted, the noun that a number labels); values of one slot exclude each other. `amount` and `unit` are a number
    as it was meant, in a plain spelling; `key` has it in the base unit of its dimension. `is_pivot` marks a verb or
    copula after which values stand, `is_multivalued` a word that many values may go with at once.
    """

    text: str
    key: str
    kind: Kind | None = None
    role: Role | None = None
    slot: str = ""
    amount: str = ""
    unit: str = ""
    is_pivot: bool = False
    is_multivalued: bool = False
    is_past: bool = False
    is_happening: bool = False

    @property
    def is_content(self) -> bool:
        """Whether it says something, rather than connecting what is said."""
        return self.kind is not None


Clause = tuple[Token, ...]
