"""Files that hold secrets: readable by their owner only, and whole or absent."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def write_private(path: Path, content: bytes) -> None:
    """Replace `path` in one step by a file of mode 0600."""
    with replaced_privately(path) as file:
        file.write(content)


@contextmanager
def replaced_privately(path: Path) -> Iterator[BinaryIO]:
    """A file of mode 0600 to write, which takes the place of `path` in one step if the block succeeds."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    staging = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        staging.replace(path)
    except BaseException:
        staging.unlink(missing_ok=True)
        raise
