"""What the migrations read from their environment; the only module here that looks at it."""

from typing import Annotated, Any

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from threengram.migrations.run import RUNTIME_ROLE


class Settings(BaseSettings):
    """`migrations`: the schema, its roles and the indexes of embedding models, as the owner.

    An empty variable counts as unset. Validation errors never print the rejected value, which may be a secret.
    """

    model_config = SettingsConfigDict(
        env_prefix="THREENGRAM_MIGRATIONS_",
        frozen=True,
        extra="ignore",
        env_ignore_empty=True,
        hide_input_in_errors=True,
    )

    owner_url: SecretStr = Field(description="libpq URL of the owner of the schema, past any pooler.")
    runtime_role: str = Field(default=RUNTIME_ROLE, description="The role that the services log in with.")
    runtime_password: SecretStr = Field(
        default=SecretStr(""), description="Password to give that role; it keeps the one it has when unset."
    )
    retired_roles: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Comma-separated former runtime roles: the phase `post` takes their login and their grants.",
    )
    wait_s: float = Field(
        default=300, gt=0, description="Longest wait for the database and, for an index, for the schema."
    )
    model_name: str = Field(
        default="all-MiniLM-L6-v2-dynamic-int8", description="The first embedding model of a new database."
    )
    model_dimensions: int = Field(default=384, ge=1, description="Its number of dimensions.")
    model_is_metered: bool = Field(default=False, description="Whether each of its calls costs money.")

    @field_validator("retired_roles", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(name.strip() for name in value.split(",") if name.strip())
        return value
