"""Floors rise, and a change that lowers one is refused."""

import subprocess
from pathlib import Path

import pytest

from threengram.evals.retrieval import floors, golden
from threengram.evals.retrieval.floors import PUBLIC, Floors, below, history, lowered, parse, raised, render
from threengram.evals.retrieval.metrics import Figure

HELD = Floors(1, "abc", {"mrr": 0.9, "recall": 0.8})


def measured(value: float) -> Figure:
    return Figure(value, value, value, 100)


def test_a_figure_below_its_floor_and_a_missing_one_are_both_failures() -> None:
    assert below(HELD, {"mrr": measured(0.9), "recall": measured(0.8)}) == []
    assert below(HELD, {"mrr": measured(0.89)}) == [
        "mrr is 0.8900, below its floor of 0.9000",
        "recall has a floor of 0.8000 and was not measured",
    ]


def test_raising_leaves_the_weight_of_one_question_and_never_lowers() -> None:
    new = raised(HELD, {"mrr": measured(0.5), "recall": measured(0.95), "ndcg": measured(0.7)})
    assert new.values == pytest.approx({"mrr": 0.9, "recall": 0.94, "ndcg": 0.69})


def test_a_public_set_is_held_to_its_floor_where_it_was_asked_and_may_tip_a_little() -> None:
    (name, other) = (f"{PUBLIC}LoCoMo, {count} questions: frac@5" for count in (782, 90))
    held = raised(HELD, {name: Figure(0.884, 0.86, 0.9, 782)})
    assert held.values[name] == pytest.approx(0.879)
    assert below(held, {"mrr": measured(0.9), "recall": measured(0.8), other: measured(0.1)}) == []
    assert below(held, {"mrr": measured(0.9), "recall": measured(0.8), name: measured(0.87)}) == [
        f"{name} is 0.8700, below its floor of 0.8790"
    ]


def test_the_file_survives_a_round_trip() -> None:
    assert parse(render(HELD)) == HELD


@pytest.mark.parametrize(
    ("now", "complaints"),
    [
        (Floors(1, "abc", {"mrr": 0.95, "recall": 0.8}), 0),
        (Floors(1, "abc", {"mrr": 0.85, "recall": 0.8}), 1),
        (Floors(1, "abc", {"recall": 0.8}), 1),
        (Floors(1, "def", {"mrr": 0.9, "recall": 0.8}), 1),
        (Floors(2, "def", {"mrr": 0.1}), 0),
        (Floors(0, "abc", {"mrr": 0.9, "recall": 0.8}), 1),
    ],
)
def test_what_was_reached_can_only_be_left_with_new_questions(now: Floors, complaints: int) -> None:
    assert len(lowered(HELD, now)) == complaints


def test_the_history_of_a_repository_holds_every_version(tmp_path: Path) -> None:
    path = tmp_path / "floors.toml"
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@example.test"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    versions = [HELD, Floors(1, "abc", {"mrr": 0.95, "recall": 0.8})]
    for version in versions:
        path.write_text(render(version))
        subprocess.run([*git, "add", path.name], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", "m"], check=True)
    assert history(path) == versions[::-1]


def test_outside_a_repository_there_is_no_history(tmp_path: Path) -> None:
    assert history(tmp_path / "floors.toml") == []


def test_the_committed_floors_belong_to_these_questions_and_take_nothing_back() -> None:
    held = parse(floors.PATH.read_text())
    assert held.digest == golden.digest()
    assert [problem for earlier in history() for problem in lowered(earlier, held)] == []
