"""`threengram import`: what an export holds, brought into an account."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group

from threengram.cli.errors import CannotRun
from threengram.cli.memory import text
from threengram.cli.memory.command import Found, uses_memory
from threengram.schema.imports import ImportCount, ImportReport
from threengram.sdk import Threengram


@uses_memory
def import_(
    memory: Threengram,
    file: Annotated[Path, typer.Argument(help="A file that `threengram export` or the account page wrote.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen, and change nothing.")] = False,
) -> Found:
    """Bring in an export. Nothing that is there is changed; a second time does nothing. Needs a key with `account`."""
    try:
        with file.open("rb") as lines:
            report = memory.import_account(lines, dry_run=dry_run)
    except OSError as error:
        raise CannotRun(f"{file} can't be read: {error.strerror}") from None
    return Found(report, _shown(report))


def _shown(report: ImportReport) -> Group:
    verb = "would be imported" if report.dry_run else "imported"
    shown = [text.line(text.said(count.record, "bold"), *_numbers(count, verb)) for count in report.counts]
    shown += [text.line(text.said(kind, "bold"), f"{count} left out") for kind, count in report.left_out.items()]
    shown += [
        text.line(f"line {skip.line}", skip.record, skip.reason, None if skip.other_id is None else str(skip.other_id))
        for skip in report.skips
    ]
    if not report.is_complete:
        shown.append(text.line(text.said("this file is not whole; take another export, and import that one too")))
    return Group(*shown)


def _numbers(count: ImportCount, verb: str) -> list[str]:
    numbers = ((count.imported, verb), (count.unchanged, "there already"), (count.skipped, "skipped"))
    return [f"{number} {what}" for number, what in numbers if number]
