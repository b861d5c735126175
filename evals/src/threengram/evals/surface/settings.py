"""The model that may judge the surface: none unless somebody configures one."""

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class JudgeSettings(BaseSettings):
    """Read from `THREENGRAM_EVALS_JUDGE_*`."""

    model_config = SettingsConfigDict(env_prefix="THREENGRAM_EVALS_JUDGE_", frozen=True)

    base_url: str | None = Field(
        default=None, description="OpenAI-compatible API, such as http://127.0.0.1:4000/v1; no model judges when unset."
    )
    api_key: SecretStr | None = Field(default=None, description="Sent as a bearer token when set.")
    model: str = Field(default="gpt-4o-mini", description="Name of the model at that API.")
    timeout_s: float = Field(default=30.0, gt=0, description="Longest wait for one answer.")
