"""`threengram up`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from threengram.cli.commands.data_dir import DataDir, layout_of
from threengram.cli.options import UpOptions, parse_replicas


class EmbedderProvider(StrEnum):
    """Where vectors come from."""

    ONNX = "onnx"
    HASH = "hash"


def up(
    data_dir: DataDir = None,
    port_base: Annotated[int, typer.Option(help="Gateway port; the others follow from it.")] = 8300,
    embedder: Annotated[
        EmbedderProvider | None,
        typer.Option(help="First model of a new data directory: the bundled one (default), or hashes for tests."),
    ] = None,
    database_url: Annotated[
        str | None,
        typer.Option(
            envvar="THREENGRAM_DATABASE_URL", help="Owner of a database to use instead of the embedded PostgreSQL."
        ),
    ] = None,
    redis_url: Annotated[
        str | None,
        typer.Option(envvar="THREENGRAM_REDIS_URL", help="Redis or Valkey to use instead of the embedded one."),
    ] = None,
    replicas: Annotated[
        list[str] | None, typer.Option(metavar="SERVICE=N", help="Several processes on one socket; may be repeated.")
    ] = None,
    ready_file: Annotated[
        Path | None, typer.Option(help="Written when everything is ready, removed at the end; holds a token.")
    ] = None,
    otlp_endpoint: Annotated[str | None, typer.Option(help="Base URL of an OTLP/HTTP collector for traces.")] = None,
    backup_dir: Annotated[
        Path | None,
        typer.Option(envvar="THREENGRAM_BACKUP_DIR", help="Archive the embedded PostgreSQL here, for `backup`."),
    ] = None,
    no_color: Annotated[bool, typer.Option("--no-color", envvar="NO_COLOR", help="Write without colours.")] = False,
) -> None:
    """Run everything on this machine, in the foreground, until Ctrl-C."""
    # Brings SQLAlchemy and the database driver, which no other command should wait for.
    from threengram.cli import up as life

    options = UpOptions(
        data_dir=layout_of(data_dir).root,
        port_base=port_base,
        embedder=None if embedder is None else embedder.value,
        database_url=database_url,
        redis_url=redis_url,
        replicas=parse_replicas(replicas or []),
        ready_file=None if ready_file is None else ready_file.absolute(),
        otlp_endpoint=otlp_endpoint,
        backup_dir=None if backup_dir is None else backup_dir.absolute(),
    )
    life.run(options, Console(no_color=no_color or None))
