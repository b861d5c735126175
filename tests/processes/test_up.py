"""`threengram up` from outside: the whole product as processes."""

import concurrent.futures
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from tests.contract.web.stack import token_in
from tests.stack import RunningStack, data_directory, hashing, running_stack, started, threengram
from tests.waiting import wait_until
from threengram.cli.free_ports import claim_range

WAIT_S = 60.0
SERVICES = {"gateway", "api", "embedder", "cimd", "worker", "beat"}


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    with data_directory() as directory:
        yield directory


@pytest.fixture(scope="module")
def stack(data_dir: Path) -> Iterator[RunningStack]:
    with running_stack(data_dir, *hashing("--replicas=gateway=2")) as stack:
        yield stack


def initialize(mcp_url: str, token: str | None) -> int:
    """The status of the first request that a client sends."""
    return rpc(
        mcp_url,
        token,
        "initialize",
        {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "system-test", "version": "1"},
        },
    ).status_code


def rpc(mcp_url: str, token: str | None, method: str, params: dict[str, Any]) -> httpx2.Response:
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return httpx2.post(mcp_url, json=body, headers=headers, timeout=WAIT_S, trust_env=False)


def call(mcp_url: str, token: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The structured content of a tool call that succeeds."""
    answer = rpc(mcp_url, token, "tools/call", {"name": tool, "arguments": arguments}).json()
    content: dict[str, Any] = answer["result"]["structuredContent"]
    return content


def pids_of(stack: RunningStack) -> set[int]:
    values = stack.record["pids"].values()
    return {pid for value in values for pid in (value if isinstance(value, list) else [value])}


def is_ready(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/readyz", timeout=WAIT_S, trust_env=False).status_code == 200
    except httpx2.TransportError:
        return False


def test_the_ready_file_tells_where_everything_is(stack: RunningStack, data_dir: Path) -> None:
    record = stack.record
    assert set(record["adminUrls"]) == SERVICES
    assert set(record["pids"]) == SERVICES | {"supervisor", "postgres", "valkey"}
    urls = [url for value in record["adminUrls"].values() for url in (value if isinstance(value, list) else [value])]
    assert len(urls) == len(SERVICES) + 1
    assert all(is_ready(url) for url in urls)
    assert record["dataDir"] == str(data_dir)
    assert stack.ready_file.stat().st_mode & 0o777 == 0o600
    assert (data_dir / "run.json").read_bytes() == stack.ready_file.read_bytes()


def test_the_printed_token_opens_the_mcp_server_and_nothing_else_does(stack: RunningStack) -> None:
    record = stack.record
    assert initialize(record["mcpUrl"], record["token"]) == 200
    assert initialize(record["mcpUrl"], None) == 401
    assert initialize(record["mcpUrl"], record["token"][:-4] + "AAAA") == 401


def test_every_process_has_its_own_environment_and_no_password_on_its_command_line(stack: RunningStack) -> None:
    secrets = (Path(stack.record["dataDir"]) / "secrets" / "secrets.json").read_text()
    values = re.findall(r'": "([^"]+)"', secrets)
    assert len(values) == 5
    for pid in pids_of(stack):
        line = " ".join(psutil.Process(pid).cmdline())
        assert not any(value in line for value in values)
    embedder = psutil.Process(stack.record["pids"]["embedder"])
    assert not any(value in " ".join(embedder.environ().values()) for value in values)


def test_the_log_holds_no_secret_but_the_token_that_is_shown_on_purpose(stack: RunningStack) -> None:
    secrets = re.findall(r'": "([^"]+)"', (stack.data_dir / "secrets" / "secrets.json").read_text())
    shown = stack.log.read_text()
    assert not any(value in shown for value in secrets)
    assert '"mcpServers"' in shown
    assert f"Bearer {stack.record['token']}" in shown


def test_status_lists_every_program_as_ready(stack: RunningStack, data_dir: Path) -> None:
    status = threengram("status", f"--data-dir={data_dir}")
    assert status.returncode == 0
    rows = [line.split() for line in status.stdout.splitlines()[1:]]
    ready = {row[0] for row in rows if len(row) == 4 and row[2] == "yes"}
    assert ready == SERVICES | {"gateway.1", "postgres", "valkey"}
    assert stack.record["mcpUrl"] in status.stdout


def test_the_memory_is_used_from_the_command_line_without_configuration(stack: RunningStack, data_dir: Path) -> None:
    written = threengram("remember", "The shed is green.", "--topic=Shed", f"--data-dir={data_dir}")
    assert written.returncode == 0, written.stderr
    found = threengram("search", "colour of the shed", "--json", f"--data-dir={data_dir}")
    assert json.loads(found.stdout)["hits"][0]["id"] == written.stdout.split()[0]


def test_a_token_is_minted_for_an_existing_user_or_a_new_one_on_request(stack: RunningStack, data_dir: Path) -> None:
    mine = threengram("token", f"--data-dir={data_dir}").stdout.strip()
    assert initialize(stack.record["mcpUrl"], mine) == 200
    refused = threengram("token", "--user=bob@localhost", f"--data-dir={data_dir}")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "give --create to make one" in refused.stderr
    bobs = threengram("token", "--user=bob@localhost", "--create", f"--data-dir={data_dir}").stdout.strip()
    assert initialize(stack.record["mcpUrl"], bobs) == 200


def log_in(api_url: str, email: str, password: str) -> bool:
    """Whether the login page of the service lets this person in."""
    with httpx2.Client(base_url=api_url, timeout=WAIT_S, trust_env=False) as browser:
        form = {"csrf_token": token_in(browser.get("/login")), "email": email, "password": password}
        status = browser.post("/login", data=form).status_code
        assert status in (303, 401)
        return status == 303 and browser.get("/account").status_code == 200


def test_the_first_user_logs_in_with_the_password_that_the_box_points_to(stack: RunningStack) -> None:
    record = stack.record
    password = Path(record["passwordFile"]).read_text().strip()
    assert log_in(record["apiUrl"], record["email"], password)
    shown = stack.log.read_text()
    assert f"{record['apiUrl']}/login as {record['email']}" in shown
    assert record["passwordFile"] in shown
    assert password not in shown


def test_users_are_made_shut_and_listed_from_the_command_line(stack: RunningStack, data_dir: Path) -> None:
    def user(*arguments: str, typed: str | None = None) -> subprocess.CompletedProcess[str]:
        return threengram("user", *arguments, f"--data-dir={data_dir}", typed=typed)

    email, second = "second@example.test", "the second password"
    assert user("create", email, "--password-stdin", typed="the first password\n").returncode == 0
    assert user("passwd", email, "--password-stdin", typed=f"{second}\n").returncode == 0
    assert log_in(stack.record["apiUrl"], email, second)
    assert user("disable", email).returncode == 0
    assert not log_in(stack.record["apiUrl"], email, second)
    listed = [line.split()[1:] for line in user("list").stdout.splitlines()]
    assert ["suspended", email] in listed
    assert ["active", "me@localhost"] in listed


def test_a_token_with_an_unknown_scope_is_refused(stack: RunningStack) -> None:
    refused = threengram("token", "--scope=everything", f"--data-dir={stack.data_dir}")
    assert refused.returncode == 1
    assert refused.stderr == "threengram: --scope: there are memory:read, memory:write, account\n"


def test_an_erased_user_is_shut_out_at_once(stack: RunningStack, data_dir: Path) -> None:
    email = "leaving@example.test"
    minted = threengram("token", f"--user={email}", "--create", f"--data-dir={data_dir}")

    def search() -> int:
        arguments = {"name": "search", "arguments": {"query": "anything"}}
        return rpc(stack.record["mcpUrl"], minted.stdout.strip(), "tools/call", arguments).status_code

    assert search() == 200
    erased = threengram("user", "erase", email, "--yes", f"--data-dir={data_dir}")
    assert erased.returncode == 0, erased.stderr
    assert search() == 401
    run_id = erased.stdout.split("jobs show ")[1].split("`")[0]
    assert run_id in threengram("jobs", "list", "--kind=erase", f"--data-dir={data_dir}").stdout


def test_a_second_instance_on_the_data_directory_is_refused_in_one_line(stack: RunningStack, data_dir: Path) -> None:
    second = threengram("up", f"--data-dir={data_dir}", *hashing())
    assert (second.returncode, second.stdout) == (2, "")
    pid = stack.record["pids"]["supervisor"]
    assert second.stderr.startswith(f"threengram: pid {pid} already runs on {data_dir}; stop it with")
    assert len(second.stderr.splitlines()) == 1


def test_a_taken_port_is_refused_in_one_line_that_names_its_holder(stack: RunningStack) -> None:
    with data_directory() as other:
        second = threengram("up", f"--data-dir={other}", f"--port-base={stack.port_base}", *hashing())
    assert second.returncode == 2
    lines = second.stderr.splitlines()
    assert len(lines) == 1
    assert re.fullmatch(r"threengram: port \d+ \(.+\) is taken by pid \d+ \(.+\); give another --port-base", lines[0])


def test_a_rolling_restart_loses_no_request(stack: RunningStack, data_dir: Path) -> None:
    record = stack.record
    restarting = True

    def ask_on() -> list[int]:
        statuses = []
        while restarting:
            statuses.append(initialize(record["mcpUrl"], record["token"]))
        return statuses

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        asking = [pool.submit(ask_on) for _ in range(2)]
        restarted = threengram("restart", "gateway", f"--data-dir={data_dir}", timeout_s=120)
        restarting = False
    assert restarted.stdout == "restarted gateway, gateway.1\n"
    statuses = [status for answers in asking for status in answers.result()]
    assert statuses
    assert set(statuses) == {200}
    after = stack.record
    assert not set(after["pids"]["gateway"]) & set(record["pids"]["gateway"])
    assert all(is_ready(url) for url in after["adminUrls"]["gateway"])


def test_a_killed_service_comes_back_and_the_ready_file_says_so(stack: RunningStack) -> None:
    before = stack.record["pids"]["cimd"]
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: stack.record["pids"].get("cimd", before) != before)
    wait_until(lambda: is_ready(stack.record["adminUrls"]["cimd"]))
    assert "cimd was ended by signal 9; starting it again in 0.2 s" in stack.log.read_text()


def test_a_second_start_finds_the_same_memories_and_accepts_the_same_token() -> None:
    with data_directory() as data_dir:
        with running_stack(data_dir, *hashing()) as first:
            token, base = first.record["token"], first.port_base
            memory = {"memoryType": "decision", "topic": "Broker", "content": "Rows are the queue."}
            remembered = call(first.record["mcpUrl"], token, "remember", memory)
            pids = pids_of(first)
            stopped = threengram("stop", f"--data-dir={data_dir}")
            assert (stopped.returncode, stopped.stderr) == (0, "")
            assert first.process.wait(WAIT_S) == 0
            assert not first.ready_file.exists()
            assert not any(psutil.pid_exists(pid) for pid in pids)
        with running_stack(data_dir, *hashing(), port_base=base) as second:
            identifier = remembered["memory"]["id"]
            found = call(second.record["mcpUrl"], token, "get_memories", {"ids": [identifier]})
            assert [memory["id"] for memory in found["memories"]] == [identifier]


def test_nothing_outlives_a_killed_supervisor_and_the_next_start_recovers() -> None:
    with data_directory() as data_dir:
        with running_stack(data_dir, *hashing()) as first:
            children = pids_of(first) - {first.process.pid}
            first.process.kill()
            wait_until(lambda: not any(_is_alive(pid) for pid in children))
            base = first.port_base
        with running_stack(data_dir, *hashing(), port_base=base) as second:
            assert initialize(second.record["mcpUrl"], second.record["token"]) == 200


def test_a_request_to_stop_during_the_start_ends_everything_at_once() -> None:
    with data_directory() as data_dir:
        arguments = ("up", f"--data-dir={data_dir}", f"--port-base={claim_range()}", *hashing())
        with started(*arguments) as process:
            wait_until(lambda: (data_dir / "postgres" / "postmaster.pid").exists())
            children = psutil.Process(process.pid).children(recursive=True)
            process.terminate()
            assert process.wait(WAIT_S) == 0
            assert not any(child.is_running() for child in children)
        assert not (data_dir / "run.json").exists()


def _is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def test_the_signing_key_is_replaced_and_tokens_of_both_keys_are_good(stack: RunningStack) -> None:
    def key_ids() -> list[str]:
        keys = httpx2.get(f"{stack.record['apiUrl']}/jwks", timeout=WAIT_S, trust_env=False).json()["keys"]
        return [key["kid"] for key in keys]

    before = key_ids()
    rotated = threengram("keys", "rotate-signing", f"--data-dir={stack.data_dir}", timeout_s=WAIT_S)
    assert (rotated.returncode, rotated.stderr) == (0, "")
    new = threengram("token", f"--data-dir={stack.data_dir}").stdout.strip()
    assert len(before) == 1
    assert len(key_ids()) == 2
    assert set(before) < set(key_ids())
    for _ in range(4):
        statuses = {initialize(stack.record["mcpUrl"], token) for token in (new, stack.record["token"])}
        assert statuses == {200}
