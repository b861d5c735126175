"""What a person asks the page of facts for: the fields of its form, and the arguments of `get_facts`."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Self

from threengram.api.browsing.fields import Unacceptable, arguments, instant_of
from threengram.schema.facts import GetFactsInput

SERIES: Final = "series"
_BEGINNING: Final = "0001-01-01T00:00:00Z"
_NAMES: Final = {
    "subject": "subject",
    "predicate": "predicate",
    "scope": "scope",
    "project": "project",
    "asOf.validAt": "as_of",
    "asOf.asKnownAt": "as_of",
}


@dataclass(frozen=True, slots=True)
class Question:
    """The fields as they were filled in; `view` is `SERIES`, or empty for what holds."""

    subject: str = ""
    predicate: str = ""
    scope: str = ""
    project: str = ""
    as_of: str = ""
    view: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Self:
        """The fields that are known here, without outer white space."""
        return cls(**{one.name: given.get(one.name, "").strip() for one in fields(cls)})

    @property
    def narrows(self) -> bool:
        """Whether anything was chosen."""
        return self != Question()

    def arguments(self, cursor: str | None) -> GetFactsInput:
        """The arguments of `get_facts`; raises `Unacceptable`."""
        if self.view == SERIES and self.as_of:
            raise Unacceptable({"as_of": "A series shows all times; leave this empty, or show what holds."})
        given: dict[str, Any] = {
            "subject": self.subject or None,
            "predicate": self.predicate or None,
            "scope": self.scope or None,
            "project": self.project or None,
            "asOf": dict.fromkeys(("validAt", "asKnownAt"), instant_of(self.as_of)) if self.as_of else None,
            "range": {"from": _BEGINNING} if self.view == SERIES else None,
            "cursor": cursor,
        }
        return arguments(GetFactsInput, given, _NAMES)
