"""A Docker engine: the one that answers, or one started for the session. Without either, these tests fail."""

from collections.abc import Iterator

import pytest

from images.engine import Docker, engine


@pytest.fixture(scope="session")
def docker() -> Iterator[Docker]:
    with engine() as answering:
        yield answering
