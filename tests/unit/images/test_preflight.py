"""Secrets of a Compose installation: which are refused, and that good ones are made."""

import io

from dotenv import dotenv_values

from images.preflight import complaints, generate

GENERATED = generate()


def good(text: str = GENERATED) -> dict[str, str]:
    """Secrets as Compose reads them from an environment file."""
    return {name: value or "" for name, value in dotenv_values(stream=io.StringIO(text)).items()}


def test_generated_secrets_are_accepted_and_never_the_same() -> None:
    assert complaints(good()) == []
    assert not set(good().values()) & set(good(generate()).values())


def test_nothing_given_is_refused_name_by_name() -> None:
    assert complaints({}) == [
        "POSTGRES_PASSWORD is empty",
        "OWNER_PASSWORD is empty",
        "RUNTIME_PASSWORD is empty",
        "VALKEY_PASSWORD is empty",
        "CURSOR_KEY is empty",
        "SIGNING_KEY is empty",
    ]


def refusal(value: str) -> list[str]:
    """What is said of an owner's password."""
    return [line.removeprefix("OWNER_PASSWORD ") for line in complaints({**good(), "OWNER_PASSWORD": value})]


def test_a_weak_password_is_refused_for_its_weakness_and_not_shown() -> None:
    weak = {
        "Change-Me-19f3a7c2e4b6d8": "is or holds a word that everybody tries",
        "x9f3a7c2e4b6d8": "is shorter than 20 characters",
        "abababababababababababab": "has fewer than 10 different characters",
        "x9f3a7c2e4b6d8/x9f3a7c2e4b6d8": "has characters other than letters, digits, - and _",
    }
    assert {value: refusal(value) for value in weak} == {value: [reason] for value, reason in weak.items()}


def test_one_secret_for_two_things_is_refused() -> None:
    given = good()
    assert complaints({**given, "OWNER_PASSWORD": given["RUNTIME_PASSWORD"]}) == ["two secrets are the same"]


def test_a_signing_key_that_is_not_pem_is_refused() -> None:
    assert complaints({**good(), "SIGNING_KEY": "MIIEvQ"}) == ["SIGNING_KEY is no private key in PEM form"]
