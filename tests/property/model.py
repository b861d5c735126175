"""Bi-temporal memory in plain Python: lists of versions, no index, no lock, no SQL. What the real one has to equal.

Every change of a transaction goes on record at one instant: the call's clock, or a microsecond after the latest change
of whatever the call builds on.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

TICK = timedelta(microseconds=1)


class Refused(Exception):
    """The call has to fail with an error of the class named `kind`."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True)
class Version:
    """A span of validity as it was on record from `recorded_from` until the next version."""

    recorded_from: datetime
    valid_from: datetime
    valid_to: datetime | None
    status: str


@dataclass
class Life:
    """Anything with a validity; `status` is active or archived."""

    valid_from: datetime
    valid_to: datetime | None = None
    status: str = "active"
    versions: list[Version] = field(default_factory=list)

    def record(self, at: datetime) -> None:
        assert not self.versions or at > self.versions[-1].recorded_from
        self.versions.append(Version(at, self.valid_from, self.valid_to, self.status))

    @property
    def has_duration(self) -> bool:
        return self.valid_to is None or self.valid_to > self.valid_from

    def covers(self, instant: datetime) -> bool:
        return self.valid_from <= instant and (self.valid_to is None or instant < self.valid_to)


@dataclass(kw_only=True)
class ModelFact(Life):
    series: str
    value: str
    memory: "ModelMemory"
    fact_id: UUID | None = None


@dataclass(kw_only=True)
class ModelMemory(Life):
    memory_type: str
    content: str
    memory_id: UUID | None = None
    successor: "ModelMemory | None" = None
    commitment: str | None = None
    commitment_changed: datetime | None = None

    @property
    def is_live(self) -> bool:
        return self.status == "active" and self.valid_to is None


@dataclass(frozen=True)
class Claim:
    """A fact to be stated."""

    series: str
    value: str
    valid_from: datetime | None
    valid_to: datetime | None


