"""The hashing model: the same everywhere, and near where words are shared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from threengram.embedder.hashing import HashingModel
from threengram.embedder.tokens import text_pieces

MODEL = HashingModel()


def vector(text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    row: np.ndarray[tuple[int], np.dtype[np.float32]] = MODEL.embed([text_pieces(MODEL.tokenizer, "", "", text).ids])[0]
    return row


def similarity(one: str, other: str) -> float:
    return float(vector(one) @ vector(other))


def test_a_text_has_the_same_vector_in_every_process() -> None:
    found = vector("deploy")
    places = {int(place): round(float(found[place]), 4) for place in np.flatnonzero(found)}
    assert places == {16: -0.3162, 24: -0.3162, 125: -0.6325, 141: 0.3162, 201: -0.3162, 211: -0.3162, 302: -0.3162}


@pytest.mark.parametrize(
    ("near", "far"),
    [
        ("Deployments failed on Friday", "strawberry ice cream recipe"),
        ("the deployment fails every friday", "we moved the office to Berlin"),
    ],
)
def test_shared_stems_are_nearer_than_nothing_shared(near: str, far: str) -> None:
    text = "deployment failed Friday"
    assert similarity(text, near) > 0.4
    assert similarity(text, near) > similarity(text, far) + 0.3


def test_shared_ideographs_are_nearer_than_nothing_shared() -> None:
    assert similarity("数据库迁移失败", "迁移数据库") > similarity("数据库迁移失败", "今天天气很好") + 0.3


@given(st.text(min_size=1, max_size=200).filter(lambda text: "\0" not in text))
def test_every_text_has_a_unit_vector(text: str) -> None:
    assert np.linalg.norm(vector(text)) == pytest.approx(1, abs=1e-5)
