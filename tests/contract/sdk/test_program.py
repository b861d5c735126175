"""A program that uses the SDK: right by its types, and right when it runs."""

from pathlib import Path

import pytest
from mypy import api as mypy

from tests.contract.sdk import program
from threengram.sdk import AsyncThreengram, Threengram

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.xdist_group("sdk")


def test_a_program_with_every_method_runs_against_the_service(api_url: str, api_key: str) -> None:
    with Threengram(api_url, api_key=api_key) as memory:
        program.live(memory)


async def test_a_program_may_await_its_answers(memory: AsyncThreengram) -> None:
    await program.awaited(memory)


def test_a_strict_type_checker_knows_every_argument_and_every_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the options and the cache of `make lint`, which leaves little to be done."""
    monkeypatch.chdir(ROOT)
    found, complaint, status = mypy.run([str(Path(program.__file__).relative_to(ROOT))])
    assert (status, found, complaint) == (0, "Success: no issues found in 1 source file\n", "")
