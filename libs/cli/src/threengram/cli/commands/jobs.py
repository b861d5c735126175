"""`threengram jobs`: background work of a running stack, the dead letters among it."""

from typing import Annotated, Any

import typer

from threengram.cli import control
from threengram.cli.commands.data_dir import DataDir, layout_of

ANSWER_TIMEOUT_S = 30.0

app = typer.Typer(help="Background jobs: list, show, run, cancel, retry.", no_args_is_help=True)
RunId = Annotated[str, typer.Argument(metavar="ID", help="As `threengram jobs list` shows it.")]


@app.command("list")
def list_jobs(
    kind: Annotated[str | None, typer.Option(help="Only runs of this kind.")] = None,
    state: Annotated[
        list[str] | None, typer.Option(help="Only runs in this state; may be repeated. `failed` are the dead letters.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many at most.")] = 50,
    data_dir: DataDir = None,
) -> None:
    """One line a run, newest first: id, kind, state, attempts, when it is or was due, account, what went wrong."""
    for run in _ask(data_dir, action="list", kind=kind, states=state or [], limit=limit)["runs"]:
        attempts = f"{run['attempts']}/{run['maxAttempts']}"
        owner, error = run["tenantId"] or "-", run["errorClass"] or ""
        line = f"{run['id']}  {run['kind']:<12}  {run['state']:<9}  {attempts:<5}  {run['dueAt']}  {owner}  {error}"
        typer.echo(line.rstrip())


@app.command()
def show(run_id: RunId, data_dir: DataDir = None) -> None:
    """All that is on record about a run, one line a field."""
    for name, value in _ask(data_dir, action="show", id=run_id).items():
        shown = " ".join(f"{key}={count}" for key, count in value.items()) if isinstance(value, dict) else value
        typer.echo(f"{name:<14}  {'-' if shown in (None, '') else shown}")


@app.command()
def run(
    kind: Annotated[str, typer.Argument(help="What is to be done, such as `surface` or `purge`.")],
    user: Annotated[
        str | None, typer.Option(metavar="EMAIL", help="For this user's account only; for everybody if not given.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Put a run in line now; prints its id."""
    typer.echo(_ask(data_dir, action="run", kind=kind, email=user)["id"])


@app.command()
def cancel(run_id: RunId, data_dir: DataDir = None) -> None:
    """Cancel a run that waits; one that works ends within a third of its lease."""
    typer.echo(_ask(data_dir, action="cancel", id=run_id)["state"])


@app.command()
def retry(run_id: RunId, data_dir: DataDir = None) -> None:
    """Put a failed or cancelled run in line again, its attempts counted anew."""
    typer.echo(_ask(data_dir, action="retry", id=run_id)["state"])


def _ask(data_dir: DataDir, **request: Any) -> dict[str, Any]:
    request = {"command": "jobs", **request}
    return control.ask(layout_of(data_dir).control_socket, request, timeout_s=ANSWER_TIMEOUT_S)
