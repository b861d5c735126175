"""What the command line reads from its environment, apart from the options that name a variable themselves."""

import os

NEUTRAL = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""Variables that hold no secret and that any program may need."""


def inherited(prefix: str) -> dict[str, str]:
    """The neutral variables and those of one service, such as `THREENGRAM_GATEWAY_CALLS_PER_MINUTE`."""
    environment = os.environ  # noqa: TID251 (this is a settings module)
    return {name: value for name, value in environment.items() if name in NEUTRAL or name.startswith(prefix)}


def api_key() -> str | None:
    """`THREENGRAM_API_KEY`, which no option names: arguments of a process can be seen by everybody on the machine."""
    return os.environ.get("THREENGRAM_API_KEY") or None  # noqa: TID251 (this is a settings module)
