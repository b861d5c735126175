"""`python -m threengram.evals.pairs`: judge the labelled pairs; exit 1 below the floors, 2 when there is nothing to
judge by.
"""

import argparse
import sys
import time
from pathlib import Path

from threengram.evals.pairs import floors, held, labelled, lives, report
from threengram.evals.pairs.measure import false, judge, precision, recall


def main() -> int:
    """Run the gate once."""
    options = _options()
    splits = {name: labelled.load(name) for name in labelled.SPLITS}
    try:
        labelled.check(list(splits.values()))
    except labelled.InvalidPairs as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 2
    began = time.perf_counter()
    judged = {name: judge(pairs) for name, pairs in splits.items()}
    prose = lives.judged_lives()
    count = sum(map(len, splits.values())) + prose.pairs
    print(report.report(judged, prose, count / (time.perf_counter() - began)))
    test = judged["test"]
    reached = {"precision": precision(test), "recall": recall(test)}
    sets = [held.Held.judged(name) for name in held.SETS]
    print("\n".join(held.lines(sets)))
    if options.raise_floors:
        known = held.load_floors()
        held.save_floors({one.name: held.raised(one, known.get(one.name)) for one in sets})
        floors.save(floors.raised(floors.load(), labelled.digest("test"), **reached))
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "pairs.json").write_bytes(report.figures(judged, prose, sets))
    problems = floors.breaches(floors.load(), labelled.digest("test"), **reached)
    problems += [f"{one.pair.id} takes over falsely" for name in ("dev", "traps") for one in false(judged[name])]
    problems += [problem for one in sets for problem in held.breaches(one, held.load_floors().get(one.name))]
    for problem in problems:
        print(f"FAILED  {problem}", file=sys.stderr)
    return 1 if problems else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m threengram.evals.pairs", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/eval"), help="where the report goes")
    parser.add_argument("--raise-floors", action="store_true", help="record what this run reached")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
