"""How choices, margins and closeness are counted."""

import numpy as np
import pytest

from threengram.evals.surface.lexical import lexical_similarities
from threengram.evals.surface.selection import most_alike, select

TOOLS = ["knife", "fork", "spoon"]


def test_a_margin_is_the_distance_to_the_best_wrong_tool_and_negative_for_a_wrong_choice() -> None:
    rows = np.array([[0.9, 0.5, 0.7], [0.8, 0.5, 0.1]], np.float32)
    selection = select([("knife", "cut"), ("fork", "pick")], TOOLS, rows)

    assert [choice.chosen for choice in selection.choices] == ["knife", "knife"]
    assert [choice.margin for choice in selection.choices] == pytest.approx([0.2, -0.3])
    assert selection.margin == pytest.approx(-0.05)
    assert selection.lead == pytest.approx(0.25)
    assert selection.accuracy == 0.5
    assert [wrong.text for wrong in selection.confusions] == ["pick"]


def test_a_tie_is_wrong() -> None:
    selection = select([("knife", "cut")], TOOLS, np.array([[0.5, 0.5, 0.1]], np.float32))

    assert (selection.accuracy, selection.choices[0].chosen) == (0.0, "fork")


def test_a_choice_is_steady_when_it_is_clearer_than_the_slack() -> None:
    rows = np.array([[0.505, 0.5, 0.1], [0.9, 0.5, 0.1]], np.float32)
    selection = select([("knife", "cut"), ("knife", "slice")], TOOLS, rows)

    assert (selection.accuracy, selection.steady_accuracy(0.01)) == (1.0, 0.5)


def test_the_closest_pair_is_found_once_and_no_tool_is_close_to_itself() -> None:
    vectors = np.array([[1, 0], [0.6, 0.8], [0, 1]], np.float32)
    overlap = most_alike(TOOLS, vectors)

    assert (overlap.first, overlap.second) == ("fork", "spoon")
    assert overlap.cosine == pytest.approx(0.8)


def test_rare_words_weigh_more_and_words_of_nobody_weigh_nothing() -> None:
    descriptions = ["cuts bread at the table", "picks peas at the table", "ladles soup at the table"]
    rows = lexical_similarities(["soup for the table", "the table", "zebra"], descriptions)

    assert rows[0].argmax() == 2
    assert rows[1][0] == pytest.approx(rows[1][1])
    assert not rows[2].any()
