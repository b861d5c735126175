"""`python -m threengram.evals.dashboards` writes Grafana's files; with `--pictures` it proves and draws every panel."""

import argparse
from contextlib import AbstractContextManager
from pathlib import Path

from threengram.cli import run_file
from threengram.evals.bench import stack
from threengram.evals.dashboards import grafana, plots, proof
from threengram.evals.dashboards.source import read

PORT_BASE = 8700
SETTINGS = {"THREENGRAM_GATEWAY_CALLS_PER_MINUTE": "100000"}
"""Two callers of one user would meet the limit within a minute."""


def main() -> None:
    """Parse the command line and do it."""
    parser = argparse.ArgumentParser(prog="python -m threengram.evals.dashboards", description=__doc__)
    parser.add_argument("--sources", type=Path, default=Path("charts/dashboards"))
    parser.add_argument("--target", type=Path, default=Path("charts/threengram/dashboards"))
    parser.add_argument("--rules", type=Path, default=Path("charts/threengram/rules"))
    parser.add_argument("--pictures", type=Path, help="directory for one picture of each dashboard")
    parser.add_argument("--seconds", type=float, default=120, help="how long the stack is loaded")
    arguments = parser.parse_args()
    dashboards = read(arguments.sources)
    grafana.write(dashboards, arguments.target)
    if arguments.pictures is None:
        return
    arguments.pictures.mkdir(parents=True, exist_ok=True)
    rules = sorted(path.absolute() for path in arguments.rules.glob("*.yaml"))
    with stack.data_directory(None) as data_dir, _stack(data_dir) as product:
        record = run_file.read(data_dir / "run.json")
        cimd_url = f"http://127.0.0.1:{product.ports.listener('cimd')}"
        with proof.watched(record, cimd_url, rules, seconds=arguments.seconds, callers=2) as seen:
            for dashboard in dashboards:
                plots.draw(
                    dashboard, seen.prometheus, seen.start, seen.end, arguments.pictures / f"{dashboard.name}.png"
                )
            if missing := proof.without_data(seen, dashboards):
                raise SystemExit("without data:\n" + "\n".join(missing))


def _stack(data_dir: Path) -> AbstractContextManager[stack.Product]:
    """With its defaults, and an archive to watch."""
    options = [f"--backup-dir={data_dir.parent / 'backups'}"]
    return stack.running(data_dir, port_base=PORT_BASE, options=options, settings=SETTINGS)


if __name__ == "__main__":
    main()
