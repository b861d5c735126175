"""Pure: the form of a correction, filled in from a memory, and read back as the arguments of `revise`.

What is left as it was is inherited where the verb inherits, and carried over where it does not: the facts that the
memory states keep the instant from which they hold and their confidence. A changed value holds from the same instant
when the memory was wrong, and from now on when things have moved on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from threengram.api.browsing.fields import arguments, instant_of, local_of
from threengram.schema import bounds
from threengram.schema.browse import MemoryDetailsOutput
from threengram.schema.instants import format_instant
from threengram.schema.memories import Fact, MemoryRead
from threengram.schema.revisions import EdgeIntent, ReviseInput

BLANK_FACTS: Final = 2
FACT_FIELDS: Final = ("subject", "predicate", "value")
_PATHS: Final = {
    "memoryType": "type",
    "topic": "topic",
    "content": "content",
    "edgeIntent": "intent",
    "scope": "scope",
    "project": "project",
    "dueAt": "due",
    "owner": "owner",
    "recurrence": "recurrence",
}
_SEPARATOR: Final = ", "


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory as the form starts from it, at an instant."""

    memory: MemoryRead
    details: MemoryDetailsOutput
    now: datetime

    @property
    def facts(self) -> Sequence[Fact]:
        """Those that have not ended, as many as one write takes."""
        open_facts = [fact for fact in self.details.facts if fact.valid_to is None or fact.valid_to > self.now]
        return open_facts[: bounds.MAX_FACTS_PER_WRITE]

    @property
    def fact_rows(self) -> int:
        """Rows of the form: one for each fact and a few to add."""
        return min(len(self.facts) + BLANK_FACTS, bounds.MAX_FACTS_PER_WRITE)

    @property
    def is_too_long(self) -> bool:
        """Whether the text was imported and is longer than a correction may be."""
        return self.memory.content_length > bounds.MAX_CONTENT_CHARS

    @property
    def fields(self) -> dict[str, str]:
        """The form as it is first shown."""
        memory, commitment = self.memory, self.details.commitment
        shown = {
            "type": str(memory.memory_type),
            "topic": memory.topic,
            "content": "" if self.is_too_long else memory.content,
            "intent": str(EdgeIntent.SUPERSEDES),
            "scope": memory.scope,
            "project": memory.project or "",
            "tags": _SEPARATOR.join(memory.tags),
            "due": "" if commitment is None else local_of(commitment.due_at),
            "owner": "" if commitment is None else commitment.owner or "",
            "recurrence": "" if commitment is None else commitment.recurrence or "",
        }
        for row in range(self.fact_rows):
            fact = self.facts[row] if row < len(self.facts) else None
            for name in FACT_FIELDS:
                shown[fact_field(row, name)] = "" if fact is None else str(getattr(fact, name))
        return shown


def fact_field(row: int, name: str) -> str:
    """The name of one field of one row of facts."""
    return f"fact-{row}-{name}"


def revision(stored: Stored, form: Mapping[str, str]) -> ReviseInput:
    """The arguments of `revise`; raises `Unacceptable`."""
    paths = paths_of(form, stored.fact_rows)
    return arguments(ReviseInput, _given(stored, form), paths)


def postponement(stored: Stored, due: str) -> ReviseInput:
    """The same memory, due at another time; raises `Unacceptable`."""
    form = {**stored.fields, "intent": str(EdgeIntent.UPDATES), "due": due}
    return arguments(ReviseInput, {**_given(stored, form), "dueAt": instant_of(due) or ""}, {"dueAt": "due"})


def paths_of(form: Mapping[str, str], rows: int) -> Mapping[str, str]:
    """The form's field by the path of an argument."""
    filled = filled_rows(form, rows)
    of_facts = {
        f"facts[{position}].{path}": fact_field(row, name)
        for position, row in enumerate(filled)
        for path, name in (*zip(FACT_FIELDS, FACT_FIELDS, strict=True), ("validFrom", "value"))
    }
    whole = {f"facts[{position}]": fact_field(row, "subject") for position, row in enumerate(filled)}
    tags = {f"tags[{position}]": "tags" for position in range(bounds.MAX_TAGS)}
    return {**_PATHS, "tags": "tags", **tags, **of_facts, **whole}


def filled_rows(form: Mapping[str, str], rows: int) -> Sequence[int]:
    """Rows of facts in which anything stands; to empty a row leaves the fact out."""
    return [row for row in range(rows) if any(form.get(fact_field(row, name), "").strip() for name in FACT_FIELDS)]


def _given(stored: Stored, form: Mapping[str, str]) -> Mapping[str, Any]:
    shown = stored.fields
    given: dict[str, Any] = {
        "predecessorId": str(stored.memory.id),
        "memoryType": form.get("type", ""),
        "topic": form.get("topic", ""),
        # Browsers send line ends as CR LF (HTML, form submission).
        "content": form.get("content", "").replace("\r\n", "\n"),
        "edgeIntent": form.get("intent", ""),
        "scope": form.get("scope") or None,
        "project": form.get("project") or None,
        "facts": [_fact(stored, form, row) for row in filled_rows(form, stored.fact_rows)],
    }
    if form.get("tags", "") != shown["tags"]:
        given["tags"] = [tag for part in form.get("tags", "").split(",") if (tag := part.strip())]
    due = _changed(form, shown, "due")
    return {
        **given,
        "owner": _changed(form, shown, "owner"),
        "recurrence": _changed(form, shown, "recurrence"),
        "dueAt": None if due is None else instant_of(due),
    }


def _changed(form: Mapping[str, str], shown: Mapping[str, str], name: str) -> str | None:
    value = form.get(name, "").strip()
    return None if value in ("", shown[name]) else value


def _fact(stored: Stored, form: Mapping[str, str], row: int) -> Mapping[str, Any]:
    subject, predicate, value = (form.get(fact_field(row, name), "").strip() for name in FACT_FIELDS)
    given: dict[str, Any] = {"subject": subject, "predicate": predicate, "value": value}
    former = next((fact for fact in stored.facts if _typed(fact)[:2] == (subject, predicate)), None)
    if former is None:
        return given
    is_unchanged = _typed(former) == (subject, predicate, value)
    given |= {"subject": former.subject, "predicate": former.predicate}
    if is_unchanged:
        given["value"] = former.value
    if is_unchanged or form.get("intent") == EdgeIntent.SUPERSEDES:
        given["validFrom"] = format_instant(former.valid_from)
        if former.valid_to is not None:
            given["validTo"] = format_instant(former.valid_to)
    if is_unchanged and former.confidence is not None:
        given["confidence"] = former.confidence
    return given


def _typed(fact: Fact) -> tuple[str, ...]:
    """A fact as a field of one line gives it back: browsers take line ends out of it (HTML, value sanitization)."""
    return tuple(str(getattr(fact, name)).replace("\r", "").replace("\n", "") for name in FACT_FIELDS)
