"""What an operator may say about the authorization server."""

import pytest
from pydantic import ValidationError

from tests.people import SIGNING_KEY
from threengram.api.settings import Settings

REQUIRED = {
    "database_url": "postgresql://u@h/d",
    "redis_url": "redis://h",
    "cursor_key": "k" * 43,
    "signing_key": SIGNING_KEY.as_pem(private=True).decode(),
}


def test_schemes_of_apps_are_a_list_in_one_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THREENGRAM_API_REDIRECT_SCHEMES", "Cursor, my-app,")
    assert Settings.model_validate(REQUIRED).redirect_schemes == ("cursor", "my-app")


@pytest.mark.parametrize("scheme", ["javascript", "https", "data", "FILE"])
def test_a_scheme_of_the_web_or_of_a_script_is_no_apps(scheme: str) -> None:
    with pytest.raises(ValidationError, match="no app's"):
        Settings.model_validate({**REQUIRED, "redirect_schemes": f"cursor,{scheme}"})


def test_how_many_tokens_a_client_may_ask_for_is_a_setting() -> None:
    settings = Settings.model_validate({**REQUIRED, "token_calls_per_client": 7, "token_calls_per_address": 8})
    assert (settings.rules().token_client.calls, settings.rules().token_address.calls) == (7, 8)
