"""The generated settings reference, and what the settings refuse."""

import pytest
from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import SettingsConfigDict

from threengram.runtime.reference import settings_table
from threengram.runtime.settings import ServiceSettings


class ProbeSettings(ServiceSettings):
    """`probe`: a service of the tests."""

    model_config = SettingsConfigDict(env_prefix="THREENGRAM_PROBE_")

    port: int = Field(default=1, description="Port.")
    admin_port: int = Field(default=2, description="Admin port.")
    key: SecretStr = Field(default=SecretStr("canary"), description="A key.")
    web_app_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("THREENGRAM_PROBE_WEB_APP_URL", "WEB_APP_URL"),
        description="Page | site.",
    )


def test_the_table_lists_every_variable_and_hides_secrets() -> None:
    table = settings_table([ProbeSettings])

    assert table.startswith("## `probe`: a service of the tests\n\n| variable | type | default | meaning |")
    assert "| `THREENGRAM_PROBE_HOST` | str | `127.0.0.1` | Address the service listens on. |" in table
    assert "| `THREENGRAM_PROBE_KEY` | secret | (secret) | A key. |" in table
    assert "| `THREENGRAM_PROBE_LOG_LEVEL` | `DEBUG` or `INFO` or `WARNING` or `ERROR` | `INFO` |" in table
    assert "| `THREENGRAM_PROBE_WEB_APP_URL`, `WEB_APP_URL` | str | unset | Page \\| site. |" in table
    assert "| `THREENGRAM_PROBE_INSTANCE` | str | computed |" in table
    assert "canary" not in table


def test_settings_are_read_from_the_environment_and_empty_variables_count_as_unset(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("THREENGRAM_PROBE_SHUTDOWN_GRACE_S", "3.5")
    monkeypatch.setenv("THREENGRAM_PROBE_LISTEN_FD", "")
    monkeypatch.setenv("WEB_APP_URL", "http://127.0.0.1:8301")

    settings = ProbeSettings()

    assert settings.shutdown_grace_s == 3.5
    assert settings.listen_fd is None
    assert settings.web_app_url == "http://127.0.0.1:8301"


def test_settings_are_frozen_and_their_errors_do_not_repeat_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValidationError):
        ProbeSettings().port = 3

    monkeypatch.setenv("THREENGRAM_PROBE_PORT", "canary")
    with pytest.raises(ValidationError) as refusal:
        ProbeSettings()
    assert "canary" not in str(refusal.value)
