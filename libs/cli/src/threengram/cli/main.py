"""The console script `threengram`."""

import sys
from typing import Any

import typer

from threengram.cli.commands import (
    backup,
    demo,
    export,
    import_,
    jobs,
    keys,
    models,
    proposals,
    read,
    running,
    scopes,
    token,
    up,
    user,
    write,
)
from threengram.cli.errors import CannotRun


class Application(typer.Typer):
    """Ends with one line instead of a traceback when a command can't run."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line."""
        try:
            return super().__call__(*args, **kwargs)
        except CannotRun as error:
            sys.stderr.write(f"threengram: {error}\n")
            raise SystemExit(error.exit_code) from None


app = Application(
    help="Long-term, typed memory for AI agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("up")(up.up)
app.command("demo")(demo.demo)
app.command("status")(running.status)
app.command("restart")(running.restart)
app.command("stop")(running.stop)
app.command("token")(token.token)
for name, command in {
    "remember": write.remember, "search": read.search, "list": read.list_memories, "show": read.show,
    "history": read.history, "facts": read.facts, "briefing": read.briefing, "handoff": read.handoff,
    "revise": write.revise, "resolve": write.resolve, "archive": write.archive, "unarchive": write.unarchive,
    "export": export.export, "import": import_.import_,
}.items():  # fmt: skip
    app.command(name, rich_help_panel="A memory")(command)
app.add_typer(scopes.app, name="scopes", rich_help_panel="A memory")
app.add_typer(proposals.app, name="proposals", rich_help_panel="A memory")
app.add_typer(keys.app, name="keys")
app.add_typer(models.app, name="models")
app.add_typer(user.app, name="user")
app.add_typer(backup.app, name="backup")
app.add_typer(jobs.app, name="jobs")
