from threengram.cli.backoff import next_delay_s


def test_the_delay_doubles_from_a_fifth_of_a_second_to_ten_seconds() -> None:
    delays: list[float] = []
    delay_s: float | None = None
    for _ in range(8):
        delay_s = next_delay_s(delay_s, ran_for_s=1.0)
        delays.append(delay_s)
    assert delays == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]


def test_half_a_minute_of_health_starts_the_delays_over() -> None:
    assert next_delay_s(10.0, ran_for_s=29.9) == 10.0
    assert next_delay_s(10.0, ran_for_s=30.0) == 0.2
