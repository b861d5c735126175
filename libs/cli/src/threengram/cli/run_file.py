"""What a running stack says about itself: `<data-dir>/run.json`, and the file given by `--ready-file`."""

import json
from dataclasses import dataclass
from pathlib import Path

from threengram.cli.errors import CannotRun
from threengram.cli.files import write_private


@dataclass(frozen=True)
class RunRecord:
    """`email` is that of the first user, whose password stands in `password_file` unless it was changed.

    `admin_urls` and `pids` are by service; a service with replicas has a list.
    """

    api_url: str
    mcp_url: str
    email: str
    password_file: str | None
    token: str
    api_key: str
    admin_urls: dict[str, str | list[str]]
    pids: dict[str, int | list[int]]
    data_dir: str

    def write(self, path: Path) -> None:
        """Replace the file in one step; only its owner can read it, since it holds a token and a key."""
        content = {
            "apiUrl": self.api_url,
            "mcpUrl": self.mcp_url,
            "email": self.email,
            "passwordFile": self.password_file,
            "token": self.token,
            "apiKey": self.api_key,
            "adminUrls": self.admin_urls,
            "pids": self.pids,
            "dataDir": self.data_dir,
        }
        write_private(path, json.dumps(content, indent=2).encode() + b"\n")


def read(path: Path) -> RunRecord:
    """The record of the stack that runs on a data directory."""
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise CannotRun(
            f"nothing is ready on {path.parent}; start it with `threengram up`, or say by --data-dir where it runs"
        ) from None
    except (PermissionError, NotADirectoryError) as error:
        raise CannotRun(f"can't read {path}: {error.strerror}") from error
    return RunRecord(
        api_url=content["apiUrl"],
        mcp_url=content["mcpUrl"],
        email=content["email"],
        password_file=content["passwordFile"],
        token=content["token"],
        api_key=content["apiKey"],
        admin_urls=content["adminUrls"],
        pids=content["pids"],
        data_dir=content["dataDir"],
    )
