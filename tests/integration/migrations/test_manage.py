"""Keys, users and tokens of an installation without `threengram up`, by the commands of the migrations' image."""

import io
from uuid import uuid4

import psycopg
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from threengram.migrations import manage

PUBLIC_URL, ISSUER_URL = "https://memory.example.org", "https://id.example.org"


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch, owner_url: str, database_url: str) -> RSAKey:
    """A key of this installation, in the environment with all that `manage` reads."""
    made = RSAKey.generate_key(2048, auto_kid=True)
    monkeypatch.setenv("THREENGRAM_MANAGE_OWNER_URL", owner_url)
    monkeypatch.setenv("THREENGRAM_MANAGE_DATABASE_URL", database_url)
    monkeypatch.setenv("THREENGRAM_MANAGE_SIGNING_KEY", made.as_pem(private=True).decode())
    monkeypatch.setenv("THREENGRAM_MANAGE_PUBLIC_URL", PUBLIC_URL)
    monkeypatch.setenv("THREENGRAM_MANAGE_ISSUER_URL", ISSUER_URL)
    return made


def test_a_key_beside_an_active_one_is_announced_before_it_signs(
    key: RSAKey, owner_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [manage.main(["publish-key"]), manage.main(["publish-key"])] == [0, 0]
    assert capsys.readouterr().out == "published 1 keys\npublished 0 keys\n"
    with psycopg.connect(owner_url) as owner:
        row = owner.execute("SELECT state, public_jwk FROM signing_keys WHERE kid = %s", (key.thumbprint(),)).fetchone()
        owner.execute("DELETE FROM signing_keys WHERE kid = %s", (key.thumbprint(),))
    assert row is not None
    assert row[0] == "next"
    assert {"n", "e"} <= row[1].keys()
    assert "d" not in row[1]


def test_a_user_who_was_made_gets_a_token_for_the_gateway(
    key: RSAKey, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    email = f"{uuid4().hex}@example.org"
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse battery staple\n"))
    assert manage.main(["user", email]) == 0
    assert manage.main(["token", email]) == 0
    printed = capsys.readouterr().out.splitlines()
    claims = jwt.decode(printed[-1], key, algorithms=["RS256"]).claims
    assert (claims["aud"], claims["iss"]) == (f"{PUBLIC_URL}/mcp", ISSUER_URL)


@pytest.mark.usefixtures("key")
def test_a_token_for_nobody_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert manage.main(["token", "nobody@example.org"]) == 1
    assert capsys.readouterr() == ("", "manage: there is no such user; make one with `user EMAIL`\n")


@pytest.mark.usefixtures("key")
def test_a_weak_password_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("abc\n"))
    assert manage.main(["user", f"{uuid4().hex}@example.org"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("manage: ")
    assert "abc" not in said
