"""How a password gets into `threengram user`: typed twice without an echo, or by the first line of the input."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from threengram.cli.commands import user

PASSWORD = "correct horse battery staple"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the supervisor is asked."""
    requests: list[dict[str, Any]] = []

    def ask(_path: Path, request: dict[str, Any], **_options: float) -> dict[str, Any]:
        requests.append(request)
        return {"id": "1"}

    monkeypatch.setattr("threengram.cli.control.ask", ask)
    return requests


def test_a_password_is_typed_twice_and_not_shown(asked: list[dict[str, Any]]) -> None:
    ran = CliRunner().invoke(
        user.app, ["create", "me@example.test"], input=f"{PASSWORD}\nother\n{PASSWORD}\n{PASSWORD}\n"
    )
    assert ran.exit_code == 0
    assert "do not match" in ran.output
    assert PASSWORD not in ran.output
    assert asked == [{"command": "user", "action": "create", "email": "me@example.test", "password": PASSWORD}]


@pytest.mark.parametrize("end", ["\n", "\r\n", "", "\nsecond line\n"])
def test_a_password_is_the_first_line_of_the_input(asked: list[dict[str, Any]], end: str) -> None:
    ran = CliRunner().invoke(user.app, ["passwd", "me@example.test", "--password-stdin"], input=f" {PASSWORD} {end}")
    assert ran.exit_code == 0
    assert (asked[0]["password"], asked[0]["revokeAccess"]) == (f" {PASSWORD} ", False)


def test_no_option_takes_a_password(asked: list[dict[str, Any]]) -> None:
    for arguments in (["create", "me@example.test", PASSWORD], ["passwd", "me@example.test", f"--password={PASSWORD}"]):
        assert CliRunner().invoke(user.app, arguments, input="").exit_code == 2
    assert asked == []
