"""`python -m threengram.evals.retrieval`: tell the stories, ask the questions, write the report, hold the floors.

Exit status 0 when every floor holds, 1 when one does not, 2 when there is nothing to judge by.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from threengram.evals.retrieval import confidence_fit, floors, golden, locomo, longmemeval, memoryagentbench, report
from threengram.evals.retrieval.ask import Answer, SessionAnswer, ask, ask_sessions
from threengram.evals.retrieval.haystack import Haystack
from threengram.evals.retrieval.metrics import behind_a_leg, misplaced, outside, sessions_behind_a_leg
from threengram.evals.retrieval.stage import Stage, Subject, servers, stage
from threengram.evals.retrieval.stories import Life, Split
from threengram.migrations.calibration import shipped_calibration, shipped_path

DEFAULT_LOCOMO = Path("../shared/data/locomo-dev")


def main() -> int:
    """Run once; the exit status says whether the gate holds."""
    options = _options()
    began = time.monotonic()
    lives, others = golden.load(options.golden), _original(options)
    with servers(options.model, embedder_url=options.embedder_url) as (owner_url, subject):
        given, external = asyncio.run(_asked(owner_url, subject, [*lives, *others], _haystacks(options)))
    answers = [answer for answer in given if answer.life in {life.name for life in lives}]
    if options.record_calibration:
        return _record_calibration(answers, options.calibration_file or shipped_path(subject.name))
    found = _evaluation(options, subject, lives, answers, external, time.monotonic() - began)
    found = _with(found, others={life.name: [one for one in given if one.life == life.name] for life in others})
    if options.raise_floors:
        found = _raise_floors(found)
    report.write(found, options.out)
    _summarise(found, options.out)
    return 1 if found.problems else 0


def _evaluation(
    options: argparse.Namespace,
    subject: Subject,
    lives: Sequence[Life],
    answers: Sequence[Answer],
    external: Mapping[str, Sequence[SessionAnswer]],
    seconds: float,
) -> report.Evaluation:
    evaluation = report.Evaluation(
        answers=answers,
        external=external,
        judged=confidence_fit.judged(answers),
        calibration=shipped_calibration(subject.name),
        floors=floors.parse(floors.PATH.read_text()),
        problems=[],
        seconds=seconds,
        notes=[f"{subject.name}: {len(lives)} lives, {len(answers)} questions, {seconds:.0f} s"],
        wrong=_wrong(answers, lives),
    )
    problems = _problems(evaluation)
    if options.golden == golden.GOLDEN and golden.digest() != evaluation.floors.digest:
        problems.append("the questions are not those of the floors: give floors.toml the next version")
    return _with(evaluation, problems=problems)


def _wrong(answers: Sequence[Answer], lives: Sequence[Life]) -> list[str]:
    """What is wrong whatever the floors say: the old above the new, and hits that were not asked for."""
    return [
        f"{answer.life}: {older} stands above {newer}, which replaced it, for {answer.question.query!r}"
        for answer, newer, older in misplaced(answers, lives)
    ] + [
        f"{answer.life}: {name} is outside of what {answer.question.query!r} asks about"
        for answer, name in outside(answers, lives)
    ]


def _problems(evaluation: report.Evaluation) -> list[str]:
    held = evaluation.floors
    below = floors.below(held, report.gated(evaluation))
    return [*evaluation.wrong, *below, *_history_problems(held), *_legs(evaluation)]


def _history_problems(held: floors.Floors) -> list[str]:
    return [problem for earlier in floors.history() for problem in floors.lowered(earlier, held)]


def _legs(evaluation: report.Evaluation) -> list[str]:
    """Where one leg alone is better than the fusion beyond doubt."""
    found = []
    for split in Split:
        for language in (report.GATED, None):
            of = evaluation.of(split, language=language)
            found += [f"{split}, {language or 'all languages'}: {problem}" for problem in behind_a_leg(of)]
    for name, answers in evaluation.external.items():
        found += [f"{name}: {problem}" for problem in sessions_behind_a_leg(answers)]
    return found


def _raise_floors(evaluation: report.Evaluation) -> report.Evaluation:
    """Record what was reached. New questions start a new version."""
    held, digest = evaluation.floors, golden.digest()
    if held.digest != digest:
        held = floors.Floors(held.version + 1, digest, {})
    raised = floors.raised(held, report.gated(evaluation))
    floors.PATH.write_text(floors.render(raised))
    found = _with(evaluation, floors=raised)
    return _with(found, problems=_problems(found))


def _with(evaluation: report.Evaluation, **changed: object) -> report.Evaluation:
    return report.Evaluation(**{**vars(evaluation), **changed})


def _record_calibration(answers: Sequence[Answer], path: Path) -> int:
    """Write the calibration of the model; a run after it judges with the shipped one."""
    fitted = confidence_fit.fit(confidence_fit.judged(answers))
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(fitted, indent=2) + "\n")
    print(f"{path}: {fitted}")
    return 0


async def _asked(
    owner_url: str, subject: Subject, lives: Sequence[Life], haystacks: Mapping[str, Sequence[Haystack]]
) -> tuple[list[Answer], dict[str, list[SessionAnswer]]]:
    async with stage(owner_url, subject) as built:
        answers = [answer for life in lives for answer in await ask(life, await built.tell(life))]
        external = {name: await _asked_sessions(built, several) for name, several in haystacks.items()}
    return answers, external


async def _asked_sessions(built: Stage, haystacks: Sequence[Haystack]) -> list[SessionAnswer]:
    return [
        answer for haystack in haystacks for answer in await ask_sessions(haystack, await built.tell_sessions(haystack))
    ]


def _haystacks(options: argparse.Namespace) -> dict[str, list[Haystack]]:
    found: dict[str, list[Haystack]] = {}
    if options.locomo is not None and options.locomo.exists():
        found["LoCoMo"] = locomo.load(options.locomo)
    elif options.locomo not in (None, DEFAULT_LOCOMO):
        sys.exit(f"{options.locomo} does not exist")
    if options.longmemeval is not None:
        found["LongMemEval"] = longmemeval.load(options.longmemeval, limit=options.limit)
    if options.memoryagentbench is not None:
        found["MemoryAgentBench"] = memoryagentbench.load(options.memoryagentbench, limit=options.limit)
    return found


def _original(options: argparse.Namespace) -> list[Life]:
    if options.original is None:
        return []
    return [golden.load_original(options.original / "golden-set.json", options.original / "queries.json")]


def _summarise(evaluation: report.Evaluation, out: Path) -> None:
    for name, value in report.gated(evaluation).items():
        floor = evaluation.floors.values.get(name)
        print(f"{name:40} {value.value:.4f} [{value.low:.3f}, {value.high:.3f}]  floor {floor or 0:.4f}")
    for problem in evaluation.problems:
        print(f"FAILED  {problem}", file=sys.stderr)
    print(f"{evaluation.seconds:.0f} s; {out / 'report.html'}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m threengram.evals", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/eval"), help="where the report goes")
    parser.add_argument("--golden", type=Path, default=golden.GOLDEN, help="directory of lives")
    parser.add_argument("--locomo", type=Path, default=DEFAULT_LOCOMO, help="directory; left out where it is missing")
    parser.add_argument("--no-locomo", dest="locomo", action="store_const", const=None, help="leave LoCoMo out")
    parser.add_argument("--longmemeval", type=Path, help="longmemeval_s.json")
    parser.add_argument("--memoryagentbench", type=Path, help="one split as a JSON array or as JSON lines")
    parser.add_argument("--original", type=Path, help="directory of golden-set.json and queries.json")
    parser.add_argument("--limit", type=int, help="use only so many instances of a public set")
    parser.add_argument("--model", help="name of the model to judge; the default of a new installation if not given")
    parser.add_argument("--embedder-url", help="a running embedding service that has it, instead of one of our own")
    parser.add_argument("--raise-floors", action="store_true", help="record what this run reached")
    parser.add_argument("--record-calibration", action="store_true", help="fit `confident` and write its data file")
    parser.add_argument("--calibration-file", type=Path, help="where the fit goes, instead of among the shipped ones")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
