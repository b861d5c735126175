"""Fit what `confident` weighs: a logistic function on the train lives, its threshold on the dev lives.

The test lives have no part in it; the report shows what becomes of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from threengram.core.lexical import query_terms
from threengram.core.search.confidence import Signs, signs
from threengram.evals.retrieval.ask import Answer
from threengram.evals.retrieval.stories import Split

SIGNS = ("similarity", "share", "lift", "words")
RIDGE = 1.0
STEPS = 50
DIGITS = 4
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """One question with its signs, and whether a memory answers it."""

    split: Split
    language: str
    signs: Signs
    is_answerable: bool


def judged(answers: Iterable[Answer]) -> list[Judged]:
    """The questions whose search found anything with a vector."""
    found = []
    for answer in answers:
        words = len({term.group for term in query_terms(answer.question.query)})
        seen = signs([one.evidence for one in answer.found], words=words)
        if seen is not None:
            found.append(Judged(answer.split, answer.language, seen, answer.question.is_answerable))
    return found


def fit(questions: Sequence[Judged]) -> dict[str, Any]:
    """The calibration of a model, in the shape of `embedding_models.calibration`."""
    train = [one for one in questions if one.split is Split.TRAIN]
    weights = _logistic(_matrix(train), _answerable(train))
    rounded = {name: round(float(weight), DIGITS) for name, weight in zip((*SIGNS, "bias"), weights, strict=True)}
    dev = [one for one in questions if one.split is Split.DEV]
    return {**rounded, "threshold": round(_threshold(probabilities(rounded, dev), _answerable(dev)), DIGITS)}


def probabilities(calibration: dict[str, Any], questions: Sequence[Judged]) -> Floats:
    """How likely each question has its answer, shape (questions,)."""
    weights = np.array([calibration[name] for name in SIGNS])
    scores: Floats = 1 / (1 + np.exp(-(_matrix(questions) @ weights + calibration["bias"])))
    return scores


def reliability(likely: Floats, answerable: Floats, *, bins: int = 8) -> list[tuple[float, float, int]]:
    """The calibration curve: mean probability, share that is answerable and number of questions, bin by bin."""
    order = np.argsort(likely, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    return [(float(likely[part].mean()), float(answerable[part].mean()), len(part)) for part in parts]


def _threshold(likely: Floats, answerable: Floats) -> float:
    """Where the worse of the two shares, absent declined and answerable kept, is at its best; the middle of the gap."""
    candidates = np.unique(likely)
    worse = [min((likely[answerable == 1] >= one).mean(), (likely[answerable == 0] < one).mean()) for one in candidates]
    best = int(np.argmax(worse))
    below = candidates[best - 1] if best else candidates[best]
    return float((candidates[best] + below) / 2)


def _logistic(signs_of: Floats, answerable: Floats) -> Floats:
    """Newton's method on standardised signs with a ridge; weights of the signs as they are, then the bias."""
    mean, spread = signs_of.mean(axis=0), signs_of.std(axis=0) + 1e-9
    design = np.c_[(signs_of - mean) / spread, np.ones(len(signs_of))]
    ridge = np.r_[np.full(len(SIGNS), RIDGE), 1e-9]
    weights = np.zeros(design.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (likely - answerable) + ridge * weights
        curvature = (design * (likely * (1 - likely))[:, None]).T @ design + np.diag(ridge)
        weights = weights - np.linalg.solve(curvature, gradient)
    plain = weights[:-1] / spread
    found: Floats = np.r_[plain, weights[-1] - plain @ mean]
    return found


def _matrix(questions: Sequence[Judged]) -> Floats:
    return np.array([[getattr(one.signs, name) for name in SIGNS] for one in questions], dtype=float)


def _answerable(questions: Sequence[Judged]) -> Floats:
    return np.array([one.is_answerable for one in questions], dtype=float)
