import asyncio
import json
import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers import free_port
from threengram.cli import control, leftovers, lock
from threengram.cli.account import Account, service_account
from threengram.cli.embedded_postgres import _reason
from threengram.cli.errors import CannotRun
from threengram.cli.layout import Layout
from threengram.cli.sockets import listen, require_free


@pytest.fixture
def root() -> Iterator[Path]:
    """A place for data directories that the service account can reach, which pytest's own is not for root."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_the_data_directory_is_closed_to_others_and_owned_by_the_service_account(root: Path) -> None:
    account = service_account()
    layout = Layout(root / "data")
    layout.create(account)
    status = layout.root.stat()
    assert status.st_mode & 0o777 == 0o700
    assert status.st_uid == (os.geteuid() if account is None else account.uid)
    assert layout.secrets.stat().st_uid == os.geteuid()
    layout.create(account)


def test_a_directory_out_of_reach_of_the_service_account_is_named(root: Path) -> None:
    closed = root / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(CannotRun, match=f"the account stranger can't pass {closed} on the way to {closed}/data"):
        Layout(closed / "data").require_reachable(Account("stranger", uid=54_321, gid=54_321))


def test_a_directory_of_another_user_is_refused_with_both_users(root: Path) -> None:
    (root / "data").mkdir()
    (root / "data" / "theirs").write_text("")
    stranger = Account("stranger", uid=54_321, gid=54_321)
    with pytest.raises(
        CannotRun, match=f"data belongs to user {os.geteuid()} and this run needs it to belong to 54321"
    ):
        Layout(root / "data").create(stranger)


@pytest.mark.parametrize("mode", [0o755, 0o700])
def test_an_empty_directory_of_the_caller_is_taken_like_a_new_one(root: Path, mode: int) -> None:
    directory = root / "mounted"
    directory.mkdir(mode=mode)
    account = service_account()
    Layout(directory).create(account)
    status = directory.stat()
    assert status.st_mode & 0o777 == 0o700
    assert status.st_uid == (os.geteuid() if account is None else account.uid)


def test_the_reason_of_a_failed_initdb_is_its_first_error() -> None:
    output = (
        "running bootstrap script ... \nFATAL:  could not extend file: No space left on device\nchild process exited"
    )
    assert _reason(output) == "FATAL:  could not extend file: No space left on device"
    assert _reason("initdb: removing data directory") == "initdb: removing data directory"


def test_a_data_directory_that_cannot_be_made_is_named(root: Path) -> None:
    (root / "file").write_text("")
    with pytest.raises(CannotRun, match=f"can't create {root}/file/data: Not a directory"):
        Layout(root / "file" / "data").create(None)


def test_a_path_that_is_too_long_for_a_socket_is_refused(root: Path) -> None:
    with pytest.raises(CannotRun, match="too long a path"):
        Layout(root / ("x" * 120)).create(None)


def test_a_second_instance_learns_who_holds_the_directory_and_how_to_stop_it(root: Path) -> None:
    path = root / "lock"
    assert lock.holder(path) is None
    with lock.exclusive(path):
        assert lock.holder(path) == os.getpid()
        expected = f"pid {os.getpid()} already runs on {root}; stop it with `threengram stop --data-dir {root}`"
        with pytest.raises(CannotRun, match=expected), lock.exclusive(path):
            pytest.fail("two instances hold the lock")
    assert lock.holder(path) is None
    with lock.exclusive(path):
        pass


def test_a_taken_port_is_named_with_its_purpose_its_holder_and_the_option() -> None:
    port = free_port()
    with socket.create_server(("127.0.0.1", port)):
        expected = rf"^port {port} \(gateway\) is taken by pid {os.getpid()} \(.+\); give another --port-base$"
        with pytest.raises(CannotRun, match=expected):
            listen(port, "gateway")
        with pytest.raises(CannotRun, match=rf"^port {port} \(PostgreSQL\) is taken"):
            require_free(port, "PostgreSQL")
    require_free(port, "PostgreSQL")


def test_processes_of_a_killed_supervisor_are_waited_for(root: Path) -> None:
    run_file = root / "run.json"
    run_file.write_text(json.dumps({"pids": {"gateway": [2**22 + 1], "api": 2**22 + 2}}))
    leftovers.await_end(run_file)
    assert not run_file.exists()
    leftovers.await_end(run_file)


@pytest.mark.anyio
async def test_the_control_socket_answers_its_owner_and_reports_refusals(root: Path) -> None:
    async def handle(request: dict[str, Any]) -> dict[str, Any]:
        if request["command"] == "status":
            return {"ok": True}
        raise CannotRun("no such thing")

    path = root / "control.sock"
    async with control.listening(path, handle):
        assert path.stat().st_mode & 0o777 == 0o600
        assert await asyncio.to_thread(control.ask, path, {"command": "status"}, timeout_s=5.0) == {"ok": True}
        with pytest.raises(CannotRun, match="no such thing"):
            await asyncio.to_thread(control.ask, path, {"command": "x"}, timeout_s=5.0)
    with pytest.raises(CannotRun, match="nothing runs on"):
        await asyncio.to_thread(control.ask, path, {"command": "status"}, timeout_s=5.0)
