"""How long to wait before a crashed process is started again."""

FIRST_DELAY_S = 0.2
LONGEST_DELAY_S = 10.0
HEALTHY_AFTER_S = 30.0


def next_delay_s(previous_delay_s: float | None, ran_for_s: float) -> float:
    """0.2 s at first, doubling up to 10 s; a run of 30 s counts as healthy and starts over."""
    if previous_delay_s is None or ran_for_s >= HEALTHY_AFTER_S:
        return FIRST_DELAY_S
    return min(previous_delay_s * 2, LONGEST_DELAY_S)
