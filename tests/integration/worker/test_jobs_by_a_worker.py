import pytest

from tests.integration.worker.killing import TAKEN_OVER_WITHIN_S, kill_in_the_middle
from tests.integration.worker.programs import Stack
from tests.integration.worker.writing import Diary

pytestmark = pytest.mark.anyio

KILLS = 3


async def test_runs_of_a_killed_worker_are_taken_over_within_the_lease_and_done_once(
    stack: Stack, diary: Diary, own_owner_url: str
) -> None:
    taken_over_s = await kill_in_the_middle(stack, diary, own_owner_url, times=KILLS)
    print("seconds until taken over:", [round(seconds, 1) for seconds in taken_over_s])
    assert max(taken_over_s) < TAKEN_OVER_WITHIN_S
