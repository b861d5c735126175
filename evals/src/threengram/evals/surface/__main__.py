"""`python -m threengram.evals.surface`: measure the published surface; exit 1 when it falls below its floors."""

import argparse
import asyncio
import sys
from pathlib import Path

from threengram.evals.surface import files, report
from threengram.evals.surface.gate import Gate
from threengram.evals.surface.judge import judge_by
from threengram.evals.surface.measure import measure
from threengram.evals.surface.settings import JudgeSettings
from threengram.evals.surface.utterances import InvalidUtterances, load_texts

REGENERATE = "python -m threengram.evals.surface --write-snapshot"


def main() -> int:
    """Run the gate, or rewrite one of its files."""
    arguments = _arguments()
    gate = Gate()
    if arguments.write_snapshot:
        gate.write_snapshot()
        return 0
    try:
        measured = gate.measured()
    except InvalidUtterances as error:
        print(f"FAILED: {error}")
        return 1
    if arguments.raise_floors:
        gate.raise_floors(measured)
    print(report.report(measured, gate.floors()))
    advisories = {
        path.stem: measure(gate.tools, report.needs_of(load_texts(path)))
        for path in (files.HELD_OUT, files.IN_USERS_WORDS)
    }
    for title, other in advisories.items():
        print(report.advisory(title, other))
    judgement = asyncio.run(judge_by(JudgeSettings(), gate.tools, gate.needs()))
    if judgement is not None:
        print(report.judged(judgement, measured.by_meaning))
    breaches, stale = gate.breaches(measured), gate.snapshot_is_stale()
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "surface.json").write_bytes(report.figures(measured, advisories, breaches))
    print(report.verdict(breaches, stale, REGENERATE))
    return 1 if breaches or stale else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m threengram.evals.surface", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/eval"), help="where the report goes")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--write-snapshot", action="store_true", help="regenerate evals/data/surface.json, nothing else")
    group.add_argument("--raise-floors", action="store_true", help="raise the floors to what is measured")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
