"""An invented corpus full of traps: duplicates, contradictions, look-alikes, chains of memories that share half of
what they say with the next one.

Every memory has a key for what it is about. Only memories of one key may ever take over from one another.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

PEOPLE = tuple(
    "Anna Ben Carla Dario Emil Farid Gwen Hugo Ines Jonas Kira Leo Mara Nils Olga Paul".split()  # noqa: SIM905
)
PROJECTS = tuple("Atlas Borealis Cobalt Dune Ember Fjord Granite Harbor Iris Juniper".split())  # noqa: SIM905
CITIES = ("Berlin", "Madrid", "Oslo", "Lisbon", "Vienna", "Prague", "Bergen", "Ghent")
PLACES = ("staging", "production")
SCOPES = ("work", "personal")


@dataclass(frozen=True)
class Planted:
    """A memory to write. `about` is its key; `scope` is part of it."""

    about: str
    scope: str
    memory_type: str
    topic: str
    content: str


def corpus(count: int, *, seed: int) -> list[Planted]:
    """The first `count` memories of an endless corpus, none a literal duplicate of another in its scope."""
    source = random.Random(seed)
    found: dict[tuple[str, str, str], Planted] = {}
    for planted in _endless(source):
        found.setdefault((planted.scope, planted.memory_type, planted.content), planted)
        if len(found) == count:
            return list(found.values())
    raise AssertionError("an endless corpus ended")


def _endless(source: random.Random) -> Iterator[Planted]:
    while True:
        scope, project, person = source.choice(SCOPES), source.choice(PROJECTS), source.choice(PEOPLE)
        yield from source.choice((_limits, _owners, _incomes, _places, _bridges, _duplicates, _happenings))(
            source, scope, project, person
        )


def _limits(source: random.Random, scope: str, project: str, _person: str) -> Iterator[Planted]:
    """One value per project and environment, contradicted again and again."""
    place = source.choice(PLACES)
    for _ in range(2):
        content = f"The {place} timeout of {project} is {source.randrange(1, 900)} seconds."
        yield Planted(f"timeout {project} {place}", scope, "fact", f"Timeout of {project}", content)


def _owners(source: random.Random, scope: str, project: str, _person: str) -> Iterator[Planted]:
    """One owner per project."""
    content = f"The owner of {project} is {source.choice(PEOPLE)}."
    yield Planted(f"owner {project}", scope, "fact", f"Owner of {project}", content)


def _incomes(source: random.Random, scope: str, _project: str, person: str) -> Iterator[Planted]:
    """The same sentence about one person after the other, all under one topic."""
    content = f"{person} earns {source.randrange(2000, 9000)} EUR a month."
    yield Planted(f"income {person}", scope, "fact", "Income", content)


def _places(source: random.Random, scope: str, _project: str, _person: str) -> Iterator[Planted]:
    """The same sentence about one city after the other."""
    city = source.choice(CITIES)
    content = f"The office in {city} has {source.randrange(4, 400)} desks."
    yield Planted(f"desks {city}", scope, "fact", f"Office in {city}", content)


def _bridges(source: random.Random, scope: str, project: str, person: str) -> Iterator[Planted]:
    """Each sentence shares a name with the next one, and the last has nothing to do with the first."""
    other, third = source.choice(PEOPLE), source.choice(PROJECTS)
    yield Planted(f"lead {project} {person}", scope, "note", f"{project} and {person}", f"{person} leads {project}.")
    yield Planted(f"knows {person} {other}", scope, "note", f"{person} and {other}", f"{person} knows {other}.")
    yield Planted(f"lead {third} {other}", scope, "note", f"{third} and {other}", f"{other} leads {third}.")


def _duplicates(source: random.Random, scope: str, project: str, _person: str) -> Iterator[Planted]:
    """The same thing said in several ways, and contradicted by the next size."""
    size = source.randrange(1, 60)
    about = f"disk {project}"
    yield Planted(about, scope, "decision", f"Disk of {project}", f"The disk of {project} has {size} TB.")
    yield Planted(about, scope, "decision", f"Disk of {project}", f"The disk of {project} has {size * 1000} GB")
    yield Planted(about, scope, "decision", f"Disk of {project}", f"The disk of {project} has {size}TB!")


def _happenings(source: random.Random, scope: str, _project: str, person: str) -> Iterator[Planted]:
    """What happened, told once each: no run corrects another."""
    content = f"{person} ran {source.randrange(3, 42)} km along the river."
    yield Planted(f"run {content}", scope, "event", "Running", content)
