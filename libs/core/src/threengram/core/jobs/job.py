"""What a job is, and what it gets to work with. A new job is one `Job` in the worker's registry."""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from threengram.core.db.database import Database
from threengram.core.jobs.tenants import TenantPages, active_tenants
from threengram.core.principal import Principal
from threengram.core.time.clock import Clock
from threengram.schema.enums import ActorKind

NOBODY = UUID(int=0)
DEFAULT_ATTEMPTS = 5
DEFAULT_TIME_LIMIT_S = 300.0

Resources = TypeVar("Resources")


@dataclass(frozen=True, slots=True)
class JobRun:
    """A claimed run. `attempts` counts this one; `slot` is the instant of the schedule it stands for, if any."""

    id: UUID
    tenant_id: UUID | None
    kind: str
    attempts: int
    max_attempts: int
    slot: datetime | None
    counts: dict[str, int]
    traceparent: str
    lease_token: UUID
    is_cancel_asked: bool
    is_erased: bool


@dataclass(slots=True)
class JobContext:
    """What a job works with during one attempt.

    `counts` starts with what earlier attempts counted and is stored with every heartbeat. The lease is kept by the
    executor meanwhile; when it is lost, or somebody cancels the run, the job is cancelled at its next `await`.
    """

    database: Database
    clock: Clock
    run: JobRun
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def tenant_id(self) -> UUID:
        """Whose work it is; raises `LookupError` for a run of the whole installation."""
        if self.run.tenant_id is None:
            raise LookupError(f"a run of {self.run.kind} has no tenant")
        return self.run.tenant_id

    @property
    def principal(self) -> Principal:
        """The worker on behalf of the run's tenant, for `database.tenant`."""
        return Principal(self.tenant_id, NOBODY, NOBODY, frozenset(), ActorKind.WORKER)


@dataclass(frozen=True, slots=True)
class Job(Generic[Resources]):
    """A kind of background work.

    `run` may run twice, at several places, and be killed anywhere; it says whether more is left, and then goes to the
    end of its queue, its attempts counted anew. With `cadence_s` the schedule enqueues it, once in every slot. With
    `per_tenant` a run without a tenant only enqueues one for each tenant that `tenants` lists. An attempt that takes
    longer than `time_limit_s` has failed; after `attempts` of them the run is dead until somebody retries it. Tenants
    that are erased are skipped unless `serves_erased`.
    """

    kind: str
    queue: str
    run: Callable[[JobContext, Resources], Awaitable[bool]]
    cadence_s: float | None = None
    attempts: int = DEFAULT_ATTEMPTS
    per_tenant: bool = False
    tenants: TenantPages = active_tenants
    time_limit_s: float = DEFAULT_TIME_LIMIT_S
    serves_erased: bool = False
