"""The lines of the children on our own standard output, each behind the name of its child."""

import json
import sys
from collections.abc import Callable

NAME_WIDTH = 10
COLOURS = (36, 32, 33, 35, 34, 96, 92, 93, 95, 94)
LEVEL_COLOURS = {"warning": 33, "error": 31, "critical": 31}
UNSHOWN = frozenset({"ts", "level", "service", "instance", "logger", "event", "span_id"})


def plain_line(name: str, line: bytes) -> str:
    """The line as it came, prefixed, for files and pipes."""
    return f"{name:<{NAME_WIDTH}}| {line.decode(errors='replace')}"


def terminal_line(name: str, line: bytes, colour: Callable[[str, int], str]) -> str:
    """A JSON line as `event key=value`, anything else as it came."""
    prefix = colour(f"{name:<{NAME_WIDTH}}|", COLOURS[sum(name.encode()) % len(COLOURS)])
    try:
        record = json.loads(line)
    except ValueError:
        return f"{prefix} {line.decode(errors='replace')}"
    if not isinstance(record, dict) or "event" not in record:
        return f"{prefix} {line.decode(errors='replace')}"
    event = str(record["event"])
    level = str(record.get("level", "info")).lower()
    if level in LEVEL_COLOURS:
        event = colour(f"{level.upper()} {event}", LEVEL_COLOURS[level])
    fields = " ".join(f"{key}={value}" for key, value in record.items() if key not in UNSHOWN)
    return f"{prefix} {event} {fields}".rstrip()


def coloured(text: str, code: int) -> str:
    """`text` between an ANSI colour and its end."""
    return f"\x1b[{code}m{text}\x1b[0m"


def uncoloured(text: str, _code: int) -> str:
    """`text` itself."""
    return text


class Output:
    """Writes to `sys.stdout`, which a progress display replaces while it is on, so that lines appear above it."""

    def __init__(self, *, is_terminal: bool, has_colour: bool) -> None:
        self._is_terminal = is_terminal
        self._colour = coloured if has_colour else uncoloured

    def show(self, name: str, line: bytes) -> None:
        """One line of a child."""
        text = terminal_line(name, line, self._colour) if self._is_terminal else plain_line(name, line)
        self._write(text)

    def report(self, sentence: str) -> None:
        """One line of the supervisor itself."""
        self._write(f"{'up':<{NAME_WIDTH}}| {sentence}")

    def _write(self, text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
