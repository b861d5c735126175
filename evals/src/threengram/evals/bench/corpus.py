"""Texts to fill tenants with, and queries that have answers among them: seeded, so that two runs see the same.

The vocabulary is small on purpose (a few hundred words in sentence patterns): postings are long, which is the hard case
for a lexical index. With `--reference-dir` the texts of the reference run take this place.
"""

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from threengram.schema.enums import MemoryType

SEED = 20_310_517
QUERIES = 400
REFERENCE_GENERATOR = "gen_data.py"
GENERATOR_TIMEOUT_S = 300

_SUBJECTS = (
    "ledger service", "invoice mailer", "route planner", "sensor gateway", "loan calculator", "catalogue sync",
    "menu board", "seat allocator", "tariff engine", "claims portal", "parcel tracker", "library index",
    "exam grader", "stock counter", "badge printer", "ticket triage", "greenhouse controller", "payroll export",
    "translation queue", "consent register",
)  # fmt: skip
_PARTS = (
    "retry policy", "daily summary", "access list", "column mapping", "holiday calendar", "rounding rule",
    "warm standby", "upload limit", "audit extract", "colour scheme", "expiry date", "dead letter queue",
    "sampling rate", "address format", "fallback language", "checksum", "capacity plan", "review checklist",
    "release note", "session length",
)  # fmt: skip
_TOOLS = (
    "Oracle", "Nomad", "Caddy", "Haskell", "Svelte", "NATS", "MinIO", "Zig", "Consul", "Loki", "Erlang", "Vault",
    "Neovim", "Parquet", "Flink", "Keycloak", "SOAP", "Angular", "HAProxy", "Pulsar",
)  # fmt: skip
_PEOPLE = (
    "Amara", "Bruno", "Clara", "Deniz", "Emil", "Fatou", "Gita", "Hana", "Igor", "Jamila", "Kofi", "Leona", "Mateo",
    "Nora", "Oskar", "Paula", "Rania", "Stefan", "Teresa", "Yusuf",
)  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_PROJECTS = ("amber", "birch", "cedar", "dune", "elm", "fjord", "grove", "heath")
_SCOPES = ("personal", "work")
_REASONS = (
    "the old one failed {n} times in {month}", "it saves {n} minutes a week", "the auditors asked for it",
    "{person} could reproduce the fault with {tool}", "the contract forbids anything else",
    "the numbers of {month} did not add up", "nobody wants to maintain {tool} any longer",
)  # fmt: skip
_PATTERNS: dict[MemoryType, tuple[str, ...]] = {
    MemoryType.DECISION: (
        "The {subject} gets a new {part} on top of {tool}, because {reason}. {person} signs it off in {month}.",
        "We drop {tool} from the {subject} and keep {other} for the {part}: {reason}.",
    ),
    MemoryType.COMMITMENT: (
        "{person} sends the {part} of the {subject} to {peer} before {month} {day}; {reason}.",
        "I owe {person} an estimate for the {part} of the {subject} until {month} {day}.",
    ),
    MemoryType.BLOCKER: (
        "The {part} of the {subject} waits for a licence of {tool}; {person} asked again on {month} {day}.",
    ),
    MemoryType.FACT: (
        "The {subject} keeps {n} versions of its {part} in {tool}, and {person} knows how to restore them.",
        "In {month} the {subject} handled {n} thousand requests a day with {tool} at {day} percent load.",
    ),
    MemoryType.PREFERENCE: (
        "{person} wants the {part} of the {subject} explained in writing, with {tool} examples and no slides.",
    ),
    MemoryType.PATTERN: (
        "Whenever {tool} restarts, the {part} of the {subject} lags {day} minutes behind; {person} drains it first.",
    ),
    MemoryType.NOTE: (
        "{person} and {peer} compared {tool} with {other} for the {subject}; the {part} decides, since {reason}.",
    ),
    MemoryType.EVENT: (
        "On {month} {day} the {subject} moved to {tool} in {n} minutes; {person} and {peer} watched the {part}.",
    ),
}
_QUESTIONS = (
    "why did we choose {tool} for the {subject}", "what does {person} owe about the {part}",
    "who can restore the {part} of the {subject}", "what happened to the {subject} in {month}", "{part} {tool}",
    "{person} and the {part}", "is the {subject} blocked", "{tool} compared with {other}",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Text:
    """One memory before it is stored; short enough for one window of the model."""

    memory_type: MemoryType
    topic: str
    content: str
    scope: str = "work"
    project: str | None = None
    tags: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Corpus:
    """Distinct texts and questions about them; `source` says where they come from."""

    texts: list[Text]
    queries: list[str]
    source: str


def corpus(size: int, reference_dir: Path | None) -> Corpus:
    """`size` texts, the reference ones where their generator is found and ours beyond and without it."""
    if reference_dir is None or not (reference_dir / REFERENCE_GENERATOR).exists():
        return Corpus(generated(size), questions(QUERIES), "generated, seed " + str(SEED))
    return _reference(size, reference_dir)


def generated(size: int, *, seed: int = SEED) -> list[Text]:
    """`size` distinct texts."""
    chance = random.Random(seed)  # noqa: S311 - reproducible on purpose
    texts: dict[str, Text] = {}
    while len(texts) < size:
        text = _text(chance)
        texts.setdefault(text.content, text)
    return list(texts.values())


def questions(count: int, *, seed: int = SEED) -> list[str]:
    """`count` distinct queries in the words of the generated texts."""
    chance = random.Random(seed + 1)  # noqa: S311 - reproducible on purpose
    found: dict[str, None] = {}
    while len(found) < count:
        found[chance.choice(_QUESTIONS).format(**_words(chance))] = None
    return list(found)


def _text(chance: random.Random) -> Text:
    memory_type = chance.choice(list(_PATTERNS))
    words = _words(chance)
    words["reason"] = chance.choice(_REASONS).format(**words)
    return Text(
        memory_type=memory_type,
        topic=f"{words['subject']}: {words['part']}",
        content=chance.choice(_PATTERNS[memory_type]).format(**words),
        scope=chance.choice(_SCOPES),
        project=chance.choice(_PROJECTS) if chance.random() < 0.6 else None,
        tags=(words["tool"].lower(),),
    )


def _words(chance: random.Random) -> dict[str, str]:
    tool, other = chance.sample(_TOOLS, 2)
    person, peer = chance.sample(_PEOPLE, 2)
    return {
        "subject": chance.choice(_SUBJECTS), "part": chance.choice(_PARTS), "tool": tool, "other": other,
        "person": person, "peer": peer, "month": chance.choice(_MONTHS), "day": str(chance.randint(1, 28)),
        "n": str(chance.randint(2, 900)),
    }  # fmt: skip


def _reference(size: int, directory: Path) -> Corpus:
    """The output of the reference run's own generator, run where it lies."""
    with tempfile.TemporaryDirectory() as name:
        texts, queries = Path(name) / "texts.jsonl", Path(name) / "queries.json"
        program = directory / REFERENCE_GENERATOR
        subprocess.run(  # noqa: S603 - a program the caller pointed at
            [sys.executable, program, texts, str(size), queries, str(QUERIES)],
            check=True,
            capture_output=True,
            timeout=GENERATOR_TIMEOUT_S,
        )
        return Corpus(list(_read(texts)), json.loads(queries.read_bytes()), "reference generator")


def _read(path: Path) -> Iterator[Text]:
    with path.open() as lines:
        for line in lines:
            record = json.loads(line)
            yield Text(
                memory_type=MemoryType(record["type"]),
                topic=record["topic"],
                content=record["content"],
                scope=record["scope"],
                project=record["project"],
                tags=tuple(record["tags"]),
            )
