"""Figures as a person and a machine read them."""

from collections.abc import Mapping, Sequence

import orjson

from threengram.core.consolidation.relation import Relation
from threengram.evals.pairs.held import Held
from threengram.evals.pairs.lives import Prose
from threengram.evals.pairs.measure import Judged, Share, confusion, grouped, precision, recall


def report(splits: Mapping[str, Sequence[Judged]], prose: Prose, pairs_per_s: float) -> str:
    """Precision and recall of `supersedes` by split, and on test by language and by what makes a pair hard."""
    lines = ["consolidation: precision and recall of supersedes"]
    lines += [f"  {name:24} {precision(judged)}  {recall(judged)}" for name, judged in splits.items()]
    test = splits["test"]
    for title, key in (("language", lambda one: one.pair.lang), ("kind", lambda one: one.pair.kind)):
        for name, judged in grouped(test, key).items():
            lines.append(f"  test, {title} {name:12} {_shares(judged)}")
    right = sum(count for (label, found), count in confusion(test).items() if label is found)
    lines.append(f"  test, relation named right {Share(right, len(test))}")
    lines.append(
        f"  golden lives: {prose.pairs} pairs, {prose.right} of {prose.labelled} replacements found,"
        f" {prose.wrong} false, {prose.additions} additions"
    )
    lines.append(f"  {pairs_per_s:.0f} pairs a second")
    return "\n".join(lines)


def figures(splits: Mapping[str, Sequence[Judged]], prose: Prose, sets: Sequence[Held]) -> bytes:
    """The same as JSON."""
    found = {
        name: {
            "precision": round(precision(judged).value, 4),
            "recall": round(recall(judged).value, 4),
            "confusion": {f"{label} as {found}": count for (label, found), count in sorted(confusion(judged).items())},
        }
        for name, judged in splits.items()
    }
    outside = {
        one.name: {**{name: round(share.value, 4) for name, share in one.shares.items()}, "wrong": one.wrong}
        for one in sets
    }
    return orjson.dumps({**found, "prose": vars_of(prose), "held": outside}, option=orjson.OPT_INDENT_2)


def vars_of(prose: Prose) -> dict[str, int]:
    """The figures on prose by name."""
    return {
        "pairs": prose.pairs,
        "labelled": prose.labelled,
        "right": prose.right,
        "wrong": prose.wrong,
        "additions": prose.additions,
    }


def _shares(judged: Sequence[Judged]) -> str:
    """Recall where there is something to find, and how many false supersessions there are among the rest."""
    false = sum(one.has_supersedes and not one.wants_supersedes for one in judged)
    silent = sum(one.pair.relation is Relation.UNRELATED for one in judged)
    found = recall(judged)
    parts = [f"found {found}"] if found.count else []
    parts += [f"false {false} of {silent} unrelated"] if silent else [f"false {false}"] if false else []
    return ", ".join(parts) or "nothing to find, nothing false"
