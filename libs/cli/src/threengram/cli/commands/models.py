"""`threengram models`: generations of embeddings, and the change from one to another while everything goes on.

Works on a running stack through its control socket, or with `--database-url` on any database as its owner; there the
embedder is somebody else's to configure, and `--embedder-url` says where to ask for the model's width.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from threengram.cli import control, served
from threengram.cli.commands.data_dir import DataDir, layout_of
from threengram.cli.errors import CannotRun

if TYPE_CHECKING:
    from threengram.cli.generation_owner import GenerationOwner

ANSWER_TIMEOUT_S = 30.0
ROLL_TIMEOUT_S = 300.0

app = typer.Typer(help="Embedding models: add, switch, watch, retire.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(metavar="MODEL", help="Name of the model, as its vectors are filed.")]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        envvar="THREENGRAM_DATABASE_URL", help="Owner of the database, where no `threengram up` is to be asked."
    ),
]
EmbedderUrl = Annotated[
    str | None, typer.Option(help="With --database-url: an embedder that serves the model already.")
]
Directory = Annotated[Path | None, typer.Option(help="An ONNX sentence model in a directory.")]
Url = Annotated[str | None, typer.Option(help="OpenAI-compatible gateway, up to and including /v1.")]
ApiKeyFile = Annotated[Path | None, typer.Option(help="File with the gateway's key.")]
GatewayModel = Annotated[str | None, typer.Option("--model", help="What the gateway calls the model, if not so.")]
Dimensions = Annotated[int | None, typer.Option(min=1, help="Width of a gateway's vectors.")]
SendsDimensions = Annotated[bool, typer.Option("--send-dimensions", help="Ask the gateway for that width.")]
WindowChars = Annotated[int | None, typer.Option(min=200, help="Longest text for the gateway, in characters.")]
Metered = Annotated[bool, typer.Option("--metered", help="With --embedder-url: a call costs money.")]
Calibration = Annotated[Path | None, typer.Option(help="JSON as `python -m threengram.evals` fitted it.")]
Force = Annotated[
    list[str] | None,
    typer.Option(
        metavar="REASON", help="incomplete, unindexed or uncalibrated: switch in spite of it. May be repeated."
    ),
]


@app.command()
def add(
    name: Name,
    directory: Directory = None,
    url: Url = None,
    api_key_file: ApiKeyFile = None,
    model: GatewayModel = None,
    dimensions: Dimensions = None,
    send_dimensions: SendsDimensions = False,
    window_chars: WindowChars = None,
    database_url: DatabaseUrl = None,
    embedder_url: EmbedderUrl = None,
    metered: Metered = False,
    data_dir: DataDir = None,
) -> None:
    """Serve a model beside the active one and begin to fill it; may be repeated after an interruption."""
    declaration = _declaration(name, directory, url, api_key_file, model, dimensions, send_dimensions, window_chars)
    with _owner(data_dir, database_url) as owner:
        _add(owner, data_dir, database_url, embedder_url, name, declaration, is_metered=metered)


@app.command()
def switch(
    name: Name,
    directory: Directory = None,
    url: Url = None,
    api_key_file: ApiKeyFile = None,
    model: GatewayModel = None,
    dimensions: Dimensions = None,
    send_dimensions: SendsDimensions = False,
    window_chars: WindowChars = None,
    calibration: Calibration = None,
    force: Force = None,
    database_url: DatabaseUrl = None,
    embedder_url: EmbedderUrl = None,
    metered: Metered = False,
    data_dir: DataDir = None,
) -> None:
    """All of it: add, wait until it is filled, build its index, calibrate, activate. May be repeated at any time."""
    declaration = _declaration(name, directory, url, api_key_file, model, dimensions, send_dimensions, window_chars)
    with _owner(data_dir, database_url) as owner:
        owner.require_obstacles(force or [])
        name = _add(owner, data_dir, database_url, embedder_url, name, declaration, is_metered=metered)
        if calibration is not None:
            owner.calibrate(name, calibration.read_text())
        owner.await_filled(name, force or [])
        owner.build(name)
        owner.activate(name, force or [])


@app.command()
def status(database_url: DatabaseUrl = None, data_dir: DataDir = None) -> None:
    """Every generation: state, progress, rate, time left, index, calibration."""
    with _owner(data_dir, database_url) as owner:
        owner.show()


@app.command()
def index(name: Name, database_url: DatabaseUrl = None, data_dir: DataDir = None) -> None:
    """Build what is missing of a generation's index, partition by partition, while everything goes on."""
    with _owner(data_dir, database_url) as owner:
        owner.build(name)


