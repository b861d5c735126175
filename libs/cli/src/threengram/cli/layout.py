"""Where everything lies in the data directory."""

import os
from dataclasses import dataclass
from pathlib import Path

from threengram.cli.account import Account, first_unreachable, own
from threengram.cli.errors import CannotRun

ROOTS_DATA_DIRECTORY = Path("/var/lib/threengram")
LONGEST_SOCKET_PATH_BYTES = 107  # sun_path of unix(7), without its terminating NUL


def default_data_directory() -> Path:
    """`/var/lib/threengram` for root, else `~/.local/share/threengram`."""
    return ROOTS_DATA_DIRECTORY if os.geteuid() == 0 else Path.home() / ".local" / "share" / "threengram"


@dataclass(frozen=True)
class Layout:
    """The paths inside one data directory."""

    root: Path

    @property
    def lock(self) -> Path:
        """Held by the one `threengram up` that runs here."""
        return self.root / "lock"

    @property
    def secrets(self) -> Path:
        """Passwords and keys; the caller's own, not the service account's."""
        return self.root / "secrets"

    @property
    def api_key(self) -> Path:
        """The API key of the first user, which every start finds again."""
        return self.secrets / "api-key"

    @property
    def password(self) -> Path:
        """The password that the first user was given, until another one is set."""
        return self.secrets / "password"

    @property
    def models(self) -> Path:
        """Which models the embedder serves; a declaration may hold a key."""
        return self.secrets / "models.json"

    @property
    def postgres(self) -> Path:
        """The PostgreSQL cluster."""
        return self.root / "postgres"

    @property
    def valkey(self) -> Path:
        """The working directory of Valkey, which keeps nothing."""
        return self.root / "valkey"

    @property
    def binaries(self) -> Path:
        """Copies of server programs that are out of the service account's reach."""
        return self.root / "binaries"

    @property
    def work(self) -> Path:
        """The working directory of the services."""
        return self.root / "work"

    @property
    def run_file(self) -> Path:
        """What is running now: addresses, process ids and a token; see `run_file`."""
        return self.root / "run.json"

    @property
    def control_socket(self) -> Path:
        """Where the supervisor listens to other commands."""
        return self.root / "control.sock"

    def create(self, account: Account | None) -> None:
        """Make the directories, owned by `account`; says in one line what stands in the way."""
        if len(os.fsencode(self.control_socket)) > LONGEST_SOCKET_PATH_BYTES:
            raise CannotRun(
                f"the data directory {self.root} has too long a path for a socket; give a shorter --data-dir"
            )
        for directory in (self.root, self.valkey, self.work):
            self._create(directory, account)
        self._create(self.secrets, None)
        self.require_reachable(account)

    def require_reachable(self, account: Account | None) -> None:
        """Name the directory above the data directory that `account` can't pass."""
        blocked_at = first_unreachable([self.root.parent], account)
        if blocked_at is not None and account is not None:
            raise CannotRun(
                f"the account {account.name} can't pass {blocked_at} on the way to {self.root}; "
                "give a --data-dir that other users can reach, such as /var/lib/threengram"
            )

    def _create(self, directory: Path, account: Account | None) -> None:
        try:
            if not directory.exists() or _is_ours_and_empty(directory):
                directory.mkdir(parents=True, exist_ok=True)
                directory.chmod(0o700)
                own(directory, account)
        except OSError as error:
            raise CannotRun(f"can't create {directory}: {error.strerror}; give another --data-dir") from error
        owner = os.geteuid() if account is None else account.uid
        if directory.exists() and directory.stat().st_uid != owner:
            raise CannotRun(
                f"{directory} belongs to user {directory.stat().st_uid} and this run needs it to belong to {owner}; "
                "start as the user who made it, or give another --data-dir"
            )
        if not directory.is_dir() or not os.access(directory, os.W_OK | os.X_OK):
            raise CannotRun(f"the data directory {directory} is not writable; give another --data-dir")


def _is_ours_and_empty(directory: Path) -> bool:
    """Whether a directory that is there may be had like a new one: made ahead, or a volume that was just mounted."""
    return directory.is_dir() and directory.stat().st_uid == os.geteuid() and not any(directory.iterdir())
