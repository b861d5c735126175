"""The programs in `docs/connect/python.md` run as they stand, and name what there is."""

import re
from pathlib import Path

import pytest

from tests.contract.sdk.test_operations import METHODS, WALKS

pytestmark = pytest.mark.xdist_group("sdk")
PAGE = (Path(__file__).parents[3] / "docs" / "connect" / "python.md").read_text()
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
SAYS = ("Printer", "was known a week ago", " of [0-9]", "known already:")


@pytest.mark.parametrize(("program", "says"), list(zip(PROGRAMS, SAYS, strict=True)))
def test_a_program_of_the_page_runs(
    program: str, says: str, api_url: str, api_key: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("THREENGRAM_API_KEY", api_key)
    exec(compile(program.replace("http://127.0.0.1:8301", api_url), "python.md", "exec"), {"__name__": "page"})
    assert re.search(says, capsys.readouterr().out)


def test_the_page_names_every_method() -> None:
    assert {*METHODS, *WALKS} <= set(re.findall(r"`(\w+)`", PAGE))
