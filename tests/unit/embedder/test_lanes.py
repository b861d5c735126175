"""A lane: what waits can be withdrawn, expires, is bounded, and survives a failed run."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest

from threengram.embedder.errors import DeadlinePassed, InferenceFailed, Overloaded, Unready
from threengram.embedder.lanes import Lane
from threengram.embedder.model import ModelFailed, Vectors
from threengram.embedder.tokens import Ids
from threengram.schema.embedding import EmbeddingPriority

WAIT_S = 60.0
FAILING = 666


class GatedModel:
    """Records each run and holds it until the gate opens."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.running = threading.Event()
        self.runs: list[list[int]] = []

    def embed(self, sequences: Sequence[Ids]) -> Vectors:
        firsts = [int(sequence[0]) for sequence in sequences]
        self.runs.append(firsts)
        self.running.set()
        assert self.gate.wait(WAIT_S)
        if FAILING in firsts:
            raise ModelFailed("as the test wants")
        return np.array([[first, 0] for first in firsts], np.float32)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def text(number: int, length: int = 10) -> Ids:
    """A sequence that is recognised by its first piece."""
    return np.full(length, number, np.int32)


@pytest.fixture
def model() -> GatedModel:
    return GatedModel()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def lane(model: GatedModel, clock: Clock) -> AsyncIterator[Lane]:
    lane = Lane(EmbeddingPriority.WRITE, model.embed, max_queue_tokens=100, clock=clock)
    lane.start()
    yield lane
    model.gate.set()
    await asyncio.to_thread(lane.stop)


async def held(lane: Lane, model: GatedModel) -> None:
    """Return once the lane is busy with a run that waits for the gate."""
    lane.submit([text(1)], None)
    assert await asyncio.to_thread(model.running.wait, WAIT_S)


@pytest.mark.anyio
async def test_windows_come_back_in_order_from_several_runs(lane: Lane, model: GatedModel) -> None:
    model.gate.set()
    vectors = await asyncio.wait_for(lane.submit([text(5, 300), text(6), text(7, 300)], None).done, WAIT_S)
    assert vectors[:, 0].tolist() == [5, 6, 7]


@pytest.mark.anyio
async def test_what_waits_together_runs_together(lane: Lane, model: GatedModel) -> None:
    await held(lane, model)
    tickets = [lane.submit([text(number)], None) for number in (2, 3)]
    model.gate.set()
    await asyncio.wait_for(asyncio.gather(*(ticket.done for ticket in tickets)), WAIT_S)
    assert model.runs == [[1], [2, 3]]


@pytest.mark.anyio
async def test_a_withdrawn_request_never_runs(lane: Lane, model: GatedModel) -> None:
    await held(lane, model)
    gone, stays = lane.submit([text(2), text(3)], None), lane.submit([text(4)], None)
    lane.withdraw(gone)
    assert lane.waiting_tokens == 10
    model.gate.set()
    await asyncio.wait_for(stays.done, WAIT_S)
    assert model.runs == [[1], [4]]


@pytest.mark.anyio
async def test_a_request_whose_deadline_passed_never_runs(lane: Lane, model: GatedModel, clock: Clock) -> None:
    await held(lane, model)
    late, punctual = lane.submit([text(2)], 101.0), lane.submit([text(3)], 103.0)
    clock.now = 102.0
    model.gate.set()
    await asyncio.wait_for(punctual.done, WAIT_S)
    with pytest.raises(DeadlinePassed):
        await asyncio.wait_for(late.done, WAIT_S)
    assert model.runs == [[1], [3]]


@pytest.mark.anyio
async def test_a_full_queue_refuses_and_says_when_to_return(lane: Lane, model: GatedModel) -> None:
    await held(lane, model)
    waiting = [lane.submit([text(2, 60)], None)]
    with pytest.raises(Overloaded) as refusal:
        lane.submit([text(3, 41)], None)
    assert refusal.value.retry_after_s == 1
    waiting.append(lane.submit([text(4, 40)], None))
    for ticket in waiting:
        lane.withdraw(ticket)
    assert lane.waiting_tokens == 0


@pytest.mark.anyio
async def test_a_request_longer_than_the_queue_is_taken_when_nothing_waits(lane: Lane, model: GatedModel) -> None:
    model.gate.set()
    vectors = await asyncio.wait_for(lane.submit([text(2, 500)], None).done, WAIT_S)
    assert vectors[:, 0].tolist() == [2]


@pytest.mark.anyio
async def test_a_failed_run_is_reported_and_the_lane_goes_on(lane: Lane, model: GatedModel) -> None:
    model.gate.set()
    with pytest.raises(InferenceFailed):
        await asyncio.wait_for(lane.submit([text(FAILING)], None).done, WAIT_S)
    assert lane.is_serving
    await asyncio.wait_for(lane.submit([text(2)], None).done, WAIT_S)


@pytest.mark.anyio
async def test_stopping_refuses_what_waits_and_what_comes(lane: Lane, model: GatedModel) -> None:
    await held(lane, model)
    waiting = lane.submit([text(2)], None)
    stopping = asyncio.create_task(asyncio.to_thread(lane.stop))
    with pytest.raises(Unready):
        await asyncio.wait_for(waiting.done, WAIT_S)
    model.gate.set()
    await asyncio.wait_for(stopping, WAIT_S)
    with pytest.raises(Unready):
        lane.submit([text(3)], None)
    assert not lane.is_serving
