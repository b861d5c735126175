"""Starts programs, keeps them running and stops them tier by tier."""

import asyncio
from collections.abc import Callable, Sequence

from threengram.cli.child import Show
from threengram.cli.errors import CannotRun
from threengram.cli.keeper import Keeper, Report
from threengram.cli.program import Program, Tier


class Supervisor:
    """All programs of one stack. Every method runs on the main thread's event loop."""

    def __init__(self, show: Show, report: Report) -> None:
        self._show = show
        self.report = report
        self.changed: Callable[[], None] = _nothing
        """Called when a process was replaced or started again."""
        self._keepers: list[Keeper] = []
        self._is_stopping = False

    @property
    def keepers(self) -> Sequence[Keeper]:
        """In the order of their start."""
        return tuple(self._keepers)

    async def start(self, program: Program) -> None:
        """Start one program and return once it is ready; whether that succeeds or not, `stop` ends it."""
        if self._is_stopping:
            raise CannotRun(f"{program.name} was not started: everything is being stopped", exit_code=1)
        keeper = Keeper(program, self._show, self.report, lambda: self.changed())
        self._keepers.append(keeper)
        await keeper.start()

    async def roll(self, service: str) -> list[str]:
        """Replace the processes of a service one after the other; the names of those replaced."""
        rolled = [keeper for keeper in self._keepers if keeper.program.service == service]
        if not rolled or not all(keeper.program.can_roll for keeper in rolled):
            names = sorted({keeper.program.service for keeper in self._keepers if keeper.program.can_roll})
            raise CannotRun(f"there is no service {service!r} to restart; there are {', '.join(names)}")
        for keeper in rolled:
            await keeper.roll()
        return [keeper.program.name for keeper in rolled]

    async def roll_all(self) -> None:
        """Replace every process that can be, in the order of their start."""
        for keeper in self.keepers:
            if keeper.program.can_roll:
                await keeper.roll()

    async def stop(self) -> None:
        """Stop everything, the latest start first; a tier is asked to end only when those above it are gone."""
        self._is_stopping = True
        for tier in sorted(Tier, reverse=True):
            members = [keeper for keeper in reversed(self._keepers) if keeper.program.tier == tier]
            await asyncio.gather(*(keeper.stop() for keeper in members))


def _nothing() -> None:
    pass
