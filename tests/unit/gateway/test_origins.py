"""Web origins and their one spelling."""

import pytest

from threengram.gateway.http.origins import allowlist, normalised


@pytest.mark.parametrize(
    ("origin", "spelling"),
    [
        ("https://App.Example", "https://app.example"),
        ("https://app.example:443", "https://app.example"),
        ("http://app.example:80/", "http://app.example"),
        ("http://127.0.0.1:8301", "http://127.0.0.1:8301"),
        ("http://[::1]:8301", "http://[::1]:8301"),
        (" https://app.example ", "https://app.example"),
        ("null", None),
        ("", None),
        ("https://", None),
        ("https://app.example/path", None),
        ("https://app.example?x", None),
        ("https://user@app.example", None),
        ("https://app.example:port", None),
        ("https://app.example:99999", None),
        ("chrome-extension://abc", None),
        ("app.example", None),
    ],
)
def test_an_origin_has_one_spelling_or_none(origin: str, spelling: str | None) -> None:
    assert normalised(origin) == spelling


def test_the_list_leaves_out_what_is_not_set() -> None:
    assert allowlist([None, "https://a.example:443", "https://b.example"]) == {"https://a.example", "https://b.example"}


def test_a_setting_that_could_never_match_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="an allowed origin must be"):
        allowlist(["https://a.example/path"])
