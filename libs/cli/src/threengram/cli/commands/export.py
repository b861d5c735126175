"""`threengram export`: everything that an account holds, taken along in a file."""

from pathlib import Path
from typing import Annotated

import typer

from threengram.cli.errors import CannotRun
from threengram.cli.files import replaced_privately
from threengram.cli.memory import text
from threengram.cli.memory.command import Found, uses_memory
from threengram.schema.export import ExportEnds
from threengram.sdk import Threengram
from threengram.sdk.records import record_of


@uses_memory
def export(
    memory: Threengram, file: Annotated[Path, typer.Argument(help="A new file; only you will be able to read it.")]
) -> Found:
    """Write everything that the account holds, one JSON record a line. Needs a key with the scope `account`."""
    if file.exists() or not file.parent.is_dir():
        raise CannotRun(f"{file} has to be a new file in a directory that is there")
    last = b""
    with replaced_privately(file) as lines:
        for line in memory.stream(Threengram.export.operation.request()):
            lines.write(line + b"\n")
            last = line
        end = record_of(last) if last else None
        if not isinstance(end, ExportEnds):
            raise CannotRun("the export was cut off; try again", exit_code=1)
    return Found(end, text.line(text.said(str(file)), f"{sum(end.counts.values())} records"))
