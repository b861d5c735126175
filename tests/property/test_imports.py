"""Whatever can have happened to an account, on whatever clocks: its export brings it into another one, once."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import HealthCheck, given, settings

from tests.conftest import CURSOR_KEY
from tests.integration.core.exporting import exported
from tests.integration.core.importing import comparable, contents, imported, outcomes
from tests.people import a_person
from tests.property.model import Model
from tests.property.test_histories import HISTORIES, START, Operation, World
from tests.settings import PropertySettings
from threengram.core.call import Core
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database


@settings(
    max_examples=PropertySettings().test_property_examples // 4,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=HISTORIES)
async def test_every_history_ends_in_an_account_that_can_be_imported_once(
    database: Database, history: list[Operation]
) -> None:
    person, other = await a_person(database, now=START), await a_person(database, now=START)
    world = World(Core(database, None, CursorSealer(CURSOR_KEY), lambda: world.now), person, Model(), START)
    for operation in history:
        await world.apply(operation)
    records = await exported(world.core, person)
    later = replace(world.core, clock=lambda: world.now + timedelta(days=30))
    assert (await imported(later, other, records)).skips == []
    assert comparable(await exported(later, other)) == comparable(records)
    before = await contents(later, other)
    again = await imported(later, other, records)
    assert await contents(later, other) == before
    assert sum(new + skipped for new, _, skipped in outcomes(again).values()) == 0
