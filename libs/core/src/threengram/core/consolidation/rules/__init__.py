"""Rules over what two texts say: the same, another value, more, or something else that only looks alike."""
