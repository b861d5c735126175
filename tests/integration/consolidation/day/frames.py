"""What can be said on the simulated day, from `frames.toml`, and values written as a language writes them."""

import random
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from threengram.evals.pairs.prose import SaidClaim
from threengram.schema.enums import MemoryType

_PATH = Path(__file__).with_name("frames.toml")
_MONTHS = {
    "en": "January February March April May June July August September October November December".split(),  # noqa: SIM905
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),  # noqa: SIM905
}
_POINTED = frozenset({"de", "es", "it", "pt"})
"""Languages that write 1.250 for what English writes 1,250."""


class Wording(BaseModel):
    """How a fact that follows from a statement may be worded; the value is the statement's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subject: tuple[str, ...]
    measure: tuple[str, ...]
    unit: tuple[str, ...] = ()


class Frame(BaseModel):
    """One kind of thing that is said about several things or people, in several ways."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lang: str
    type: MemoryType
    topic: str
    who: tuple[str, ...]
    value: Literal["number", "money", "time", "day", "word"]
    words: tuple[str, ...] = ()
    said: tuple[str, ...]
    others: tuple[str, ...] = ()
    hedged: tuple[str, ...] = ()
    denials: tuple[str, ...] = ()
    claim: Wording | None = None

    def draw(self, source: random.Random, taken: Sequence[str]) -> str:
        """A value as it is written, and not one of those that are taken as long as there is another."""
        for _ in range(50):
            value = self._value(source)
            if value not in taken:
                return value
        return value

    def _value(self, source: random.Random) -> str:
        match self.value:
            case "number":
                return str(source.randrange(2, 98))
            case "money":
                return _money(source.randrange(200, 3_000, 5), self.lang)
            case "time":
                return f"{source.randrange(7, 18)}:{source.randrange(0, 60, 5):02d}"
            case "day":
                day, month = source.randrange(1, 28), source.choice(_MONTHS[self.lang])
                return f"{day} {month}" if self.lang == "en" else f"{day}. {month}"
            case "word":
                return source.choice(self.words)

    def claims(self, who: str, value: str) -> tuple[SaidClaim, ...]:
        """The facts that follow when the value is stated."""
        if self.claim is None:
            return ()
        return (
            SaidClaim(
                subject=tuple(part.format(who=who) for part in self.claim.subject),
                measure=self.claim.measure,
                unit=self.claim.unit,
                unitless=not self.claim.unit,
                value=spellings(value),
            ),
        )


def spellings(value: str) -> tuple[str, ...]:
    """As it is written, without what separates thousands, in myriads, without a title."""
    bare = value.replace(",", "").replace(".", "").replace("\u202f", "")
    found = (value, bare, f"{bare}0000") if bare.isdigit() else (value,)
    return (*found, value.removesuffix("さん"), value.removeprefix("Frau ").removeprefix("Herr "))


def _money(amount: int, lang: str) -> str:
    grouped = f"{amount:,}"
    if lang in _POINTED:
        return grouped.replace(",", ".")
    return grouped.replace(",", "\u202f") if lang == "fr" else grouped


def load() -> tuple[Frame, ...]:
    """All frames."""
    return tuple(Frame.model_validate(one, strict=False) for one in tomllib.loads(_PATH.read_text())["frame"])
