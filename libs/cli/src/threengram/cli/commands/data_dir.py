"""The option that every command shares."""

from pathlib import Path
from typing import Annotated

import typer

from threengram.cli.layout import Layout, default_data_directory

DataDir = Annotated[
    Path | None,
    typer.Option(
        envvar="THREENGRAM_DATA_DIR",
        help="Where everything is kept; /var/lib/threengram for root, else ~/.local/share/threengram.",
        show_default=False,
    ),
]


def layout_of(data_dir: Path | None) -> Layout:
    """The paths in the directory that was given, or in the default one."""
    return Layout((data_dir or default_data_directory()).absolute())
