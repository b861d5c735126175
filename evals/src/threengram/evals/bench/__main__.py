"""`python -m threengram.evals.bench`: load, measure, report."""

import argparse
import time
from pathlib import Path

import uvloop

from threengram.evals.bench import plots, record, report
from threengram.evals.bench.cases import DEFAULT, FEW_TENANTS, QUICK
from threengram.evals.bench.run import Pace, Results, Runner
from threengram.evals.bench.stack import Product, data_directory, running
from threengram.evals.bench.world import FEW, MANY, REFERENCE, WALKED, world

PORT_BASE = 18_300


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m threengram.evals.bench", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="tenants of 300 and 10,000 only, a few minutes")
    size.add_argument("--full", action="store_true", help="three interleaved rounds, medians")
    parser.add_argument("--explain", action="store_true", help="print the plan of a search for each tenant")
    parser.add_argument("--reference-dir", type=Path, help="directory of the reference run's corpus generator")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases with this in their name")
    parser.add_argument("--output", type=Path, default=Path("build/bench"), help="where figures are written")
    parser.add_argument("--document", type=Path, help="write the report here, pictures beside it")
    parser.add_argument("--seconds", type=float, default=4.0, help="how long each case runs")
    parser.add_argument("--data-dir", type=Path, help="keep the loaded product here, and load only what it lacks")
    parser.add_argument("--port-base", type=int, default=PORT_BASE, help="first port of the product under measurement")
    return parser.parse_args()


async def measured(product: Product, options: argparse.Namespace, pace: Pace) -> tuple[Results, str]:
    """Everything that a running product is asked, and where the texts come from."""
    started = time.monotonic()
    async with world(product, options.reference_dir) as loaded:
        runner = Runner(loaded, pace, print)
        runner.note_seconds("texts and base vectors", started)
        runner.note_memory("idle")
        if not options.quick:
            await loaded.add(FEW)
            await runner.run([case for case in FEW_TENANTS if options.only in case.label])
        started = time.monotonic()
        await loaded.add(REFERENCE if options.quick else (*REFERENCE, *MANY))
        runner.note_seconds("load", started)
        if options.explain:
            for site in loaded.callers:
                await runner.explain(site)
                print(f"\n{site}\n" + "\n".join(runner.results.plans[site]))
        for site in WALKED:
            if site in loaded.callers:
                await runner.note_overlap(site)
        cases = QUICK if options.quick else DEFAULT
        await runner.run([case for case in cases if options.only in case.label])
        runner.note_memory("after load")
        return runner.results, loaded.corpus.source


def main() -> None:
    """Measure and write the report."""
    options = arguments()
    pace = Pace(duration_s=options.seconds, warm_up_s=1, rounds=3 if options.full else 1)
    with data_directory(options.data_dir) as directory:
        with running(directory, port_base=options.port_base) as product:
            first_start_s = product.start_s
            results, source = uvloop.run(measured(product, options, pace))
        with running(directory, port_base=options.port_base) as product:
            results.seconds |= {"first start": first_start_s, "second start": product.start_s}
    print(record.write(options.output, results, pace, corpus_source=source))
    publish(options, results, pace, source)


def publish(options: argparse.Namespace, results: Results, pace: Pace, source: str) -> None:
    """Pictures and report, in the output directory or where the document is wanted."""
    figures = {case: report.median_round(runs) for case, runs in results.runs.items()}
    file: Path = options.document or options.output / "benchmarks.md"
    images = plots.draw(file.with_suffix(""), figures)
    measured = report.Measurement(
        figures=figures,
        machine=record.machine(),
        corpus=source,
        rounds=pace.rounds,
        duration_s=pace.duration_s,
        memory=results.memory,
        seconds=results.seconds,
        overlaps=results.overlaps,
        images=[str(image.relative_to(file.parent)) for image in images],
    )
    file.write_text(report.document(measured))
    print(file)


if __name__ == "__main__":
    main()
