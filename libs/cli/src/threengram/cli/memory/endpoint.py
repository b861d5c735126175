"""Which memory a command uses, and with which key.

The address: `--base-url` or its variable, else the configuration file, else the stack that runs on the data directory.
The key: a file that the caller names, else `THREENGRAM_API_KEY`, else what belongs to the address in use. A key that
was written down with one address is never sent to another.
"""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import typer

from threengram.cli import run_file, settings
from threengram.cli.commands.data_dir import layout_of
from threengram.cli.errors import CannotRun

READABLE_BY_OTHERS = 0o077


@dataclass(frozen=True)
class Endpoint:
    """An address and the key that opens it, if one is known."""

    base_url: str
    api_key: str | None = field(repr=False)


def find(base_url: str | None, api_key_file: Path | None, data_dir: Path | None) -> tuple[str, str]:
    """Address and key. Raises `CannotRun` that says what is missing."""
    given = settings.api_key() if api_key_file is None else private(api_key_file)
    if base_url is not None and given is not None:
        return base_url, given
    known = (configured(configuration_file()), running(data_dir))
    found = next((one for one in known if one and (base_url is None or same(one.base_url, base_url))), None)
    if base_url is None and found is None:
        raise CannotRun(
            f"which memory? Nothing runs on this machine; give --base-url, or write {configuration_file()}"
            ' with base_url = "https://…" and api_key = "3ng_…"'
        )
    address = base_url or (found.base_url if found else "")
    key = given or (found.api_key if found else None)
    if key is None:
        raise CannotRun(f"no key for {address}; set THREENGRAM_API_KEY, or give --api-key-file")
    return address, key


def configuration_file() -> Path:
    """`~/.config/threengram/config.toml`, or where this system keeps such files."""
    return Path(typer.get_app_dir("threengram")) / "config.toml"


def configured(file: Path) -> Endpoint | None:
    """What the file says; None when there is none."""
    if not file.exists():
        return None
    try:
        content = tomllib.loads(private(file))
    except tomllib.TOMLDecodeError:
        raise CannotRun(f"{file} is not TOML") from None
    base_url, api_key = content.get("base_url"), content.get("api_key")
    if not isinstance(base_url, str) or not isinstance(api_key, str | None) or content.keys() - {"base_url", "api_key"}:
        raise CannotRun(f"{file} has to hold base_url and api_key, both text, and nothing else")
    return Endpoint(base_url, api_key)


def running(data_dir: Path | None) -> Endpoint | None:
    """The stack that runs on the data directory; None when there is none, or none of ours."""
    file = layout_of(data_dir).run_file
    try:
        if not file.exists():
            return None
    except PermissionError:
        return None
    record = run_file.read(file)
    return Endpoint(record.api_url, record.api_key)


def private(file: Path) -> str:
    """The text in a file that only its owner can read. Raises `CannotRun`."""
    try:
        if file.stat().st_mode & READABLE_BY_OTHERS:
            raise CannotRun(f"{file} holds a key and others can read it; run `chmod 600 {file}`")
        return file.read_text().strip()
    except OSError as error:
        raise CannotRun(f"can't read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CannotRun(f"{file} is not UTF-8") from None


def same(one: str, other: str) -> bool:
    """Whether two addresses are written alike but for a slash at the end."""
    return one.rstrip("/") == other.rstrip("/")
