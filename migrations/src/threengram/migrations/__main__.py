"""`python -m threengram.migrations upgrade --phase pre|post|all`, `index` and `model add|status|activate|…`.

What happened is one JSON line on standard output, as the services log; a refusal is one line and exit code 1.
"""

import argparse
import json
import sys
from collections.abc import Sequence

import psycopg

from threengram.migrations import models, waiting
from threengram.migrations.generations import ensure_model
from threengram.migrations.index import build_index
from threengram.migrations.phases import NewerSchema, Phase, UnfinishedRelease
from threengram.migrations.run import retire, upgrade
from threengram.migrations.settings import Settings
from threengram.migrations.status import generations
from threengram.schema.enums import ModelState


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m threengram.migrations")
    commands = parser.add_subparsers(dest="command", required=True)
    upgrading = commands.add_parser("upgrade", help="run pending migrations, then roles and grants")
    upgrading.add_argument("--phase", type=Phase, choices=list(Phase), default=Phase.ALL)
    commands.add_parser("index", help="register the embedding model and build its index")
    models.add_commands(commands.add_parser("model", help="generations of embeddings"))
    given = parser.parse_args(arguments)
    settings = Settings.model_validate({})
    try:
        if given.command == "index":
            _say("index_ready", models=_index(settings))
        elif given.command == "model":
            for fields in models.run(settings.owner_url.get_secret_value(), given):
                _say("model", **fields)
        else:
            _say("schema_upgraded", revision=_upgrade(settings, given.phase), phase=given.phase)
    except (UnfinishedRelease, NewerSchema, waiting.NotReadyInTime, ValueError, LookupError) as refusal:
        _say("refused", reason=str(refusal))
        return 1
    return 0


def _upgrade(settings: Settings, phase: Phase) -> str | None:
    owner_url = settings.owner_url.get_secret_value()
    waiting.for_database(owner_url, timeout_s=settings.wait_s)
    revision = upgrade(
        owner_url,
        runtime_password=settings.runtime_password.get_secret_value(),
        runtime_role=settings.runtime_role,
        phase=phase,
    )
    if phase is not Phase.PRE:
        retire(owner_url, settings.retired_roles)
    return revision


def _index(settings: Settings) -> list[str]:
    """The models whose index stands afterwards: those in use, or the first one, which is registered."""
    owner_url = settings.owner_url.get_secret_value()
    waiting.for_schema(owner_url, timeout_s=settings.wait_s)
    with psycopg.connect(owner_url, autocommit=True) as owner:
        in_use = [model for model in generations(owner) if model.state is not ModelState.RETIRED]
        for model in in_use:
            build_index(owner, model_id=model.id, dimensions=model.dimensions)
    if in_use:
        return [model.name for model in in_use]
    ensure_model(
        owner_url,
        name=settings.model_name,
        dimensions=settings.model_dimensions,
        is_metered=settings.model_is_metered,
    )
    return [settings.model_name]


def _say(event: str, **fields: object) -> None:
    sys.stdout.write(json.dumps({"event": event, "service": "migrations", **fields}) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
