"""Progress of the start: one line per step with its seconds, several steps at once."""

import contextlib
import time
from collections.abc import Iterator
from types import TracebackType

from rich.console import Console
from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.text import Text


class Seconds(ProgressColumn):
    """`1.2 s`, running until the step ends."""

    def render(self, task: Task) -> Text:
        """The column's text for one step."""
        elapsed_s = task.finished_time if task.finished else task.elapsed
        return Text(f"{elapsed_s or 0:6.1f} s", style="dim")


class Steps:
    """On a terminal a live display, elsewhere a line at the end of each step."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Progress | None = None
        if console.is_terminal:
            columns = (SpinnerColumn(finished_text="[green]✓[/]"), TextColumn("{task.description:<34}"), Seconds())
            self._live = Progress(*columns, console=console)

    def __enter__(self) -> "Steps":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    @contextlib.contextmanager
    def step(self, description: str) -> Iterator[None]:
        """Time what happens inside; a step that fails is never shown as done."""
        if self._live is not None:
            task = self._live.add_task(description, total=1)
            yield
            self._live.update(task, completed=1)
            return
        started = time.monotonic()
        yield
        self._console.print(f"{description:<34} {time.monotonic() - started:6.1f} s", highlight=False, soft_wrap=True)
