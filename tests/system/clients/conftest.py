"""One running product for every client."""

from collections.abc import Iterator

import pytest

from tests.stack import RunningStack, data_directory, hashing, running_stack


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    with data_directory() as data_dir, running_stack(data_dir, *hashing()) as stack:
        yield stack
