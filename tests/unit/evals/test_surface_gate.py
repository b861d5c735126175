"""The gate of the published surface holds, and fails when somebody adds a tool or takes from a figure."""

import dataclasses
import shutil
import sys
from functools import partial
from pathlib import Path

import orjson
import pytest

from threengram.evals.surface import __main__ as program
from threengram.evals.surface import files, floors
from threengram.evals.surface.embedding import TooLong, embed
from threengram.evals.surface.gate import Gate
from threengram.evals.surface.measure import Measurement
from threengram.evals.surface.utterances import InvalidUtterances, load, load_texts, named_tools
from threengram.gateway.tools import TOOLS
from threengram.gateway.tools.search import SEARCH

NAMES = [tool.name for tool in TOOLS]
PLANTED = dataclasses.replace(SEARCH, name="recall", title="Recall")
NEAR_MISSES = (
    {"search", "get_memories"},
    {"search", "get_facts"},
    {"search", "briefing"},
    {"search", "handoff"},
    {"briefing", "handoff"},
    {"remember", "revise"},
    {"remember", "resolve"},
    {"remember", "configure_scope"},
    {"revise", "resolve"},
    {"describe_environment", "configure_scope"},
    {"describe_environment", "briefing"},
    {"review_proposals", "resolve"},
)
FIVE = "".join(
    f'[[utterance]]\ntext = "Number {number} of the things I need."\nnear_miss = "search"\n' for number in range(5)
)


@pytest.fixture(scope="module")
def measured() -> Measurement:
    return Gate().measured()


def _folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(files.UTTERANCES, tmp_path / "utterances"))


def test_the_surface_holds_its_floors(measured: Measurement) -> None:
    assert Gate().breaches(measured) == []


def test_the_floors_are_above_what_the_original_surface_reached() -> None:
    recorded = Gate().floors()

    assert recorded.accuracy >= 0.8545
    assert recorded.lead >= 0.1097
    assert recorded.overlap_ceiling <= 0.6737
    assert recorded.max_input_bytes <= 17_000
    assert recorded.max_list_bytes <= 32_000


def test_the_meaning_of_words_tells_tools_apart_better_than_the_words(measured: Measurement) -> None:
    assert measured.by_meaning.accuracy >= measured.by_words.accuracy > 1 / len(NAMES)


def test_the_snapshot_is_what_is_published() -> None:
    assert not Gate().snapshot_is_stale(), f"read the difference after `{program.REGENERATE}`"


def test_the_snapshot_names_every_part_of_a_tool() -> None:
    snapshot = orjson.loads(files.SNAPSHOT.read_bytes())

    assert [tool["name"] for tool in snapshot["tools"]] == NAMES
    for tool in snapshot["tools"]:
        assert set(tool) == {"name", "title", "description", "inputSchema", "outputSchema", "annotations", "bytes"}


def test_near_misses_are_there_on_purpose() -> None:
    utterances = load(files.UTTERANCES, NAMES)
    pairs = [{tool, utterance.near_miss} for tool, five in utterances.items() for utterance in five]

    assert [pair for pair in NEAR_MISSES if pair not in pairs] == []


def test_further_utterances_name_no_tool_either() -> None:
    for path in (files.HELD_OUT, files.IN_USERS_WORDS):
        texts = load_texts(path)
        assert list(texts) == NAMES
        assert [text for listed in texts.values() for text in listed if named_tools(text, NAMES)] == []


def test_a_new_tool_without_utterances_fails(tmp_path: Path) -> None:
    gate = Gate(tools=(*TOOLS, PLANTED), utterances_folder=_folder(tmp_path))

    with pytest.raises(InvalidUtterances, match=r"recall has no utterances: write 5 into recall\.toml"):
        gate.measured()


