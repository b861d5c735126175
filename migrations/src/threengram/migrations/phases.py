"""When a migration runs in a rollout: `pre`, what new code needs; `post`, what takes away what old code needed.

Every migration says so in its docstring (`deploy: pre` or `deploy: post`). Between the two runs, the code of both
releases serves on the same schema.
"""

import re
from collections.abc import Sequence
from enum import StrEnum

from alembic.script import Script, ScriptDirectory

DEPLOY = re.compile(r"^deploy: (pre|post)$", re.MULTILINE)


class Phase(StrEnum):
    """Which pending migrations to run; `all` is for when no code runs that could need the old schema."""

    PRE = "pre"
    POST = "post"
    ALL = "all"


class UnfinishedRelease(Exception):
    """A `post` migration of an earlier release is pending and new ones stand behind it."""


class NewerSchema(Exception):
    """A later release has been at the database, and no code of it may still run."""


def phase_of(script: Script) -> Phase:
    """What the docstring of a migration says."""
    said = DEPLOY.search(script.module.__doc__ or "")
    if said is None:
        raise ValueError(f"migration {script.revision} says neither `deploy: pre` nor `deploy: post`")
    return Phase(said[1])


def target(scripts: ScriptDirectory, current: str | None, phase: Phase) -> str | None:
    """The revision to upgrade to, or None when nothing is to be done.

    An empty database has no old code, so all of its schema is `pre`. Raises `UnfinishedRelease` when `pre` meets a
    pending `post` in the way: that one belongs to the release before, whose code may still run.
    """
    pending = _pending(scripts, current)
    if phase is Phase.ALL or current is None:
        return pending[-1].revision if pending else None
    leading: list[Script] = []
    for script in pending:
        if phase is Phase.PRE and phase_of(script) is Phase.POST:
            break
        leading.append(script)
    behind = pending[len(leading) :]
    if any(phase_of(script) is Phase.PRE for script in behind):
        raise UnfinishedRelease(
            f"migration {behind[0].revision} (deploy: post) is pending and later ones wait behind it: finish "
            "the release that it belongs to (--phase post, once its predecessor's pods are gone), then upgrade"
        )
    if phase is Phase.POST and any(phase_of(script) is Phase.PRE for script in pending):
        raise UnfinishedRelease(f"migration {pending[0].revision} is pending: run --phase pre first")
    return leading[-1].revision if leading else None


def is_ahead(scripts: ScriptDirectory, current: str | None, phase: Phase) -> bool:
    """Whether a later release has been at the database, so that its schema and its grants stay as they are.

    That is a release that was rolled back: between `pre` and `post`, former code serves on the newer schema. Raises
    `NewerSchema` for `all`, where `post` has run as well. Revisions are numbers of four digits.
    """
    newest = scripts.get_current_head()
    if current is None or newest is None or current <= newest:
        return False
    if phase is Phase.ALL:
        raise NewerSchema(
            f"the database is at revision {current}, and this release knows {newest} at most: run the release that "
            "brought it there, or restore a backup of before"
        )
    return True


def _pending(scripts: ScriptDirectory, current: str | None) -> Sequence[Script]:
    """Oldest first. The history is one line, so what is pending is everything after `current`."""
    newest_first = list(scripts.walk_revisions())
    done = [script.revision for script in newest_first].index(current) if current is not None else len(newest_first)
    return newest_first[:done][::-1]
