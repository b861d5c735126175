"""How long a shared cache may use a response, by RFC 9111. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

_DIRECTIVE: Final = re.compile(
    r"""([!#$%&'*+\-.^_`|~0-9A-Za-z]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?""", re.ASCII
)
_SECONDS: Final = re.compile(r"[0-9]+", re.ASCII)
# RFC 9111, section 1.2.2: larger values mean this one.
_MAX_SECONDS: Final = 2**31
_NEVER_STORED: Final = frozenset({"no-store", "private"})
# RFC 9111, section 4.2.4; `s-maxage` implies `proxy-revalidate`.
_NEVER_STALE: Final = frozenset({"no-cache", "must-revalidate", "proxy-revalidate", "s-maxage"})


@dataclass(frozen=True, slots=True)
class Freshness:
    """`ttl_s` is 0 when each use needs a new response; `may_serve_stale` is about the time of an outage."""

    ttl_s: int
    may_serve_stale: bool

    def and_then(self, other: "Freshness") -> "Freshness":
        """Of two responses that were needed both."""
        return Freshness(min(self.ttl_s, other.ttl_s), self.may_serve_stale and other.may_serve_stale)


def freshness(headers: Mapping[str, str], now: datetime, *, default_ttl_s: int, max_ttl_s: int) -> Freshness:
    """What a response's headers allow; field lines of one name are joined by commas.

    `s-maxage` before `max-age` before `Expires`, less `Age`. A response that says nothing gets the default; one whose
    lifetime can't be read is stale.
    """
    directives = _directives(headers.get("cache-control", ""))
    if not _NEVER_STORED.isdisjoint(directives) or "*" in headers.get("vary", ""):
        return Freshness(0, may_serve_stale=False)
    may_serve_stale = _NEVER_STALE.isdisjoint(directives)
    if "no-cache" in directives:
        return Freshness(0, may_serve_stale)
    lifetime_s = _lifetime_s(directives, headers, now)
    if lifetime_s is None:
        return Freshness(min(default_ttl_s, max_ttl_s), may_serve_stale)
    left_s = lifetime_s - (_seconds(headers["age"]) if "age" in headers else 0)
    return Freshness(max(0, min(left_s, max_ttl_s)), may_serve_stale)


def _directives(value: str) -> dict[str, int]:
    """Directives in lower case with their seconds; of a repeated one the shortest counts, of an unreadable one 0."""
    found: dict[str, int] = {}
    for name, quoted, token in _DIRECTIVE.findall(value):
        seconds = _seconds(quoted or token)
        key = name.lower()
        found[key] = min(seconds, found.get(key, seconds))
    return found


def _seconds(text: str) -> int:
    """Delta-seconds; 0 for anything else. A longer number than any lifetime isn't converted at all."""
    if _SECONDS.fullmatch(text.strip()) is None:
        return 0
    digits = text.strip().lstrip("0")
    return _MAX_SECONDS if len(digits) > 10 else min(int(digits or "0"), _MAX_SECONDS)


def _lifetime_s(directives: Mapping[str, int], headers: Mapping[str, str], now: datetime) -> int | None:
    for name in ("s-maxage", "max-age"):
        if name in directives:
            return directives[name]
    if "expires" not in headers:
        return None
    expires = _date(headers["expires"])
    if expires is None:
        return 0
    return int((expires - (_date(headers.get("date", "")) or now)).total_seconds())


def _date(text: str) -> datetime | None:
    try:
        parsed = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed
