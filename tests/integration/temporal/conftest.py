"""The temporal suite does without an embedder: nothing about time depends on it."""

import pytest

from tests.conftest import CURSOR_KEY, Clock
from threengram.core.call import Core
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database


@pytest.fixture
def core(database: Database, clock: Clock) -> Core:
    return Core(database, None, CursorSealer(CURSOR_KEY), clock)
