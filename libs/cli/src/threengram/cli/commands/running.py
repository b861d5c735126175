"""`threengram status`, `restart` and `stop`: what to ask of a running `threengram up`."""

import time
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from threengram.cli import control, lock, run_file
from threengram.cli.commands.data_dir import DataDir, layout_of
from threengram.cli.errors import CannotRun

ANSWER_TIMEOUT_S = 10.0
RESTART_TIMEOUT_S = 300.0
STOP_TIMEOUT_S = 120.0
POLL_S = 0.1


def status(data_dir: DataDir = None) -> None:
    """Show the processes and addresses, and what one lacks that is not ready; exit code 1 if there is one."""
    layout = layout_of(data_dir)
    programs = control.ask(layout.control_socket, {"command": "status"}, timeout_s=ANSWER_TIMEOUT_S)["programs"]
    table = Table("program", "pid", "ready", "generation", box=None)
    for program in programs:
        pid = str(program["pid"] or "-")
        table.add_row(program["name"], pid, "yes" if program["isReady"] else "no", str(program["generation"]))
    console = Console()
    console.print(table)
    if layout.run_file.exists():
        record = run_file.read(layout.run_file)
        console.print(f"MCP {record.mcp_url}\nREST {record.api_url}", highlight=False, soft_wrap=True)
    for program in programs:
        if program.get("whyNot") is not None:
            console.print(f"{program['name']} is not ready: {program['whyNot']}", highlight=False, soft_wrap=True)
    if not all(program["isReady"] for program in programs):
        raise typer.Exit(1)


def restart(
    service: Annotated[str, typer.Argument(help="gateway, api, embedder, worker, beat or cimd")],
    data_dir: DataDir = None,
) -> None:
    """Replace the processes of a service, one by one, without refusing a connection."""
    request = {"command": "restart", "service": service}
    reply = control.ask(layout_of(data_dir).control_socket, request, timeout_s=RESTART_TIMEOUT_S)
    Console().print(f"restarted {', '.join(reply['restarted'])}", highlight=False)


def stop(data_dir: DataDir = None) -> None:
    """Stop everything and wait until it has ended."""
    layout = layout_of(data_dir)
    control.ask(layout.control_socket, {"command": "stop"}, timeout_s=ANSWER_TIMEOUT_S)
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while (pid := lock.holder(layout.lock)) is not None:
        if time.monotonic() > deadline:
            raise CannotRun(f"pid {pid} has not ended within {STOP_TIMEOUT_S:g} s", exit_code=1)
        time.sleep(POLL_S)
