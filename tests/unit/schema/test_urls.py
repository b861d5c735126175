"""URLs of clients."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threengram.schema.urls import (
    InvalidUrl,
    check_app_redirect_uri,
    check_redirect_uri,
    is_loopback,
    matches_redirect_uri,
    parse_document_url,
)

BASE = "https://app.example"

REFUSED = {
    "http": "http://app.example/c",
    "upper-case scheme": "HTTPS://app.example/c",
    "other scheme": "ftp://app.example/c",
    "no scheme": "//app.example/c",
    "no authority": "https:/c",
    "empty host": "https:///c",
    "empty": "",
    "no path": BASE,
    "root path": BASE + "/",
    "root path with a query": BASE + "/?a=1",
    "fragment": BASE + "/c#f",
    "empty fragment": BASE + "/c#",
    "user": "https://user@app.example/c",
    "user and password": "https://user:pass@app.example/c",
    "another host as user": "https://app.example@10.0.0.1/c",
    "backslash before a user": "https://app.example\\@evil.example/c",
    "backslash as separator": "https://app.example\\.evil.example/c",
    "dot segment": BASE + "/a/./c",
    "parent segment": BASE + "/a/../c",
    "encoded parent segment": BASE + "/a/%2e%2E/c",
    "encoded slash around a parent segment": BASE + "/a/x%2f..%2fc",
    "encoded backslash before a parent segment": BASE + "/a/x%5c../c",
    "bad escape": BASE + "/%zz",
    "cut escape": BASE + "/c%2",
    "escape that is no UTF-8": BASE + "/%ff",
    "space": BASE + "/a c",
    "tab": BASE + "/a\tc",
    "line feed": BASE + "/c\n",
    "quote": BASE + '/"c"',
    "not ASCII": "https://bücher.example/c",
    "port 0": BASE + ":0/c",
    "large port": BASE + ":65536/c",
    "empty port": BASE + ":/c",
    "signed port": BASE + ":+443/c",
    "port in other digits": BASE + ":४/c",
    "trailing dot": "https://app.example./c",
    "empty label": "https://app..example/c",
    "percent-encoded host": "https://%61pp.example/c",
    "underscore": "https://my_app.example/c",
    "decimal address": "https://2130706433/c",
    "short address": "https://127.1/c",
    "octal address": "https://0177.0.0.1/c",
    "hexadecimal address": "https://0x7f.0.0.1/c",
    "hexadecimal number": "https://0x7f000001/c",
    "name that ends in a number": "https://app.example.1/c",
    "bad IPv6 address": "https://[::g]/c",
    "IPv6 address with a zone": "https://[fe80::1%25eth0]/c",
    "long": BASE + "/" + "c" * 2048,
    "long label": f"https://{'a' * 64}.example/c",
    "long name": f"https://{'a.' * 127}example/c",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_a_url_that_may_not_name_a_document_is_refused_without_quoting_it(text: str) -> None:
    with pytest.raises(InvalidUrl) as refused:
        parse_document_url(text)
    assert "example" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "host", "port", "target", "authority"),
    [
        (BASE + "/client.json", "app.example", 443, "/client.json", "app.example"),
        ("https://App.Example:8443/C?a=/../", "app.example", 8443, "/C?a=/../", "app.example:8443"),
        (BASE + ":443/%7Euser/@c", "app.example", 443, "/%7Euser/@c", "app.example"),
        ("https://xn--bcher-kva.example/...", "xn--bcher-kva.example", 443, "/...", "xn--bcher-kva.example"),
        ("https://1.1.1.1/c", "1.1.1.1", 443, "/c", "1.1.1.1"),
        ("https://[2606:4700:0::1111]:444/c", "2606:4700::1111", 444, "/c", "[2606:4700::1111]:444"),
    ],
)
def test_a_document_url_has_one_reading(text: str, host: str, port: int, target: str, authority: str) -> None:
    url = parse_document_url(text)
    assert (url.text, url.host, url.port, url.target, url.authority) == (text, host, port, target, authority)


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x7F), max_size=80))
def test_whatever_follows_the_host_never_changes_it(rest: str) -> None:
    try:
        url = parse_document_url(f"https://app.example/{rest}")
    except InvalidUrl:
        return
    assert (url.host, url.port, url.target) == ("app.example", 443, f"/{rest}")


@pytest.mark.parametrize(
    "uri",
    [
        "https://claude.ai/api/mcp/auth_callback",
        "https://app.example",
        "https://app.example:8443/cb?x=1",
        "http://localhost/callback",
        "http://localhost:3000",
        "http://127.0.0.1/callback",
        "http://[::1]:33418/",
    ],
)
def test_a_redirect_uri_is_https_or_loopback(uri: str) -> None:
    assert check_redirect_uri(uri) == uri


@pytest.mark.parametrize(
    "uri",
    [
        "http://app.example/cb",
        "http://localhost.evil.example/cb",
        "http://127.0.0.2/cb",
        "http://user@localhost/cb",
        "https://user:pass@app.example/cb",
        "https://app.example/cb#f",
        "https://app.example/a b",
        "https://app.example/<script>",
        "https://app.example/{x}",
        "https:///cb",
        "https://app.example:99999/cb",
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "javascript:alert(1)",
        "https://app.example/" + "a" * 2048,
        "",
    ],
)
def test_any_other_redirect_uri_is_refused(uri: str) -> None:
    with pytest.raises(InvalidUrl):
        check_redirect_uri(uri)


@pytest.mark.parametrize(
    "presented", ["http://[::1]/cb?a=%20", "http://[::1]:1/cb?a=%20", "http://[::1]:65535/cb?a=%20"]
)
def test_a_loopback_redirect_matches_on_any_port(presented: str) -> None:
    assert matches_redirect_uri("http://[::1]:33418/cb?a=%20", presented)
    assert is_loopback(presented)


@pytest.mark.parametrize(
    ("registered", "presented"),
    [
        ("http://[::1]:33418/cb", "http://127.0.0.1:33418/cb"),
        ("http://localhost/cb", "http://localhost:0/cb"),
        ("http://localhost/cb", "http://localhost:80/cb/"),
        ("http://localhost/cb", "http://localhost:80\\@evil.example/cb"),
        ("http://localhost", "http://localhost/"),
        ("https://app.example/cb", "https://app.example:8443/cb"),
        ("https://localhost/cb", "https://localhost:1/cb"),
        ("cursor://host/cb", "cursor://host:1/cb"),
    ],
)
def test_nothing_else_about_a_redirect_uri_may_differ(registered: str, presented: str) -> None:
    assert not matches_redirect_uri(registered, presented)


def test_an_app_is_reached_by_an_allowed_scheme_with_a_host() -> None:
    allowed = {"cursor"}
    assert check_app_redirect_uri("cursor://anysphere.cursor-mcp/oauth/callback?x=1", allowed)
    refused = (
        "other://host/cb cursor:/cb cursor://user@host/cb cursor://host/cb#x CURSOR://host/cb cursor: cursor://h/<x>"
    )
    for uri in refused.split():
        with pytest.raises(InvalidUrl):
            check_app_redirect_uri(uri, allowed)
