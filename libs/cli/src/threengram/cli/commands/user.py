"""`threengram user`: who may log in to a running stack. A password never stands on a command line."""

import sys
from typing import Annotated, Any

import typer

from threengram.cli import control
from threengram.cli.commands.data_dir import DataDir, layout_of
from threengram.cli.errors import CannotRun

ANSWER_TIMEOUT_S = 30.0
MAX_LINE_BYTES = 4_096

app = typer.Typer(
    help="Users: create, invite, give a password, disable, suspend, enable, erase, list.", no_args_is_help=True
)
Email = Annotated[str, typer.Argument(metavar="EMAIL", help="Address of the user.")]
PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from the first line of the input.")
]


@app.command()
def create(email: Email, password_stdin: PasswordStdin = False, data_dir: DataDir = None) -> None:
    """Make a user with a tenant of its own; asks for the password twice."""
    _ask(data_dir, action="create", email=email, password=_password(password_stdin))
    typer.echo(f"created {email}")


@app.command()
def passwd(
    email: Email,
    password_stdin: PasswordStdin = False,
    revoke_access: Annotated[
        bool, typer.Option("--revoke-access", help="Also disconnect every app and revoke every key and token.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Set a user's password; whoever is logged in as this user is logged out."""
    password = _password(password_stdin)
    _ask(data_dir, action="passwd", email=email, password=password, revokeAccess=revoke_access)
    typer.echo(f"set the password of {email}")


@app.command()
def invite(email: Email, data_dir: DataDir = None) -> None:
    """Print a link, good for three days, by which a person chooses the password of a new account, or a new one."""
    typer.echo(_ask(data_dir, action="invite", email=email)["url"])


@app.command()
def disable(email: Email, data_dir: DataDir = None) -> None:
    """Shut an account at once: logins end, keys and tokens open nothing."""
    _ask(data_dir, action="disable", email=email)
    typer.echo(f"disabled {email}")


@app.command()
def suspend(email: Email, data_dir: DataDir = None) -> None:
    """Let nobody read or write in an account; its owner can still log in, to export or delete it."""
    _ask(data_dir, action="suspend", email=email)
    typer.echo(f"suspended {email}")


@app.command()
def enable(email: Email, data_dir: DataDir = None) -> None:
    """Open a disabled or suspended account again; keys and tokens work as before, logins have to be made anew."""
    _ask(data_dir, action="enable", email=email)
    typer.echo(f"enabled {email}")


@app.command()
def erase(
    email: Email,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Erase an account: nothing opens it from now on, and a job redacts every word in it. It can't be taken back."""
    if not yes:
        typer.confirm(f"Erase {email} and every memory of the account for good?", abort=True)
    run_id = _ask(data_dir, action="erase", email=email)["runId"]
    typer.echo(f"shut {email}; `threengram jobs show {run_id}` tells when the last word is gone")


@app.command("list")
def list_users(data_dir: DataDir = None) -> None:
    """One line a user, by address: id, status, address."""
    answer = _ask(data_dir, action="list")
    for user in answer["users"]:
        typer.echo(f"{user['id']}  {user['status']:<10}  {user['email']}")
    if answer["hasMore"]:
        typer.echo(f"there are more than these {len(answer['users'])}", err=True)


def _password(from_stdin: bool) -> str:
    if not from_stdin:
        password: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
        return password
    line = sys.stdin.buffer.readline(MAX_LINE_BYTES)
    try:
        return line.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        raise CannotRun("the password is not UTF-8") from None


def _ask(data_dir: DataDir, **request: Any) -> dict[str, Any]:
    request = {"command": "user", **request}
    return control.ask(layout_of(data_dir).control_socket, request, timeout_s=ANSWER_TIMEOUT_S)
