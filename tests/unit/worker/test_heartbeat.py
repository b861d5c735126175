import httpx2
import pytest

from threengram.runtime.health import Health, admin_app
from threengram.worker.admin import Liveness
from threengram.worker.heartbeat import Heartbeat


class Clock:
    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


def test_a_heart_that_has_not_beaten_for_longer_than_its_limit_is_dead_until_it_beats_again() -> None:
    clock = Clock()
    heartbeat = Heartbeat(30, monotonic=clock)
    clock.now_s += 30
    assert heartbeat.is_alive()
    clock.now_s += 0.1
    assert not heartbeat.is_alive()
    heartbeat.beat()
    assert heartbeat.is_alive()


@pytest.mark.anyio
async def test_liveness_follows_the_heartbeat_and_readiness_does_not() -> None:
    clock = Clock()
    app = Liveness(admin_app(Health()), Heartbeat(30, monotonic=clock))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://admin") as client:
        assert (await client.get("/livez")).status_code == 200
        clock.now_s += 31
        assert (await client.get("/livez")).status_code == 503
        assert (await client.get("/readyz")).status_code == 200
