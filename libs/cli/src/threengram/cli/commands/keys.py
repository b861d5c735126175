"""`threengram keys`: API keys of a running stack's users, and the key that signs access tokens."""

from typing import Annotated, Any

import typer

from threengram.cli import control
from threengram.cli.commands.data_dir import DataDir, layout_of
from threengram.cli.grant import FIRST_USER, TOKEN_SCOPES

ANSWER_TIMEOUT_S = 30.0
ROTATION_TIMEOUT_S = 300.0

app = typer.Typer(help="API keys for REST: create, list, revoke; the signing key: rotate.", no_args_is_help=True)
User = Annotated[str, typer.Option(metavar="EMAIL", help="Whose keys they are.")]


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="What the key is for.")],
    user: User = FIRST_USER,
    scope: Annotated[
        list[str] | None, typer.Option(help=f"May be repeated; {' and '.join(TOKEN_SCOPES)} if not given.")
    ] = None,
    expires_in_s: Annotated[
        int | None, typer.Option(min=1, help="Seconds until the key expires; never if not given.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Print a new key, and nothing else. It is shown this once."""
    scopes = scope or list(TOKEN_SCOPES)
    made = _ask(data_dir, action="create", email=user, name=name, scopes=scopes, lifetimeS=expires_in_s)
    typer.echo(made["key"])


@app.command("list")
def list_keys(user: User = FIRST_USER, data_dir: DataDir = None) -> None:
    """One line a key, newest first: id, prefix, state, last use, scopes, name. Its text is not known any more."""
    for key in _ask(data_dir, action="list", email=user)["keys"]:
        state = "live" if key["isLive"] else "revoked" if key["revokedAt"] else "expired"
        used = key["lastUsedAt"] or "never used"
        typer.echo(f"{key['id']}  {key['prefix']}  {state:<7}  {used:<27}  {','.join(key['scopes'])}  {key['name']}")


@app.command()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="As `threengram keys list` shows it.")],
    user: User = FIRST_USER,
    data_dir: DataDir = None,
) -> None:
    """Withdraw a key at once."""
    _ask(data_dir, action="revoke", email=user, id=key_id)
    typer.echo(f"revoked {key_id}")


@app.command("rotate-signing")
def rotate_signing(data_dir: DataDir = None) -> None:
    """Replace the key that signs access tokens. What the old one has signed stays good until it expires."""
    request = {"command": "rotate-signing-key"}
    control.ask(layout_of(data_dir).control_socket, request, timeout_s=ROTATION_TIMEOUT_S)
    typer.echo("rotated the signing key")


def _ask(data_dir: DataDir, **request: Any) -> dict[str, Any]:
    request = {"command": "keys", **request}
    return control.ask(layout_of(data_dir).control_socket, request, timeout_s=ANSWER_TIMEOUT_S)
