"""What the worker and beat read from their environment; the only module here that looks at it."""

from typing import Annotated, Any, Final

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from threengram.runtime.settings import ServiceSettings

EMBED: Final = "embed"
CONSOLIDATE: Final = "consolidate"
MAINTENANCE: Final = "maintenance"
QUEUES: Final = (EMBED, CONSOLIDATE, MAINTENANCE)


class Settings(ServiceSettings):
    """`worker`: background work."""

    model_config = SettingsConfigDict(env_prefix="THREENGRAM_WORKER_")

    port: int = Field(default=0, ge=0, le=65535, description="Not used: a worker serves its admin port only.")
    admin_port: int = Field(
        default=8324, ge=0, le=65535, description="Port of the admin endpoints; 0 takes a free one."
    )
    database_url: SecretStr = Field(description="libpq URL of the runtime role.")
    database_pool_min: int = Field(default=1, ge=0, description="Connections kept open.")
    database_pool_max: int = Field(default=8, ge=1, description="Most connections open at once.")
    database_prepared_statements: bool = Field(
        default=False,
        description="Let the database keep the plans of the everyday statements; only where the URL leads to "
        "PostgreSQL itself, or to PgBouncer 1.22 or later with `max_prepared_statements` above 0.",
    )
    redis_url: SecretStr = Field(description="URL of the Redis or Valkey that carries the messages.")
    embedder_url: str | None = Field(
        default=None, description="Base URL of the embedder; without it memories wait for their vectors."
    )
    queues: Annotated[tuple[str, ...], NoDecode] = Field(
        default=QUEUES, min_length=1, description=f"Comma-separated queues to work off, of {', '.join(QUEUES)}."
    )
    concurrency: int = Field(default=1, ge=1, le=64, description="Tasks at the same time.")
    lease_s: float = Field(default=60, gt=0, description="How long claimed rows belong to their worker.")
    embed_interval_s: float = Field(default=5, gt=0, description="How often missing vectors are looked for.")
    job_interval_s: float = Field(default=5, gt=0, description="How often due job runs are looked for.")
    job_slots: int = Field(default=3, ge=1, le=64, description="Job runs of one queue side by side.")
    commitment_grace_days: float = Field(
        default=14, ge=0, description="Days after its due instant at which a commitment expires."
    )
    job_runs_kept_days: float = Field(default=7, gt=0, description="Days for which ended job runs stay on record.")
    failed_runs_kept_days: float = Field(default=30, gt=0, description="Days for which dead job runs can be retried.")
    consolidation_enabled: bool = Field(
        default=True, description="Whether memories are compared hourly, to propose edges and facts for review."
    )
    consolidation_max_open: int = Field(
        default=200, ge=1, description="Undecided proposals of a kind at which a tenant gets no more."
    )
    llm_url: str | None = Field(
        default=None,
        description="Base URL of an OpenAI-compatible chat gateway that checks proposals; without it rules decide.",
    )
    llm_api_key: SecretStr | None = Field(default=None, description="Bearer token for the chat gateway.")
    llm_model: str = Field(default="gpt-4o-mini", description="Model to ask for at the chat gateway.")
    llm_timeout_s: float = Field(default=20, gt=0, le=60, description="Deadline of one question with its retries.")
    llm_max_calls: int = Field(default=40, ge=1, description="Questions about one batch of 32 memories.")
    llm_calls_per_day: int | None = Field(
        default=None, ge=0, description="Questions for one tenant, operation and day; no bound when unset."
    )
    llm_tokens_per_day: int | None = Field(
        default=None, ge=0, description="Tokens for one tenant, operation and day; no bound when unset."
    )
    embed_rounds: int = Field(
        default=16, ge=1, description="Batches that one task fills before other tasks get a turn."
    )

    @field_validator("queues", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(name.strip() for name in value.split(",") if name.strip())
        return value

    @field_validator("queues")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not set(value) <= set(QUEUES):
            raise ValueError(f"queues are {', '.join(QUEUES)}")
        return value


class BeatSettings(Settings):
    """`beat`: the same variables, an admin port of its own."""

    admin_port: int = Field(
        default=8325, ge=0, le=65535, description="Port of the admin endpoints; 0 takes a free one."
    )
