"""`python -m threengram.migrations model …`: the steps of a change of model where no `threengram up` runs."""

import argparse
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg

from threengram.migrations import generations, status
from threengram.migrations.calibration import parsed
from threengram.migrations.status import Obstacle, Progress


def add_commands(parser: argparse.ArgumentParser) -> None:
    """Describe the steps to the parser of `model`."""
    steps = parser.add_subparsers(dest="step", required=True)
    adding = steps.add_parser("add", help="register a generation and enqueue what it lacks; may be repeated")
    adding.add_argument("--dimensions", type=int, required=True)
    adding.add_argument("--metered", action="store_true", help="each call of the model costs money")
    activating = steps.add_parser("activate", help="let a generation serve; the former one stays complete")
    activating.add_argument("--force", type=Obstacle, choices=list(Obstacle), action="append", default=[])
    calibrating = steps.add_parser("calibrate", help="store the calibration that standard input holds")
    retiring = steps.add_parser("retire", help="delete what a generation has")
    for step in (adding, activating, calibrating, retiring):
        step.add_argument("name")
    steps.add_parser("status", help="one line a generation")


def run(owner_url: str, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Do one step; what there is to say of each generation concerned. Raises `ValueError` or `LookupError`."""
    now = datetime.now(UTC)
    with psycopg.connect(owner_url, autocommit=True) as owner:
        match given.step:
            case "add":
                generations.add(owner, name=given.name, dimensions=given.dimensions, is_metered=given.metered, now=now)
            case "activate":
                generations.activate(owner, given.name, now=now, despite=given.force)
            case "calibrate":
                generations.calibrate(owner, given.name, parsed(sys.stdin.read()))
            case "retire":
                generations.retire(owner, given.name)
        for generation in status.generations(owner):
            if given.step == "status" or generation.name == given.name:
                yield _described(status.progress(owner, generation, now=now))


def _described(found: Progress) -> dict[str, Any]:
    return {
        "model": found.generation.name,
        "state": found.generation.state,
        "dimensions": found.generation.dimensions,
        "waiting": found.waiting,
        "missing": found.missing,
        "failing": found.failing,
        "texts_per_s": None if found.rate is None else round(found.rate, 1),
        "eta_s": None if found.eta_s is None else round(found.eta_s),
        "indexed_partitions": found.index.attached,
        "obstacles": found.obstacles,
    }
