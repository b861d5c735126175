from threengram.cli.output import coloured, plain_line, terminal_line, uncoloured

LINE = (
    b'{"ts":"2026-03-03T10:00:00.000Z","level":"info","service":"gateway","instance":"gateway-0",'
    b'"logger":"threengram.gateway","event":"request_completed","trace_id":"ab","span_id":"cd","status":200}'
)


def test_a_pipe_gets_the_line_as_it_came_behind_the_name() -> None:
    assert plain_line("gateway", LINE) == "gateway   | " + LINE.decode()


def test_a_terminal_gets_the_event_and_its_fields() -> None:
    assert terminal_line("gateway", LINE, uncoloured) == "gateway   | request_completed trace_id=ab status=200"


def test_a_warning_says_so() -> None:
    shown = terminal_line("api", b'{"level":"warning","event":"pool_exhausted"}', uncoloured)
    assert shown == "api       | WARNING pool_exhausted"


def test_a_line_that_is_no_event_is_shown_as_it_came() -> None:
    for line in (b"plain text", b"[1, 2]", b'{"no": "event"}', b"\xff{"):
        assert terminal_line("worker", line, uncoloured) == f"worker    | {line.decode(errors='replace')}"


def test_each_name_keeps_its_colour() -> None:
    first, second = (terminal_line("gateway", text, coloured) for text in (b"one", b"two"))
    assert first.startswith("\x1b[")
    assert first.removesuffix("one") == second.removesuffix("two")
