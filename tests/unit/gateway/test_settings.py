"""What the environment may say to the gateway."""

from uuid import UUID

import pytest
from pydantic import ValidationError

from threengram.core.cursor import CursorSealer, RankedRest, fingerprint
from threengram.gateway.settings import Settings

REQUIRED = {
    "THREENGRAM_GATEWAY_DATABASE_URL": "postgresql://runtime:secret@db/threengram",
    "THREENGRAM_GATEWAY_REDIS_URL": "redis://:secret@valkey/0",
    "THREENGRAM_GATEWAY_PUBLIC_URL": "https://mcp.example/",
    "THREENGRAM_GATEWAY_ISSUER_URL": "https://id.example/",
    "THREENGRAM_GATEWAY_CURSOR_KEY": "a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s",
}


def _settings(monkeypatch: pytest.MonkeyPatch, **more: str) -> Settings:
    for name, value in {**REQUIRED, **more}.items():
        monkeypatch.setenv(name, value)
    return Settings.model_validate({})


def test_urls_lose_a_trailing_slash(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = _settings(monkeypatch)

    assert (settings.public_url, settings.issuer_url) == ("https://mcp.example", "https://id.example")


@pytest.mark.parametrize("prefix", ["", "THREENGRAM_GATEWAY_"])
def test_origins_have_a_short_name_and_a_long_one(monkeypatch: pytest.MonkeyPatch, prefix: str) -> None:
    variables = {
        f"{prefix}MCP_ALLOWED_ORIGINS": "https://a.example, https://b.example,",
        f"{prefix}WEB_APP_URL": "https://w",
    }
    settings = _settings(monkeypatch, **variables)

    assert settings.mcp_allowed_origins == ("https://a.example", "https://b.example")
    assert settings.web_app_url == "https://w"


def test_nothing_shows_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = repr(_settings(monkeypatch))

    assert "secret" not in shown
    assert REQUIRED["THREENGRAM_GATEWAY_CURSOR_KEY"] not in shown


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THREENGRAM_GATEWAY_DATABASE_URL", raising=False)

    with pytest.raises(ValidationError, match="database_url"):
        Settings.model_validate({})


def test_a_cursor_key_is_base64url(monkeypatch: pytest.MonkeyPatch) -> None:
    given, other = _settings(monkeypatch).cursor_key.get_secret_value(), "not base64url!"
    tenant, question, state = UUID(int=1), fingerprint({"query": "q"}), RankedRest((1,), (0.5,))
    sealed = CursorSealer(b"k" * 32).seal(tenant, question, state)
    assert CursorSealer.from_text(given).open(tenant, question, sealed) == state
    with pytest.raises(ValueError, match="the cursor key is not base64url"):
        CursorSealer.from_text(other)
