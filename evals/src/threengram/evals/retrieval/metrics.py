"""Pure: from answers to figures, each with the interval that the number of questions allows."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from threengram.evals.retrieval.ask import Answer, SessionAnswer
from threengram.evals.retrieval.stories import Life, Question, Slice

RESAMPLES = 1_000
SEED = 3
MRR_DEPTH = 5
NDCG_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over `count` questions and the bounds between which 95 % of its bootstrap resamples lie."""

    value: float
    low: float
    high: float
    count: int

    def as_json(self) -> dict[str, float | int]:
        """Rounded to four digits."""
        return {"value": round(self.value, 4), "low": round(self.low, 4), "high": round(self.high, 4),
                "count": self.count}  # fmt: skip


def figure(values: Iterable[float]) -> Figure | None:
    """The mean of values, one for each question; None when there are none."""
    seen = np.array(list(values), dtype=float)
    if not len(seen):
        return None
    rng = np.random.default_rng(SEED)
    means = seen[rng.integers(0, len(seen), (RESAMPLES, len(seen)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Figure(float(seen.mean()), float(low), float(high), len(seen))


def recall(hits: Sequence[str], question: Question, depth: int) -> float:
    """The share of the expected memories among the first `depth` where all are wanted, else whether one is there."""
    found = sum(name in hits[:depth] for name in question.expected)
    return found / len(question.expected) if question.slice is Slice.MULTI_EVIDENCE else float(found > 0)


def reciprocal_rank(hits: Sequence[str], question: Question) -> float:
    """One over the rank of the first expected memory, 0 beyond the depth."""
    ranks = (rank for rank, name in enumerate(hits[:MRR_DEPTH], 1) if name in question.expected)
    return next((1 / rank for rank in ranks), 0.0)


def ndcg(hits: Sequence[str], question: Question) -> float:
    """Binary gain, discounted by the logarithm of the rank, over the best possible order of what is wanted."""
    wanted = len(question.expected) if question.slice is Slice.MULTI_EVIDENCE else 1
    gains = [1 / math.log2(rank + 1) for rank, name in enumerate(hits[:NDCG_DEPTH], 1) if name in question.expected]
    return sum(gains[:wanted]) / sum(1 / math.log2(rank + 1) for rank in range(1, wanted + 1))


def supersession_correct(hits: Sequence[str], question: Question) -> float:
    """A successor is among the first five, and no predecessor stands above it."""
    ranks = [hits.index(name) for name in question.expected if name in hits[:MRR_DEPTH]]
    if not ranks:
        return 0.0
    return float(all(name not in hits or hits.index(name) > min(ranks) for name in question.forbidden))


def misplaced(answers: Iterable[Answer], lives: Iterable[Life]) -> list[tuple[Answer, str, str]]:
    """Every case of a predecessor above its successor, both returned, when nothing asks about the past."""
    older = {life.name: life.predecessors for life in lives}
    found = []
    for answer in answers:
        if answer.question.as_of is not None:
            continue
        for rank, name in enumerate(answer.hits):
            above = older[answer.life][name].intersection(answer.hits[:rank])
            found += [(answer, name, predecessor) for predecessor in sorted(above)]
    return found


def outside(answers: Iterable[Answer], lives: Iterable[Life]) -> list[tuple[Answer, str]]:
    """Every hit that the filter or the instant of its question leaves out."""
    told = {life.name: life for life in lives}
    return [
        (answer, name)
        for answer in answers
        for name in answer.hits
        if name not in told[answer.life].eligible(answer.question)
    ]


Order = Callable[[Answer], Sequence[str]]


def ranking_figures(answers: Iterable[Answer], order: Order = lambda answer: answer.hits) -> dict[str, Figure]:
    """Recall, MRR and nDCG over the answerable questions, under the product's order or another one."""
    asked = [(order(answer), answer.question) for answer in answers if answer.question.is_answerable]
    return _present(
        {
            "recall@1": figure(recall(hits, question, 1) for hits, question in asked),
            "recall@5": figure(recall(hits, question, 5) for hits, question in asked),
            "recall@10": figure(recall(hits, question, 10) for hits, question in asked),
            "mrr@5": figure(reciprocal_rank(hits, question) for hits, question in asked),
            "ndcg@10": figure(ndcg(hits, question) for hits, question in asked),
        }
    )


def judging_figures(answers: Sequence[Answer]) -> dict[str, Figure]:
    """Supersession, and both sides of abstention where the product judges itself."""
    superseding = [answer for answer in answers if answer.question.slice is Slice.SUPERSESSION]
    judged = [answer for answer in answers if answer.is_confident is not None]
    return _present(
        {
            "supersession_correct": figure(supersession_correct(one.hits, one.question) for one in superseding),
            "absent_declined": figure(not one.is_confident for one in judged if not one.question.is_answerable),
            "answerable_kept": figure(bool(one.is_confident) for one in judged if one.question.is_answerable),
        }
    )


SessionOrder = Callable[[SessionAnswer], Sequence[str]]


def session_figures(
    answers: Iterable[SessionAnswer], order: SessionOrder = lambda answer: answer.sessions
) -> dict[str, Figure]:
    """`frac@k`: the share of gold sessions among the first k; `any@k`: whether there is one; and the MRR."""
    asked = [(list(order(answer)), answer.question.gold) for answer in answers]
    return _present(
        {
            "frac@5": figure(len(gold.intersection(ranked[:5])) / len(gold) for ranked, gold in asked),
            "frac@10": figure(len(gold.intersection(ranked[:10])) / len(gold) for ranked, gold in asked),
            "any@5": figure(bool(gold.intersection(ranked[:5])) for ranked, gold in asked),
            "any@10": figure(bool(gold.intersection(ranked[:10])) for ranked, gold in asked),
            "mrr": figure(_first(ranked, gold) for ranked, gold in asked),
        }
    )


def behind_a_leg(answers: Sequence[Answer]) -> list[str]:
    """The legs that beat the fusion on these answers beyond doubt: the whole interval of the paired difference."""
    asked = [answer for answer in answers if answer.question.is_answerable]
    legs: dict[str, Order] = {"vectors": lambda answer: answer.by_vector, "words": lambda answer: answer.by_words}
    found = []
    for name, order in legs.items():
        differences = {
            "recall@5": [recall(one.hits, one.question, 5) - recall(order(one), one.question, 5) for one in asked],
            "mrr@5": [
                reciprocal_rank(one.hits, one.question) - reciprocal_rank(order(one), one.question) for one in asked
            ],
        }
        found += [f"{name} alone are better in {measure}" for measure, values in differences.items() if _loses(values)]
    return found


def sessions_behind_a_leg(answers: Sequence[SessionAnswer]) -> list[str]:
    """The same for sessions, by `frac@5` and `frac@10`."""
    legs: dict[str, SessionOrder] = {
        "vectors": lambda answer: answer.by_vector,
        "words": lambda answer: answer.by_words,
    }
    found = []
    for name, order in legs.items():
        for depth in (5, 10):
            lost = [_share(one.sessions, one, depth) - _share(order(one), one, depth) for one in answers]
            found += [f"{name} alone are better in frac@{depth}"] if _loses(lost) else []
    return found


def _loses(differences: Sequence[float]) -> bool:
    paired = figure(differences)
    return paired is not None and paired.high < 0


def _share(ranked: Sequence[str], answer: SessionAnswer, depth: int) -> float:
    return len(answer.question.gold.intersection(ranked[:depth])) / len(answer.question.gold)


def _first(ranked: Sequence[str], gold: frozenset[str]) -> float:
    return next((1 / rank for rank, name in enumerate(ranked, 1) if name in gold), 0.0)


def _present(figures: dict[str, Figure | None]) -> dict[str, Figure]:
    return {name: value for name, value in figures.items() if value is not None}
