"""URLs of OAuth clients: those that name a metadata document, and those a browser is sent back to.

Both are identities as well as addresses, so they are compared byte for byte and never normalised. One parser decides
what host, port and target a URL has; nothing after it looks at the text again.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Annotated, Final
from urllib.parse import unquote_to_bytes

from pydantic import AfterValidator

MAX_URL_CHARS = 2048

_HTTPS_PORT: Final = 443
# RFC 3986, section 2: reserved and unreserved characters and the percent sign.
_URL_CHARACTERS: Final = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+", re.ASCII)
_WEB_URL: Final = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?P<query>\?[^#]*)?")
_AUTHORITY: Final = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._\-]+)(?::(?P<port>[0-9]{1,5}))?", re.ASCII)
_LABEL: Final = re.compile(r"[a-z0-9](?:[a-z0-9\-]{0,61}[a-z0-9])?", re.ASCII)
_MAX_HOST_CHARS: Final = 253
# What parsers of browsers take for (part of) an IPv4 address: decimal, octal or hexadecimal.
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_APP_URL: Final = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.\-]*)://[A-Za-z0-9._\-]+(?:/[A-Za-z0-9\-._~:/?\[\]!$&'()*+,;=%]*)?", re.ASCII
)
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})", re.ASCII)
_SEPARATORS: Final = re.compile(r"[/\\]")
_LOOPBACK_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


class InvalidUrl(ValueError):
    """A URL breaks a rule; the message names the rule and never the URL."""


@dataclass(frozen=True, slots=True)
class DocumentUrl:
    """Where a metadata document is. `host` is lower case and has no brackets; `target` is path and query as written."""

    text: str
    host: str
    port: int
    target: str
    is_address: bool

    @property
    def authority(self) -> str:
        """The value of the `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _HTTPS_PORT else f"{host}:{self.port}"


def parse_document_url(text: str) -> DocumentUrl:
    """The parts of a client identifier URL, or of where it redirects to. Raises `InvalidUrl`.

    https only; no user, fragment or dot segments, neither plain nor percent-encoded; a path beyond `/`. Hosts are
    addresses in canonical form or names of letters, digits and hyphens.
    """
    parts = _split(text)
    if parts["scheme"] != "https":
        raise InvalidUrl("The URL must have the https scheme")
    _check_path(parts["path"])
    host, port = _host_and_port(parts["authority"])
    address = _address(host)
    if address is None:
        _check_name(host)
    return DocumentUrl(
        text=text,
        host=host if address is None else str(address),
        port=_HTTPS_PORT if port is None else port,
        target=parts["path"] + (parts["query"] or ""),
        is_address=address is not None,
    )


def check_redirect_uri(text: str) -> str:
    """`text`, when it may be registered as a redirect URI. Raises `InvalidUrl`.

    https with any host, or http on a loopback host (RFC 8252, section 7.3); no user and no fragment.
    """
    parts = _split(text)
    host, _port = _host_and_port(parts["authority"])
    if parts["scheme"] == "http" and host not in _LOOPBACK_HOSTS:
        raise InvalidUrl("A redirect URI has the https scheme, or http on a loopback host")
    return text


def check_app_redirect_uri(text: str, schemes: Collection[str]) -> str:
    """`text`, when it leads back into an app by one of the private-use `schemes` (RFC 8252, section 7.1).

    Raises `InvalidUrl`. It has a host, no user and no fragment; only its exact spelling will match.
    """
    match = _APP_URL.fullmatch(text)
    if len(text) > MAX_URL_CHARS or match is None or match["scheme"] not in schemes:
        raise InvalidUrl("A redirect URI of an app has one of the schemes that are allowed here, and a host")
    return text


def matches_redirect_uri(registered: str, presented: str) -> bool:
    """Whether a redirect URI is the registered one: byte for byte, or a loopback URI that differs in its port only.

    A native client takes whatever port is free, and may have registered none (RFC 8252, section 7.3). The three
    loopback hosts never match each other.
    """
    if registered == presented:
        return True
    loopback = _loopback_target(registered)
    return loopback is not None and loopback == _loopback_target(presented)


def is_loopback(uri: str) -> bool:
    """Whether a redirect URI leads to the machine of whoever follows it."""
    return _loopback_target(uri) is not None


def check_link(text: str) -> str:
    """`text`, when it is an https URL that a page may link to. Raises `InvalidUrl`."""
    parts = _split(text)
    _host_and_port(parts["authority"])
    if parts["scheme"] != "https":
        raise InvalidUrl("The URL must have the https scheme")
    return text


RedirectUri = Annotated[str, AfterValidator(check_redirect_uri)]


def _loopback_target(text: str) -> tuple[str, str, str | None] | None:
    """Host, path and query of an http URI on a loopback host; None for any other."""
    try:
        parts = _split(text)
        host, _port = _host_and_port(parts["authority"])
    except InvalidUrl:
        return None
    if parts["scheme"] != "http" or host not in _LOOPBACK_HOSTS:
        return None
    return host, parts["path"], parts["query"]


def _split(text: str) -> dict[str, str]:
    if len(text) > MAX_URL_CHARS:
        raise InvalidUrl(f"The URL must have at most {MAX_URL_CHARS} characters")
    if _URL_CHARACTERS.fullmatch(text) is None:
        raise InvalidUrl("The URL must have only characters that a URI may have")
    if "#" in text:
        raise InvalidUrl("The URL must have no fragment")
    match = _WEB_URL.fullmatch(text)
    if match is None:
        raise InvalidUrl("The URL must be an absolute https URL")
    return match.groupdict()


def _host_and_port(authority: str) -> tuple[str, int | None]:
    """The host in lower case, with brackets if it has them, and the port if one is written."""
    if "@" in authority:
        raise InvalidUrl("The URL must name no user")
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        raise InvalidUrl("The URL must name a host, and a port only as a number")
    port = None if match["port"] is None else int(match["port"])
    if port is not None and not 1 <= port <= 65535:
        raise InvalidUrl("The port must be between 1 and 65535")
    return match["host"].lower(), port


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """The address that the host is, None for a name. Other spellings of an address than the usual are refused."""
    try:
        if host.startswith("["):
            return IPv6Address(host[1:-1])
        if _NUMBER.fullmatch(host.rpartition(".")[2]) is not None:
            return IPv4Address(host)
    except AddressValueError:
        raise InvalidUrl("The host must be a name or an address in canonical form") from None
    return None


def _check_name(host: str) -> None:
    if len(host) > _MAX_HOST_CHARS or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise InvalidUrl("The host must be a name of letters, digits and hyphens")


def _check_path(path: str) -> None:
    if path in {"", "/"}:
        raise InvalidUrl("The URL must have a path")
    if _BAD_ESCAPE.search(path) is not None:
        raise InvalidUrl("The path must be percent-encoded UTF-8")
    for segment in path.split("/"):
        try:
            decoded = unquote_to_bytes(segment).decode()
        except UnicodeDecodeError:
            raise InvalidUrl("The path must be percent-encoded UTF-8") from None
        if not {".", ".."}.isdisjoint(_SEPARATORS.split(decoded)):
            raise InvalidUrl("The path must have no dot segments")
