"""The capacity model stands on measured figures."""

import re

import pytest

from tests.rules import ROOT

BENCHMARKS = (ROOT / "docs" / "benchmarks.md").read_text()
SCALING = (ROOT / "docs" / "operate" / "scaling.md").read_text()
TOLERANCE = 0.25
LEAST_MS = 0.5


def table(text: str, heading: str) -> dict[str, list[str]]:
    """The first table below a heading, by its first column."""
    rows = text.split(heading, 1)[1].split("\n|", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {first: rest for first, *rest in cells}


MEASURED = table(BENCHMARKS, "## CPU milliseconds a call")
CONSTANTS = table(SCALING, "## Constants")


@pytest.mark.parametrize("call", CONSTANTS)
def test_a_constant_of_the_model_is_what_was_measured(call: str) -> None:
    gateway, _, embedder, postgres, *_ = map(
        float, [cell if cell != "–" else "0" for cell in MEASURED[f"{call}, C=8"][:4]]
    )
    for said, measured in zip(map(float, CONSTANTS[call]), (gateway, embedder, postgres), strict=True):
        assert abs(said - measured) <= max(TOLERANCE * measured, LEAST_MS), call


def test_the_examples_follow_from_the_constants() -> None:
    """What the text says one replica carries, at 60 % of a core."""
    search, write = CONSTANTS["MCP search, 10,000"], CONSTANTS["MCP remember, up to 60 pieces, 10,000, written to"]
    carried = [
        int(number) for number in re.findall(r"about (\d+) (?:searches|queries)|or\s+(\d+) short", SCALING)[0] if number
    ]
    assert carried
    assert abs(carried[0] - 600 / float(search[0])) < 5
    assert f"{600 / float(write[1]):.0f} short writes" in SCALING
