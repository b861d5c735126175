"""What an evaluation leaves behind: `report.json` for machines, `report.html` for people, in `build/eval`."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from threengram.evals.retrieval import plots
from threengram.evals.retrieval.ask import Answer, SessionAnswer
from threengram.evals.retrieval.confidence_fit import Judged
from threengram.evals.retrieval.floors import PUBLIC, Floors
from threengram.evals.retrieval.metrics import (
    Figure,
    judging_figures,
    ranking_figures,
    recall,
    session_figures,
)
from threengram.evals.retrieval.stories import Slice, Split

GATED = "en"
LEGS: Mapping[str, Callable[[Answer], Sequence[str]]] = {
    "fused": lambda answer: answer.hits,
    "vectors alone": lambda answer: answer.by_vector,
    "words alone": lambda answer: answer.by_words,
}
SESSION_LEGS: Mapping[str, Callable[[SessionAnswer], Sequence[str]]] = {
    "fused": lambda answer: answer.sessions,
    "vectors alone": lambda answer: answer.by_vector,
    "words alone": lambda answer: answer.by_words,
}
FORMULAS = """
<p><b>recall@k</b>: mean over answerable questions of 1 if an expected memory is among the first k hits, else 0; in the
slice multi_evidence the share of the expected memories among them. <b>mrr@5</b>: mean of 1 / rank of the first expected
memory, 0 beyond rank 5. <b>ndcg@10</b>: binary gains discounted by log2(rank + 1), over the best possible order.
<b>supersession_correct</b>: share of the questions of that slice with a successor among the first five and no
predecessor above it; predecessors are in the index.<br>
<b>absent_declined</b> = (absent topics with <code>coverage.confident = false</code>) / (absent topics).<br>
<b>answerable_kept</b> = (answerable questions with <code>coverage.confident = true</code>) / (answerable
questions).<br>
Brackets hold 95 % bootstrap intervals over questions (1,000 resamples).</p>
"""
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c }
table { border-collapse: collapse; margin: .5rem 0 1.5rem }
th, td { padding: .2rem .7rem; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
small { color: #777 } .bad { color: #b00020; font-weight: 600 } .good { color: #1b7f3b; font-weight: 600 }
img { max-width: 100% }
"""


@dataclass(frozen=True)
class Evaluation:
    """Everything that was asked in one run: of our lives, of public sets of sessions, of golden sets of others.

    `problems` fail the gate; those that no floor is needed for are in `wrong`.
    """

    answers: Sequence[Answer]
    external: Mapping[str, Sequence[SessionAnswer]]
    judged: Sequence[Judged]
    calibration: Mapping[str, Any] | None
    floors: Floors
    problems: Sequence[str]
    seconds: float
    notes: Sequence[str] = field(default_factory=tuple)
    others: Mapping[str, Sequence[Answer]] = field(default_factory=dict)
    wrong: Sequence[str] = ()

    def of(self, split: Split, *, language: str | None = None, part: Slice | None = None) -> list[Answer]:
        """The answers of a split, of one language or slice of it."""
        return [
            answer
            for answer in self.answers
            if answer.split is split
            and (language is None or answer.language == language)
            and (part is None or answer.question.slice is part)
        ]

    @property
    def languages(self) -> list[str]:
        """English first."""
        found = {answer.language for answer in self.answers}
        return sorted(found, key=lambda language: (language != GATED, language))


def gated(evaluation: Evaluation) -> dict[str, Figure]:
    """The figures that have floors: of the test lives, in English and in all languages, and of public sets."""
    english, everything = evaluation.of(Split.TEST, language=GATED), evaluation.of(Split.TEST)
    found = {f"en {name}": value for name, value in figures(english).items() if name in _GATED_NAMES}
    found |= {f"all {name}": value for name, value in figures(everything).items() if name in _GATED_NAMES}
    for title, answers in evaluation.external.items():
        measured = session_figures(answers)
        found |= {
            f"{PUBLIC}{title}, {len(answers)} questions: {name}": measured[name] for name in ("frac@5", "frac@10")
        }
    return found


_GATED_NAMES = frozenset({"recall@5", "mrr@5", "ndcg@10", "supersession_correct", "absent_declined", "answerable_kept"})


def figures(answers: Sequence[Answer]) -> dict[str, Figure]:
    """All figures of some answers."""
    return ranking_figures(answers) | judging_figures(answers)


