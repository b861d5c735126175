"""Which models the embedder of a data directory serves: written down, so that the next start serves them too."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from threengram.cli.errors import CannotRun
from threengram.cli.files import write_private

STATIC_MODEL = "all-MiniLM-L6-v2-int8"
DYNAMIC_MODEL = "all-MiniLM-L6-v2-dynamic-int8"
DEFAULT_MODEL = DYNAMIC_MODEL
DIMENSIONS = 384
BUNDLED = (DYNAMIC_MODEL, STATIC_MODEL)


@dataclass(frozen=True)
class ServedModel:
    """A model by its name and width, and the declaration that the embedder gets; that may hold a key."""

    name: str
    dimensions: int
    declaration: Mapping[str, Any]


def bundled(name: str) -> ServedModel:
    """A model that comes with the embedder."""
    return ServedModel(name, DIMENSIONS, {"provider": "onnx", "name": name})


def hashing(dimensions: int) -> ServedModel:
    """Hashed n-grams of that width."""
    return ServedModel(f"hash-{dimensions}", dimensions, {"provider": "hash", "dimensions": dimensions})


def known(name: str) -> ServedModel | None:
    """A model that its name says everything about."""
    if name in BUNDLED:
        return bundled(name)
    width = name.removeprefix("hash-")
    return hashing(int(width)) if name.startswith("hash-") and width.isdecimal() else None


PROVIDERS = {"onnx": bundled(DEFAULT_MODEL), "hash": hashing(DIMENSIONS)}
"""The first model of a new data directory, by the choice of `--embedder`."""


class ServedModels:
    """The list in `file`, which only its owner can read; never empty once `begin` was called."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @property
    def exists(self) -> bool:
        """Whether anything is written down."""
        return self._file.exists()

    def all(self) -> list[ServedModel]:
        """The models in the order in which they were added."""
        try:
            return [ServedModel(**one) for one in json.loads(self._file.read_bytes())]
        except (ValueError, TypeError) as error:
            raise CannotRun(f"{self._file} is not a list of models") from error

    def begin(self, provider: str | None, *, active: str | None) -> None:
        """Write down the first model, or hold the choice against what is written.

        `active` is the model of the vectors that are there already; a data directory from before there was a list has
        those, whatever the default is by now.
        """
        if not self.exists:
            wanted = PROVIDERS[provider or "onnx"]
            found = wanted if active is None else known(active)
            if found is None:
                raise CannotRun(f"the database has vectors of {active}; add it with `threengram models add` elsewhere")
            self._write([found])
        if provider is not None and all(one.declaration["provider"] != provider for one in self.all()):
            names = ", ".join(one.name for one in self.all())
            raise CannotRun(
                f"--embedder {provider}: this data directory serves {names}; change it with `threengram models switch`"
            )

    def add(self, model: ServedModel) -> None:
        """Serve one more, or the same one by another declaration."""
        self._write([*(one for one in self.all() if one.name != model.name), model])

    def remove(self, name: str) -> None:
        """Serve it no longer."""
        self._write([one for one in self.all() if one.name != name])

    def replace(self, models: Sequence[ServedModel]) -> None:
        """Serve exactly these."""
        self._write(models)

    def setting(self) -> str:
        """The embedder's setting `MODELS`."""
        return json.dumps([one.declaration for one in self.all()])

    def _write(self, models: Sequence[ServedModel]) -> None:
        write_private(self._file, json.dumps([asdict(one) for one in models], indent=2).encode() + b"\n")
