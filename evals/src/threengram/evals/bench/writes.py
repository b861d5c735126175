"""New memories for write runs: never the same twice, so that none is refused as a duplicate."""

import itertools
import random
import time
from collections.abc import Iterator

from threengram.evals.bench.corpus import Text, generated
from threengram.schema.bounds import MAX_CONTENT_CHARS

POOL = 2_000


def short_texts() -> Iterator[Text]:
    """Endless texts of at most 60 word pieces."""
    run = time.time_ns() // 1_000_000
    pool = generated(POOL, seed=1)
    for number in itertools.count():
        text = pool[number % POOL]
        yield Text(text.memory_type, text.topic, f"Entry {run}-{number}: {text.content}", text.scope)


def full_texts() -> Iterator[Text]:
    """Endless texts of as many characters as a memory may have."""
    chance = random.Random(2)  # noqa: S311 - reproducible on purpose
    pool = [text.content for text in generated(POOL, seed=2)]
    for text in short_texts():
        body = text.content
        while len(body) < MAX_CONTENT_CHARS:
            body += " " + chance.choice(pool)
        yield Text(text.memory_type, text.topic, body[:MAX_CONTENT_CHARS].strip(), text.scope)
