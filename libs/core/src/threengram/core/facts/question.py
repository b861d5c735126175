"""Which facts a read asks for, as one statement. A fact's validity is its current one, or the one on record at K."""

# ruff: noqa: S608 - every part is a LiteralString of this module, of `as_of` or of `scopes`; mypy holds them to it

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from threengram.core.cursor import FactsAfter
from threengram.core.db.statement import Statement, tenant_statement
from threengram.core.scopes.queries import CANONICAL
from threengram.core.time.as_of import known, valid
from threengram.schema.facts import FactRange, GetFactsInput


@dataclass(frozen=True, slots=True)
class Question:
    """Filters, one point in time or one window, and the row that the page comes after."""

    subject: str | None
    predicate: str | None
    scope: str | None
    project: str | None
    valid_at: datetime | None
    known_at: datetime | None
    window: FactRange | None
    after: FactsAfter | None

    @property
    def statement(self) -> Statement:
        """The page's rows and one more, in order."""
        lifetime: LiteralString = "f" if self.known_at is None else "l"
        source: LiteralString = "facts f"
        if self.known_at is not None:
            source += " JOIN fact_lifetimes l ON l.tenant_id = %(tenant_id)s AND l.fact_id = f.id AND " + known("l")
        if self.scope is not None or self.project is not None:
            source += " JOIN memories m ON m.tenant_id = %(tenant_id)s AND m.id = f.memory_id"
        order: LiteralString = "f.recorded_at DESC, f.id" if self.window is None else "f.valid_from, f.id"
        sql: LiteralString = (
            "SELECT f.id, f.memory_id, f.subject, f.predicate, f.value, f.confidence, f.recorded_at, "
            + f"{lifetime}.valid_from, {lifetime}.valid_to FROM "
            + source
            + " WHERE "
            + " AND ".join(self._conditions(lifetime))
            + " ORDER BY "
            + order
            + " LIMIT %(fetch)s"
        )
        return tenant_statement("facts_page", sql)

    def _conditions(self, lifetime: LiteralString) -> list[LiteralString]:
        conditions: list[LiteralString] = ["f.tenant_id = %(tenant_id)s"]
        optional: list[tuple[object, LiteralString]] = [
            (self.subject, "f.subject = %(subject)s"),
            (self.predicate, "f.predicate = %(predicate)s"),
            (self.scope, "m.scope = " + CANONICAL),
            (self.project, "m.project = %(project)s"),
            (self.valid_at, valid(lifetime)),
        ]
        conditions += [condition for value, condition in optional if value is not None]
        if self.window is not None:
            conditions.append("(f.valid_to IS NULL OR f.valid_to > f.valid_from)")
            if self.window.from_ is not None:
                conditions.append("(f.valid_to IS NULL OR f.valid_to > %(range_from)s)")
            if self.window.to is not None:
                conditions.append("f.valid_from < %(range_to)s")
        if self.after is not None and self.window is not None:
            conditions.append("(f.valid_from, f.id) > (%(after_instant)s, %(after_id)s)")
        elif self.after is not None:
            conditions.append(
                "f.recorded_at <= %(after_instant)s AND (f.recorded_at < %(after_instant)s OR f.id > %(after_id)s)"
            )
        return conditions

    @property
    def parameters(self) -> Mapping[str, object]:
        """The values behind the names."""
        return {
            "subject": self.subject,
            "predicate": self.predicate,
            "scope": self.scope,
            "project": self.project,
            "valid_at": self.valid_at,
            "known_at": self.known_at,
            "range_from": None if self.window is None else self.window.from_,
            "range_to": None if self.window is None else self.window.to,
            "after_instant": None if self.after is None else self.after.instant,
            "after_id": None if self.after is None else self.after.fact_id,
        }


def question(request: GetFactsInput, scope: str | None, after: FactsAfter | None, *, now: datetime) -> Question:
    """The question of a request narrowed to `scope`.

    A point without `validAt` is the instant at which it was known, so that the answer is what was believed to be valid
    at that time. Without any point it is now: the now of the walk's first page.
    """
    valid_at, known_at = None, None
    if request.as_of is not None:
        known_at = request.as_of.as_known_at
        valid_at = request.as_of.valid_at or known_at
    elif request.range is None:
        valid_at = now if after is None else after.seen_at
    return Question(
        subject=request.subject,
        predicate=request.predicate,
        scope=scope,
        project=request.project,
        valid_at=valid_at,
        known_at=known_at,
        window=request.range,
        after=after,
    )
