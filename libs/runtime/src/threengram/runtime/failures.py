"""What may be said about an exception: its class, the classes behind it, and where it was raised; never its message."""

import re
from pathlib import PurePath
from types import TracebackType
from typing import Final

_MAX_FRAMES: Final = 20
_MAX_CAUSES: Final = 8
_MAX_VIOLATIONS: Final = 64
_MAX_TERM_CHARS: Final = 200
# Characters that the allowlist refuses in a term.
_UNUSUAL: Final = re.compile(r"[^A-Za-z0-9_./:<>\-]")
_ROOTS: Final = ("site-packages", "src", "lib")


def error_class(error: BaseException) -> str:
    """Qualified class name, without the module for builtins."""
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _short(filename: str) -> str:
    """The path below the nearest import root, so that frames don't reveal where the host keeps its files."""
    parts = PurePath(filename).parts
    for index in range(len(parts) - 1, 0, -1):
        if parts[index - 1] in _ROOTS:
            return "/".join(parts[index:])
    return parts[-1] if parts else filename


def frames(traceback: TracebackType | None) -> list[str]:
    """The innermost frames as `file:line:function`, outermost first."""
    found: list[str] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        found.append(_UNUSUAL.sub("_", f"{_short(code.co_filename)}:{traceback.tb_lineno}:{code.co_name}"))
        traceback = traceback.tb_next
    return found[-_MAX_FRAMES:]


def _behind(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return list(error.exceptions)
    behind = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return [behind] if behind is not None else []


def _violations(error: BaseException) -> list[str]:
    """What an error of ours found wrong with a catalogue, by names of its objects: `row_security_is_off_on_facts`."""
    if not type(error).__module__.startswith("threengram."):
        return []
    found = [str(one) for one in getattr(error, "violations", ())]
    return [_UNUSUAL.sub("_", one)[:_MAX_TERM_CHARS] for one in found[:_MAX_VIOLATIONS]]


def describe(error: BaseException) -> dict[str, str | list[str]]:
    """Log fields `error_class`, `frames`, and, where there are any, `caused_by` (what is behind) and `violations`."""
    causes: list[str] = []
    pending = _behind(error)
    while pending and len(causes) < _MAX_CAUSES:
        cause = pending.pop(0)
        causes.append(error_class(cause))
        pending.extend(_behind(cause))
    described: dict[str, str | list[str]] = {"error_class": error_class(error), "frames": frames(error.__traceback__)}
    if causes:
        described["caused_by"] = causes
    if violations := _violations(error):
        described["violations"] = violations
    return described