def test_a_new_tool_without_floor_or_snapshot_fails_and_one_that_reads_like_another_does_too(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    (folder / "recall.toml").write_text(FIVE)
    gate = Gate(tools=(*TOOLS, PLANTED), utterances_folder=folder)
    breaches = [breach.text for breach in gate.breaches(gate.measured())]

    assert gate.snapshot_is_stale()
    assert "recall has no floor" in breaches
    assert any(text.startswith("description overlap 1") for text in breaches)
    assert any(text.startswith("accuracy") for text in breaches)


def test_a_tool_that_goes_leaves_neither_utterances_nor_a_floor(tmp_path: Path) -> None:
    gate = Gate(tools=TOOLS[:-1], utterances_folder=_folder(tmp_path))
    with pytest.raises(InvalidUtterances, match="not published: review_proposals"):
        gate.needs()
    for near_miss in gate.utterances_folder.glob("*.toml"):
        near_miss.write_text(near_miss.read_text().replace('near_miss = "review_proposals"', 'near_miss = "get_facts"'))
    (gate.utterances_folder / "review_proposals.toml").unlink()

    assert "review_proposals has a floor and is not published" in [
        breach.text for breach in gate.breaches(gate.measured())
    ]


def test_a_surface_that_grows_over_its_budgets_fails(measured: Measurement) -> None:
    grown = dataclasses.replace(measured, input_bytes=17_001, list_bytes=32_001)

    assert [breach.text for breach in Gate().breaches(grown)] == [
        "bytes of inputs and descriptions 17001 is above its ceiling 17000",
        "bytes of the list 32001 is above its ceiling 32000",
    ]


def test_floors_rise_and_never_fall(tmp_path: Path, measured: Measurement) -> None:
    gate = Gate(floors_file=Path(shutil.copy(files.FLOORS, tmp_path)))
    before = gate.floors()
    blurred = [dataclasses.replace(tool, description="Does something with memory.") for tool in TOOLS[:5]]
    gate.raise_floors(Gate(tools=(*blurred, *TOOLS[5:])).measured())
    assert gate.floors() == before

    low = before.model_copy(update={"accuracy": 0.1, "margin": -1.0, "lead": 0.0, "overlap_ceiling": 1.0, "tools": {}})
    gate.floors_file.write_text(floors.text_of(low))
    gate.raise_floors(measured)
    raised = gate.floors()

    assert gate.breaches(measured) == []
    assert (raised.max_input_bytes, raised.max_list_bytes) == (before.max_input_bytes, before.max_list_bytes)
    assert raised.accuracy > 0.1
    assert set(raised.tools) == set(NAMES)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (FIVE.replace("search", "resolve"), "resolve is no other published tool"),
        (FIVE.replace("search", "recall"), "recall is no other published tool"),
        (FIVE.replace("Number 1", "Number 0"), "says the same twice"),
        (FIVE.replace("things I need", "things to Resolve"), "names resolve"),
        (FIVE.replace("things I need", "things to get memories of"), "names get_memories"),
        (FIVE.split("[[utterance]]", 2)[2], "at least 5 items|Extra inputs"),
        (FIVE + FIVE.replace("Number", "Item"), "at most 5 items"),
        (FIVE.replace('near_miss = "search"', ""), "Field required"),
    ],
)
def test_utterances_that_give_it_away_or_are_not_five_are_refused(tmp_path: Path, text: str, why: str) -> None:
    folder = _folder(tmp_path)
    (folder / "resolve.toml").write_text(text)

    with pytest.raises(InvalidUtterances, match=why):
        load(folder, NAMES)


def test_a_text_that_the_model_would_cut_is_refused() -> None:
    with pytest.raises(TooLong):
        embed(["a long description " * 100])


def test_the_program_fails_below_a_floor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    high = Gate().floors().model_copy(update={"accuracy": 1.0, "tools": dict.fromkeys(NAMES, 0.0)})
    file = tmp_path / "floors.toml"
    file.write_text(floors.text_of(high))
    monkeypatch.setattr(sys, "argv", ["surface", "--out", str(tmp_path / "out")])
    monkeypatch.setattr(program, "Gate", partial(Gate, floors_file=file))

    assert program.main() == 1
    assert "FAILED: accuracy" in capsys.readouterr().out
    written = orjson.loads((tmp_path / "out" / "surface.json").read_bytes())
    assert len(written["breaches"]) == 1
    assert set(written["byTool"]) == set(NAMES)


def test_the_program_passes_and_names_what_was_confused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], measured: Measurement
) -> None:
    monkeypatch.setattr(sys, "argv", ["surface", "--out", str(tmp_path)])

    assert program.main() == 0
    printed = capsys.readouterr().out
    assert all(wrong.text in printed for wrong in measured.by_meaning.confusions)
    assert "not gated" in printed
    assert "judged" not in printed
