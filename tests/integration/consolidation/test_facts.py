"""Facts that consolidation finds in prose: proposed, deduplicated, and written by review only."""

from tests.integration.consolidation.consolidating import claims, run, start_over, write_all
from tests.integration.core.proposing import accept, listed, reject
from tests.integration.core.writing import rows, values, write
from tests.people import Person
from threengram.core.call import Core
from threengram.schema.enums import EventKind


async def test_a_measured_claim_is_proposed_and_is_no_fact_before_review(core: Core, alice: Person) -> None:
    await write_all(core, alice, "The pool is 25 m long.", topic="pool")
    await write_all(core, alice, "The gym membership costs $39 per month.", topic="gym")
    await run(core, alice)
    assert await claims(core, alice) == [("gym membership", "costs_USD_per_month", "39"), ("pool", "long_m", "25")]
    assert await values(core, alice) == []


async def test_what_is_accepted_is_written_with_an_event_and_ends_the_generation_before(
    core: Core, alice: Person
) -> None:
    for price in ("39", "45"):
        (memory,) = await write_all(core, alice, f"The gym costs {price} EUR per month.", topic="gym")
        await run(core, alice)
        (proposal,) = (await listed(core, alice)).fact_proposals or []
        assert (proposal.memory_id, proposal.value) == (memory, price)
        await accept(core, alice, proposal.id)
        kinds = await rows(core, alice, "SELECT event_kind FROM memory_events WHERE memory_id = %(id)s", id=memory)
        assert {"event_kind": EventKind.ADD_FACT} in kinds
    assert await values(core, alice) == ["45"]
    series = await rows(core, alice, "SELECT value, valid_to IS NULL AS is_open FROM facts ORDER BY valid_from")
    assert [(row["value"], row["is_open"]) for row in series] == [("39", False), ("45", True)]


async def test_a_rejected_claim_is_not_proposed_again_not_even_for_another_memory(core: Core, alice: Person) -> None:
    await write_all(core, alice, "The gym costs 39 EUR per month.", topic="gym")
    await run(core, alice)
    (proposal,) = (await listed(core, alice)).fact_proposals or []
    await reject(core, alice, proposal.id)
    await write_all(core, alice, "By the way: the gym costs 39 EUR per month.", topic="the gym")
    await start_over(core, alice)
    assert (await run(core, alice)).claims == 0


async def test_what_is_an_open_fact_already_is_not_proposed(core: Core, alice: Person) -> None:
    stated = {"subject": "gym", "predicate": "costs_EUR_per_month", "value": "39"}
    await write(core, alice, content="see the receipt", facts=[stated])
    await write_all(core, alice, "The gym costs 39 EUR per month.", topic="gym")
    assert (await run(core, alice)).claims == 0


async def test_a_memory_that_states_the_value_itself_is_not_second_guessed(core: Core, alice: Person) -> None:
    stated = {"subject": "fitness.gym", "predicate": "price_eur", "value": "39"}
    await write(core, alice, memory_type="fact", content="The gym costs 39 EUR per month.", facts=[stated])
    assert (await run(core, alice)).claims == 0


async def test_only_types_that_say_what_is_so_are_read(core: Core, alice: Person) -> None:
    for memory_type in ("note", "event", "commitment", "blocker", "pattern"):
        await write_all(core, alice, "The gym costs 39 EUR per month.", memory_type=memory_type)
    assert (await run(core, alice)).claims == 0
