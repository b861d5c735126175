"""What `threengram models` does in the database as its owner, and says while it does it."""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

import httpx2
import psycopg
from rich.console import Console
from rich.table import Table

from threengram.cli.errors import CannotRun
from threengram.migrations import generations, status
from threengram.migrations.calibration import InvalidCalibration, parsed
from threengram.migrations.locks import StillLocked
from threengram.migrations.status import Obstacle, Progress
from threengram.schema.enums import ModelState

CONNECT_TIMEOUT_S = 5
ASK_TIMEOUT_S = 10.0
POLL_S = 1.0
SAID_EVERY_S = 10.0
TABLE_WIDTH = 140
_REFUSED = (status.NoSuchModel, generations.WrongState, InvalidCalibration, StillLocked)


class GenerationOwner:
    """One connection of the owner, in autocommit."""

    def __init__(self, owner: psycopg.Connection, console: Console) -> None:
        self._owner = owner
        self._console = console

    def is_kept(self, name: str) -> bool:
        """Whether the generation is filled or being filled, and nothing is left for `add` to do."""
        found = [one for one in status.generations(self._owner) if one.name == name]
        return any(one.state is not ModelState.RETIRED and one.enqueued_at is not None for one in found)

    def width(self, name: str, embedder_url: str | None, *, declared: int | None) -> int:
        """The width of the model, from the embedder that serves it or as declared."""
        if embedder_url is None:
            if declared is None:
                raise CannotRun("--database-url needs --embedder-url, or --dimensions")
            return declared
        try:
            answer = httpx2.get(f"{embedder_url.rstrip('/')}/v1/models", timeout=ASK_TIMEOUT_S, trust_env=False)
            cards = answer.raise_for_status().json()["data"]
        except (httpx2.HTTPError, ValueError, KeyError) as error:
            raise CannotRun(f"{embedder_url} does not say what it serves: {type(error).__name__}") from error
        widths = [card["dimensions"] for card in cards if card["id"] == name]
        if not widths:
            raise CannotRun(f"{embedder_url} does not serve {name}; it serves {[card['id'] for card in cards]}")
        return int(widths[0])

    def add(self, name: str, dimensions: int, *, is_metered: bool) -> None:
        """Register the generation and leave a row for everything that it lacks."""
        made = generations.add(
            self._owner, name=name, dimensions=dimensions, is_metered=is_metered, now=datetime.now(UTC)
        )
        self._say(f"{name}: {made.dimensions} dimensions, {made.enqueued_rows} memories to embed")

    def await_filled(self, name: str, force: Sequence[str], *, sleep: Callable[[float], None] = time.sleep) -> None:
        """Return when nothing is missing but what fails again and again and may, saying now and then how far it is."""
        said_at = 0.0
        may_lack = Obstacle.INCOMPLETE in self.require_obstacles(force)
        while (found := self._progress(name)).missing:
            if found.missing <= found.failing:
                if may_lack:
                    return
                raise CannotRun(f"{found.failing} memories fail again and again; go on with --force incomplete")
            if time.monotonic() >= said_at + SAID_EVERY_S:
                said_at = time.monotonic()
                self._say(f"{name}: {found.missing} left{_pace(found)}{_failing(found)}")
            sleep(POLL_S)

    def build(self, name: str) -> None:
        """Build the index."""
        state = generations.build(self._owner, name)
        self._say(f"{name}: index on {state.attached} of {state.partitions} partitions")

    def calibrate(self, name: str, text: str) -> None:
        """Store a calibration."""
        generations.calibrate(self._owner, name, parsed(text))
        self._say(f"{name}: calibrated")

    def activate(self, name: str, force: Sequence[str]) -> None:
        """Switch; the former one stays complete."""
        generations.activate(self._owner, name, now=datetime.now(UTC), despite=self.require_obstacles(force))
        self._say(f"{name} is active")

    def retire(self, name: str) -> None:
        """Delete everything of the generation."""
        deleted = generations.retire(self._owner, name)
        self._say(f"{name} is retired, {deleted} vectors deleted")

    def show(self) -> None:
        """The table of all generations."""
        columns = ("model", "state", "width", "filled", "left", "failing", "rate", "eta", "index", "calibrated")
        table = Table(*columns, box=None)
        for generation in status.generations(self._owner):
            found = self._progress(generation.name)
            table.add_row(
                generation.name,
                generation.state,
                str(generation.dimensions),
                _filled(found),
                str(found.waiting),
                str(found.failing),
                "-" if found.rate is None else f"{found.rate:.1f}/s",
                "-" if found.eta_s is None else f"{found.eta_s:.0f} s",
                f"{found.index.attached}/{found.index.partitions}",
                "no" if generation.calibration is None else "yes",
            )
        # A name that is cut is no name.
        Console(width=max(self._console.width, TABLE_WIDTH)).print(table)

    def require_obstacles(self, names: Sequence[str]) -> Collection[Obstacle]:
        """The reasons by name."""
        try:
            return [Obstacle(name) for name in names]
        except ValueError:
            raise CannotRun(f"--force takes {', '.join(Obstacle)}") from None

    def _progress(self, name: str) -> Progress:
        return status.progress(self._owner, status.find(self._owner, name), now=datetime.now(UTC))

    def _say(self, sentence: str) -> None:
        self._console.print(sentence, highlight=False, soft_wrap=True)


@contextmanager
def connected(owner_url: str) -> Iterator[GenerationOwner]:
    """The owner's view of the generations; what can't be done ends the command in one line."""
    try:
        with psycopg.connect(owner_url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S) as owner:
            yield GenerationOwner(owner, Console())
    except generations.NotReady as error:
        reasons = " ".join(f"--force {obstacle}" for obstacle in error.obstacles)
        raise CannotRun(f"not ready: {error}; finish that, or add {reasons}") from error
    except _REFUSED as error:
        raise CannotRun(str(error)) from error
    except psycopg.OperationalError as error:
        raise CannotRun(f"the database does not answer: {type(error).__name__}", exit_code=1) from error


def _filled(found: Progress) -> str:
    if found.generation.state is ModelState.RETIRED:
        return "-"
    if found.generation.enqueued_at is None:
        return "enqueuing"
    rows = found.generation.enqueued_rows
    share = 1.0 if not rows else max(0.0, 1 - found.missing / rows)
    return f"{share:.0%}"


def _pace(found: Progress) -> str:
    if found.rate is None or found.eta_s is None:
        return ""
    return f", {found.rate:.1f} texts/s, about {found.eta_s:.0f} s to go"


def _failing(found: Progress) -> str:
    return f", {found.failing} failing" if found.failing else ""
