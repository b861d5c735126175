"""The figures, for people and for machines."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from threengram.evals.surface.floors import Breach, Floors
from threengram.evals.surface.judge import Judgement
from threengram.evals.surface.measure import Measurement
from threengram.evals.surface.selection import Selection


def report(measured: Measurement, floors: Floors) -> str:
    """Every figure beside its bound, then what was chosen wrong."""
    by_meaning, overlap = measured.by_meaning, measured.overlap
    rows = [
        ("accuracy", f"{by_meaning.accuracy:.4f}", f">= {floors.accuracy:.4f}"),
        ("margin to the best wrong tool", f"{by_meaning.margin:.4f}", f">= {floors.margin:.4f}"),
        ("lead of the best over the second", f"{by_meaning.lead:.4f}", f">= {floors.lead:.4f}"),
        ("description overlap", f"{overlap.cosine:.4f}", f"<= {floors.overlap_ceiling:.4f}"),
        ("bytes of inputs and descriptions", str(measured.input_bytes), f"<= {floors.max_input_bytes}"),
        ("bytes of tools/list", str(measured.list_bytes), f"<= {floors.max_list_bytes}"),
    ]
    lines = [f"{name:<34} {value:>8}  {bound}" for name, value, bound in rows]
    lines.append(f"closest descriptions: {overlap.first} and {overlap.second}")
    lines.append(f"lexical baseline: accuracy {measured.by_words.accuracy:.4f}")
    return "\n".join([*lines, *confusions(by_meaning)])


def figures(measured: Measurement, advisories: Mapping[str, Measurement], breaches: Sequence[Breach]) -> bytes:
    """Everything as JSON, for machines."""
    return orjson.dumps(
        {
            **_selection(measured.by_meaning),
            "byTool": measured.by_tool,
            "lexical": _selection(measured.by_words),
            "overlap": {"cosine": measured.overlap.cosine, "tools": [measured.overlap.first, measured.overlap.second]},
            "bytes": {"inputsAndDescriptions": measured.input_bytes, "list": measured.list_bytes},
            "notGated": {title: _selection(other.by_meaning) for title, other in advisories.items()},
            "breaches": [breach.text for breach in breaches],
        },
        option=orjson.OPT_INDENT_2,
    )


def _selection(selection: Selection) -> dict[str, Any]:
    wrong = [
        {"text": one.text, "expected": one.expected, "chosen": one.chosen, "margin": one.margin}
        for one in selection.confusions
    ]
    return {"accuracy": selection.accuracy, "margin": selection.margin, "lead": selection.lead, "confusions": wrong}


def confusions(selection: Selection) -> list[str]:
    """One line for each wrong choice."""
    return [f"  {wrong.expected} -> {wrong.chosen} {wrong.margin:+.3f}  {wrong.text}" for wrong in selection.confusions]


def advisory(title: str, measured: Measurement) -> str:
    """One line about needs that are not gated."""
    by_meaning = measured.by_meaning
    return (
        f"{title}: accuracy {by_meaning.accuracy:.4f}, margin {by_meaning.margin:.4f}, "
        f"lexical accuracy {measured.by_words.accuracy:.4f} (not gated)"
    )


def judged(judgement: Judgement, by_meaning: Selection) -> str:
    """What the model chose."""
    wrong = [
        f"  {choice.expected} -> {name or 'no tool'}  {choice.text}"
        for name, choice in zip(judgement.chosen, by_meaning.choices, strict=True)
        if name != choice.expected
    ]
    head = (
        f"judged by {', '.join(sorted(judgement.served_models)) or 'nobody'}: accuracy {judgement.accuracy:.4f}, "
        f"unparseable {judgement.unparseable:.4f}, failed calls {judgement.failures}, "
        f"agreement with the embedder {judgement.agreement(by_meaning):.4f} (not gated)"
    )
    return "\n".join([head, *wrong])


def verdict(breaches: Sequence[Breach], stale: bool, regenerate: str) -> str:
    """What has to be mended, or that nothing has."""
    lines = [breach.text for breach in breaches]
    if stale:
        lines.append(f"the surface differs from its snapshot: read the difference after `{regenerate}`")
    return "\n".join(f"FAILED: {line}" for line in lines) or "the surface holds its floors"


def needs_of(utterances: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Texts by tool as pairs of tool and text."""
    return [(tool, text) for tool, texts in utterances.items() for text in texts]