def write(evaluation: Evaluation, directory: Path) -> None:
    """Both files; the directory is made."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "report.json").write_text(json.dumps(as_json(evaluation), indent=2, ensure_ascii=False) + "\n")
    (directory / "report.html").write_text(_html(evaluation))


def as_json(evaluation: Evaluation) -> dict[str, Any]:
    """The whole evaluation as plain values."""
    return {
        "seconds": round(evaluation.seconds, 1),
        "problems": list(evaluation.problems),
        "calibration": evaluation.calibration,
        "golden": {split.value: _split_json(evaluation, split) for split in Split},
        "external": {
            name: {leg: _plain(session_figures(answers, order)) for leg, order in SESSION_LEGS.items()}
            for name, answers in evaluation.external.items()
        },
        "others": {name: _plain(figures(answers)) for name, answers in evaluation.others.items()},
        "floors": dict(evaluation.floors.values),
        "gated": _plain(gated(evaluation)),
    }


def _split_json(evaluation: Evaluation, split: Split) -> dict[str, Any]:
    return {
        "all": _plain(figures(evaluation.of(split))),
        "languages": {one: _plain(figures(evaluation.of(split, language=one))) for one in evaluation.languages},
        "slices": {part.value: _plain(figures(evaluation.of(split, part=part))) for part in Slice},
        "legs": {
            language: {
                leg: _plain(ranking_figures(evaluation.of(split, language=language), order))
                for leg, order in LEGS.items()
            }
            for language in evaluation.languages
        },
    }


def _plain(values: Mapping[str, Figure]) -> dict[str, Any]:
    return {name: value.as_json() for name, value in values.items()}


def _html(evaluation: Evaluation) -> str:
    verdict = (
        "<p class=bad>" + "<br>".join(map(escape, evaluation.problems)) + "</p>"
        if evaluation.problems
        else "<p class=good>Every floor holds.</p>"
    )
    notes = "".join(f"<p>{escape(note)}</p>" for note in evaluation.notes)
    parts = [
        "<h1>Retrieval quality</h1>", verdict, notes, FORMULAS,
        "<h2>The gate: test lives and their floors</h2>", _gate(evaluation),
        "<h2>Dev and test side by side</h2>", _both(evaluation),
        "<h2>The fusion and its two legs</h2>", _legs(evaluation),
        "<h2>By slice</h2>", plots.by_slice(_recalls(evaluation)), _by(evaluation, "slice"),
        "<h2>By language</h2>", _by(evaluation, "language"),
        "<h2>Abstention</h2>", plots.confidence(evaluation.judged, evaluation.calibration),
        "<h2>Public sets</h2>", _external(evaluation),
        _others(evaluation),
        "<h2>Test questions that missed the first five</h2>", _misses(evaluation),
    ]  # fmt: skip
    return f"<!doctype html><meta charset=utf-8><title>Retrieval quality</title><style>{STYLE}</style>{''.join(parts)}"


def _gate(evaluation: Evaluation) -> str:
    rows = []
    for name, value in gated(evaluation).items():
        floor = evaluation.floors.values.get(name)
        kind = "bad" if floor is not None and value.value < floor else "good"
        rows.append([name, f"<span class={kind}>{_cell(value)}</span>", "none" if floor is None else f"{floor:.4f}"])
    return _table(["figure", "now", "floor"], rows)


def _both(evaluation: Evaluation) -> str:
    columns = {
        f"{split.value}, {label}": figures(evaluation.of(split, language=language))
        for language, label in ((GATED, "English"), (None, "all"))
        for split in Split
    }
    names = dict.fromkeys(name for column in columns.values() for name in column)
    rows = [[name, *(_cell(column.get(name)) for column in columns.values())] for name in names]
    return _table(["figure", *columns], rows)


def _legs(evaluation: Evaluation) -> str:
    rows = []
    for split in Split:
        for leg, order in LEGS.items():
            found = ranking_figures(evaluation.of(split, language=GATED), order)
            rows.append([f"{split.value}, English: {leg}", *(_cell(found.get(name)) for name in _RANKING)])
    return _table(["", *_RANKING], rows)


_RANKING = ("recall@1", "recall@5", "recall@10", "mrr@5", "ndcg@10")


def _by(evaluation: Evaluation, kind: str) -> str:
    shown = ("recall@5", "mrr@5", "supersession_correct", "absent_declined", "answerable_kept")
    rows = []
    keys: Sequence[Slice | str] = list(Slice) if kind == "slice" else evaluation.languages
    for key in keys:
        for split in (Split.DEV, Split.TEST):
            chosen = {"part": key} if isinstance(key, Slice) else {"language": key}
            found = figures(evaluation.of(split, **chosen))
            if found:
                rows.append([f"{key}, {split.value}", *(_cell(found.get(name)) for name in shown)])
    return _table(["", *shown], rows)


def _recalls(evaluation: Evaluation) -> dict[str, tuple[Figure | None, Figure | None]]:
    found = {}
    for part in Slice:
        pair = [ranking_figures(evaluation.of(split, part=part)).get("mrr@5") for split in (Split.DEV, Split.TEST)]
        if any(pair):
            found[part.value] = (pair[0], pair[1])
    return found


def _external(evaluation: Evaluation) -> str:
    if not evaluation.external:
        return "<p>None was given.</p>"
    rows, names = [], ("frac@5", "frac@10", "any@5", "any@10", "mrr")
    for title, answers in evaluation.external.items():
        for leg, order in SESSION_LEGS.items():
            found = session_figures(answers, order)
            rows.append([f"{title}: {leg}", *(_cell(found.get(name)) for name in names)])
    return _table(["", *names], rows)


def _others(evaluation: Evaluation) -> str:
    if not evaluation.others:
        return ""
    columns = {name: figures(answers) for name, answers in evaluation.others.items()}
    names = dict.fromkeys(name for column in columns.values() for name in column)
    rows = [[name, *(_cell(column.get(name)) for column in columns.values())] for name in names]
    return "<h2>Golden sets of others</h2>" + _table(["figure", *columns], rows)


def _misses(evaluation: Evaluation) -> str:
    missed = [
        answer
        for answer in evaluation.of(Split.TEST)
        if answer.question.is_answerable and recall(answer.hits, answer.question, 5) < 1
    ]
    rows = [
        [
            escape(answer.question.query), answer.question.slice.value, answer.language,
            " ".join(answer.question.expected), " ".join(answer.hits[:5]),
        ]
        for answer in missed
    ]  # fmt: skip
    return _table(["query", "slice", "language", "expected", "first five"], rows)


def _cell(value: Figure | None) -> str:
    if value is None:
        return ""
    return f"{value.value:.3f} <small>[{value.low:.3f}, {value.high:.3f}] n={value.count}</small>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{name}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{top}</tr>{body}</table>"