class Model:
    """One tenant."""

    def __init__(self) -> None:
        self.memories: list[ModelMemory] = []
        self.facts: list[ModelFact] = []

    def remember(self, now: datetime, memory_type: str, content: str, claims: list[Claim]) -> ModelMemory:
        at = self._at(now, None, claims)
        memory = self._memory(memory_type, content, at)
        self._refuse_duplicate(memory, besides=None)
        stated, changed = self._stated(memory, claims, at, replaced=None)
        self._keep(memory, stated, changed, at)
        if memory_type == "commitment":
            memory.commitment, memory.commitment_changed = "open", at
        return memory

    def revise(
        self, now: datetime, former: ModelMemory, memory_type: str, content: str, claims: list[Claim]
    ) -> ModelMemory:
        if former.valid_to is not None:
            raise Refused("Conflict")
        at = self._at(now, former, claims)
        memory = self._memory(memory_type, content, at)
        stated, changed = self._stated(memory, claims, at, replaced=former)
        self._refuse_duplicate(memory, besides=former)
        former.valid_to, former.successor = at, memory
        former.record(at)
        self._keep(memory, stated, changed, at)
        self._carry(former, memory, at)
        return memory

    def archive(self, now: datetime, memory: ModelMemory) -> None:
        self._check_movable(memory)
        if memory.status == "active":
            self._put_away(now, memory, ends=False)

    def unarchive(self, now: datetime, memory: ModelMemory) -> None:
        self._check_movable(memory)
        if memory.status == "archived":
            self._bring_back(now, memory)

    def resolve(self, now: datetime, memory: ModelMemory, wanted: str) -> None:
        if memory.successor is not None:
            raise Refused("NotFound")
        if memory.commitment is not None:
            if memory.commitment != wanted:
                assert memory.commitment_changed is not None
                memory.commitment = wanted
                memory.commitment_changed = max(now, memory.commitment_changed + TICK)
        elif memory.memory_type != "blocker":
            raise Refused("NotFound")
        elif wanted == "resolved" and memory.is_live:
            self._put_away(now, memory, ends=True)
        elif wanted == "open" and not memory.is_live:
            self._bring_back(now, memory)

    def memories_at(self, valid_at: datetime, known_at: datetime) -> set[UUID | None]:
        return {memory.memory_id for memory in self.memories if _holds(memory, valid_at, known_at)}

    def facts_at(self, valid_at: datetime, known_at: datetime) -> set[UUID | None]:
        return {fact.fact_id for fact in self.facts if _holds(fact, valid_at, known_at)}

    def instants(self) -> set[datetime]:
        """Every instant at which an answer may change."""
        return {
            instant
            for life in (*self.memories, *self.facts)
            for version in life.versions
            for instant in (version.recorded_from, version.valid_from, version.valid_to)
            if instant is not None
        }

    def _at(self, now: datetime, memory: ModelMemory | None, claims: Iterable[Claim]) -> datetime:
        series = {claim.series for claim in claims}
        earlier = []
        if memory is not None:
            series |= {fact.series for fact in self.facts if fact.memory is memory}
            earlier.append(memory.versions[-1].recorded_from)
            if memory.commitment_changed is not None:
                earlier.append(memory.commitment_changed)
        earlier += [fact.versions[-1].recorded_from for fact in self.facts if fact.series in series]
        return max([now, *(instant + TICK for instant in earlier)])

    def _memory(self, memory_type: str, content: str, at: datetime) -> ModelMemory:
        return ModelMemory(valid_from=at, memory_type=memory_type, content=content)

    def _stated(
        self, memory: ModelMemory, claims: list[Claim], at: datetime, replaced: ModelMemory | None
    ) -> tuple[list[ModelFact], dict[int, datetime]]:
        """The new facts, and new ends by position of stored ones; nothing is changed yet."""
        ends = {
            position: max(fact.valid_from, at)
            for position, fact in enumerate(self.facts)
            if replaced is not None and fact.memory is replaced and (fact.valid_to is None or fact.valid_to > at)
            and fact.valid_to != max(fact.valid_from, at)
        }  # fmt: skip
        stated = []
        for claim in claims:
            start, end = claim.valid_from or at, claim.valid_to
            for position, fact in enumerate(self.facts):
                present_end = ends.get(position, fact.valid_to)
                if fact.series != claim.series or (present_end is not None and present_end <= fact.valid_from):
                    continue
                if fact.valid_from == start and fact.memory is not replaced:
                    raise Refused("InvalidRequest")
                if fact.valid_from > start and (end is None or end > fact.valid_from):
                    end = fact.valid_from
                if fact.valid_from <= start and (present_end is None or present_end > start):
                    ends[position] = start
            stated.append(
                ModelFact(valid_from=start, valid_to=end, series=claim.series, value=claim.value, memory=memory)
            )
        return stated, ends

    def _keep(self, memory: ModelMemory, stated: list[ModelFact], ends: dict[int, datetime], at: datetime) -> None:
        for position, end in ends.items():
            self.facts[position].valid_to = end
            self.facts[position].record(at)
        for life in (memory, *stated):
            life.record(at)
        self.memories.append(memory)
        self.facts += stated

    def _refuse_duplicate(self, wanted: ModelMemory, besides: ModelMemory | None) -> None:
        for memory in self.memories:
            is_same = (memory.memory_type, memory.content) == (wanted.memory_type, wanted.content)
            if is_same and memory.is_live and memory is not besides:
                raise Refused("DuplicateMemory")

    def _carry(self, former: ModelMemory, memory: ModelMemory, at: datetime) -> None:
        if memory.memory_type == "commitment":
            memory.commitment, memory.commitment_changed = former.commitment or "open", at
            former.commitment = former.commitment_changed = None
        elif former.commitment == "open":
            former.commitment, former.commitment_changed = "resolved", at

    def _check_movable(self, memory: ModelMemory) -> None:
        if memory.memory_type == "blocker" or memory.valid_to is not None:
            raise Refused("Conflict")

    def _put_away(self, now: datetime, memory: ModelMemory, *, ends: bool) -> None:
        at = self._at(now, memory, ())
        memory.status, memory.valid_to = "archived", at if ends else None
        memory.record(at)
        for fact in self.facts:
            end = max(fact.valid_from, at)
            if fact.memory is memory and (fact.valid_to is None or fact.valid_to > end):
                fact.valid_to, fact.status = end, "archived"
                fact.record(at)

    def _bring_back(self, now: datetime, memory: ModelMemory) -> None:
        for other in self.memories:
            is_same = (other.memory_type, other.content) == (memory.memory_type, memory.content)
            if is_same and other.is_live and other is not memory:
                raise Refused("Conflict")
        at = self._at(now, memory, ())
        memory.status, memory.valid_to = "active", None
        memory.record(at)
        returning = [fact for fact in self.facts if fact.memory is memory and fact.status == "archived"]
        for fact in returning:
            others = [one for one in self.facts if one.series == fact.series and one is not fact and one.has_duration]
            if any(one.covers(fact.valid_from) for one in others):
                continue
            former = next(one.valid_to for one in reversed(fact.versions) if one.status == "active")
            starts = [one.valid_from for one in others if one.valid_from > fact.valid_from]
            fact.valid_to = min([instant for instant in (former, *starts) if instant is not None], default=None)
            fact.status = "active"
            fact.record(at)


def known(life: Life, known_at: datetime) -> Version | None:
    """The version on record at that instant."""
    return next((version for version in reversed(life.versions) if version.recorded_from <= known_at), None)


def _holds(life: Life, valid_at: datetime, known_at: datetime) -> bool:
    version = known(life, known_at)
    if version is None or version.valid_from > valid_at:
        return False
    return version.valid_to is None or version.valid_to > valid_at