@app.command()
def calibrate(
    name: Name,
    file: Annotated[Path, typer.Argument(help="JSON as `python -m threengram.evals` fitted it.")],
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Store what `confident` of a search weighs with a generation."""
    with _owner(data_dir, database_url) as owner:
        owner.calibrate(name, file.read_text())


@app.command()
def activate(name: Name, force: Force = None, database_url: DatabaseUrl = None, data_dir: DataDir = None) -> None:
    """Let a complete generation serve; the former one stays complete, so this switches back as well."""
    with _owner(data_dir, database_url) as owner:
        owner.activate(name, force or [])


@app.command()
def retire(name: Name, database_url: DatabaseUrl = None, data_dir: DataDir = None) -> None:
    """Stop keeping a generation, delete its vectors and index, and serve its model no longer."""
    with _owner(data_dir, database_url) as owner:
        owner.retire(name)
    if database_url is None:
        _ask(data_dir, ROLL_TIMEOUT_S, action="unserve", name=name)


def _add(
    owner: "GenerationOwner", data_dir: Path | None, database_url: str | None, embedder_url: str | None, name: str,
    declaration: dict[str, Any], *, is_metered: bool,
) -> str:  # fmt: skip
    if database_url is None:
        is_metered = declaration["provider"] == "openai"
        if owner.is_kept(name):
            return name
        typer.echo(f"serving {name}")
        found = _ask(data_dir, ROLL_TIMEOUT_S, action="serve", name=name, declaration=declaration)
        name, dimensions = found["name"], found["dimensions"]
    else:
        dimensions = owner.width(name, embedder_url, declared=declaration.get("dimensions"))
    owner.add(name, dimensions, is_metered=is_metered)
    return name


def _declaration(
    name: str, directory: Path | None, url: str | None, api_key_file: Path | None, model: str | None,
    dimensions: int | None, send_dimensions: bool, window_chars: int | None,
) -> dict[str, Any]:  # fmt: skip
    """What the embedder is told. A name that says everything needs no options."""
    known = served.known(name)
    if known is not None:
        return dict(known.declaration)
    if directory is not None:
        return {"provider": "onnx", "directory": str(directory.absolute())}
    declared: dict[str, Any] = {"provider": "openai", "name": name, "dimensions": dimensions}
    if dimensions is None:
        raise CannotRun(f"{name} is none of {', '.join(served.BUNDLED)}: give --directory, or --url and --dimensions")
    optional = {"url": url, "model": model, "window_chars": window_chars}
    if api_key_file is not None:
        optional["api_key"] = api_key_file.read_text().strip()
    declared |= {key: value for key, value in optional.items() if value is not None}
    return declared | ({"sends_dimensions": True} if send_dimensions else {})


@contextmanager
def _owner(data_dir: Path | None, database_url: str | None) -> "Iterator[GenerationOwner]":
    if database_url is None:
        database_url = _ask(data_dir, ANSWER_TIMEOUT_S, action="owner")["ownerUrl"]
    # Brings the database driver and the migrations.
    from threengram.cli.generation_owner import connected

    with connected(database_url) as owner:
        yield owner


def _ask(data_dir: Path | None, timeout_s: float, **request: Any) -> dict[str, Any]:
    return control.ask(layout_of(data_dir).control_socket, {"command": "models", **request}, timeout_s=timeout_s)
