"""What a page lets its forms lead to."""

import pytest

from threengram.api.pages import form_source, render


@pytest.mark.parametrize(
    ("url", "source"),
    [
        ("https://claude.ai/api/mcp/auth_callback", "https://claude.ai"),
        ("http://127.0.0.1:33418/callback?a=b", "http://127.0.0.1:33418"),
        ("http://localhost/callback", "http://localhost"),
        ("http://[::1]:33418/callback", "http:"),
        ("cursor://anysphere.cursor-mcp/oauth/callback", "cursor:"),
    ],
)
def test_a_redirect_is_admitted_by_its_origin_or_scheme(url: str, source: str) -> None:
    assert form_source(url) == source


def test_only_the_page_that_needs_it_names_another_target() -> None:
    context = {"title": "t", "detail": "d"}
    plain, wide = render("error.html", context), render("error.html", context, form_action=["https://claude.ai"])
    assert "form-action 'self';" in plain.headers["content-security-policy"]
    assert "form-action 'self' https://claude.ai;" in wide.headers["content-security-policy"]
