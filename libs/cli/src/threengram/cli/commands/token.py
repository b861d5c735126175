"""`threengram token`: access tokens of a running stack."""

from typing import Annotated

import typer

from threengram.cli import control
from threengram.cli.commands.data_dir import DataDir, layout_of
from threengram.cli.grant import FIRST_USER, TOKEN_LIFETIME, TOKEN_SCOPES

ANSWER_TIMEOUT_S = 30.0


def token(
    user: Annotated[str, typer.Option(metavar="EMAIL", help="Whose token it is.")] = FIRST_USER,
    scope: Annotated[
        list[str] | None, typer.Option(help=f"May be repeated; {' and '.join(TOKEN_SCOPES)} if not given.")
    ] = None,
    expires_in_s: Annotated[int, typer.Option(min=1, help="Seconds until the token expires.")] = int(
        TOKEN_LIFETIME.total_seconds()
    ),
    create: Annotated[
        bool, typer.Option("--create", help="Make the user, with a tenant of its own, if missing.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Print a new access token for the MCP server, and nothing else."""
    request = {
        "command": "token",
        "email": user,
        "scopes": scope or [],
        "lifetimeS": expires_in_s,
        "create": create,
    }
    reply = control.ask(layout_of(data_dir).control_socket, request, timeout_s=ANSWER_TIMEOUT_S)
    typer.echo(reply["token"])
