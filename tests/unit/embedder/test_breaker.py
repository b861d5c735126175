"""After failures in a row nobody knocks; then one at a time is let through."""

from threengram.embedder.breaker import FAILURES, PAUSE_S, Breaker


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def opened(clock: Clock) -> Breaker:
    breaker = Breaker(clock=clock)
    for _ in range(FAILURES):
        assert breaker.wait_s() == 0
        breaker.fail()
    return breaker


def test_a_success_in_between_starts_the_count_anew() -> None:
    breaker = Breaker(clock=Clock())
    for _ in range(3):
        for _ in range(FAILURES - 1):
            breaker.fail()
        breaker.succeed()
    assert breaker.wait_s() == 0


def test_an_open_breaker_says_for_how_long() -> None:
    clock = Clock()
    breaker = opened(clock)
    assert breaker.wait_s() == PAUSE_S
    clock.now += PAUSE_S - 1
    assert breaker.wait_s() == 1


def test_one_probe_decides() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += PAUSE_S
    assert breaker.wait_s() == 0
    assert breaker.wait_s() == PAUSE_S
    breaker.fail()
    assert breaker.wait_s() == PAUSE_S
    clock.now += PAUSE_S
    assert breaker.wait_s() == 0
    breaker.succeed()
    assert breaker.wait_s() == breaker.wait_s() == 0
