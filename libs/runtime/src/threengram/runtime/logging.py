"""JSON lines on standard output, one object a line, with nothing in them that a user wrote.

Our own loggers write an event name and declared fields. Loggers of libraries go through the same formatter, but their
messages may quote a request, so only level, logger name and the class and frames of an exception are kept.
"""

import logging
import sys
import threading
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final

import orjson
from opentelemetry import trace

from threengram.runtime import failures
from threengram.runtime.fields import Refusal, Value, admit
from threengram.runtime.metrics import TELEMETRY_DROPPED
from threengram.runtime.settings import ServiceSettings

_FIELDS: Final = "threengram_fields"
_FOREIGN_EVENT: Final = "library_message"
# Libraries that report every request at INFO; the access line says the same with allowlisted fields.
_CHATTY: Final = ("httpx2", "httpcore2", "uvicorn.error", "asyncio")


def admitted(sink: str, fields: dict[str, object]) -> dict[str, Value]:
    """The fields that the allowlist lets out; the others are counted by sink and reason."""
    kept: dict[str, Value] = {}
    for name, raw in fields.items():
        value = admit(name, raw)
        if isinstance(value, Refusal):
            TELEMETRY_DROPPED.labels(sink, value.value).inc()
        else:
            kept[name] = value
    return kept


class Logger:
    """Writes events: a name in the past tense, chosen in code, and declared fields."""

    __slots__ = ("_logger",)

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger

    def debug(self, event: str, **fields: object) -> None:
        """Write at DEBUG."""
        self._write(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: object) -> None:
        """Write at INFO."""
        self._write(logging.INFO, event, fields)

    def warning(self, event: str, **fields: object) -> None:
        """Write at WARNING."""
        self._write(logging.WARNING, event, fields)

    def error(self, event: str, **fields: object) -> None:
        """Write at ERROR."""
        self._write(logging.ERROR, event, fields)

    def exception(self, event: str, error: BaseException, **fields: object) -> None:
        """Write at ERROR with the class, causes and frames of `error`; its message is not looked at."""
        self._write(logging.ERROR, event, {**failures.describe(error), **fields})

    def _write(self, level: int, event: str, fields: dict[str, object]) -> None:
        if not self._logger.isEnabledFor(level):
            return
        # Built here rather than by `Logger.log`, which walks the stack for a source line that is never written.
        record = logging.LogRecord(self._logger.name, level, "", 0, event, None, None)
        record.__dict__[_FIELDS] = admitted("log", fields)
        self._logger.handle(record)


class JsonFormatter(logging.Formatter):
    """One compact JSON object a record."""

    def __init__(self, service: str, instance: str) -> None:
        super().__init__()
        self._service = service
        self._instance = instance

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its newline."""
        fields: dict[str, Any] | None = record.__dict__.get(_FIELDS)
        line: dict[str, Any] = {
            "ts": datetime.fromtimestamp(record.created, UTC),
            "level": record.levelname.lower(),
            "service": self._service,
            "instance": self._instance,
            "logger": record.name,
            "event": _FOREIGN_EVENT if fields is None else record.msg,
        }
        context = trace.get_current_span().get_span_context()
        if context.is_valid:
            line["trace_id"] = f"{context.trace_id:032x}"
            line["span_id"] = f"{context.span_id:016x}"
        if fields is not None:
            line.update(fields)
        elif record.exc_info and record.exc_info[1] is not None:
            line.update(failures.describe(record.exc_info[1]))
        return orjson.dumps(line, option=orjson.OPT_UTC_Z).decode()


def get_logger(name: str) -> Logger:
    """A logger of ours; `name` is usually `__name__`."""
    return Logger(logging.getLogger(name))


def _report_uncaught(kind: type[BaseException], error: BaseException, _traceback: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    get_logger(__name__).exception("process_failed", error)


def _report_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        get_logger(__name__).exception("thread_failed", args.exc_value)


def _report_unraisable(args: "sys.UnraisableHookArgs") -> None:
    if args.exc_value is not None:
        get_logger(__name__).exception("unraisable_error_ignored", args.exc_value)


def configure(service: str, settings: ServiceSettings) -> None:
    """Route every logger, warning and uncaught exception of the process through the JSON formatter.

    Handlers that libraries installed are removed. May be called again; the last call wins.
    """
    # Looked up for every record otherwise, and never written.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonFormatter(service, settings.instance))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level)
    for name, logger in list(logging.Logger.manager.loggerDict.items()):
        if isinstance(logger, logging.Logger):
            logger.handlers.clear()
            logger.propagate = True
            logger.disabled = False
        if name.startswith("threengram"):
            logging.getLogger(name).setLevel(logging.NOTSET)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(True)
    sys.excepthook = _report_uncaught
    threading.excepthook = _report_thread
    sys.unraisablehook = _report_unraisable
