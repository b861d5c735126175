"""Short ways to the two reads that begin and end an agent's work."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from tests.integration.core.writing import rows
from tests.people import Person
from threengram.core.briefing import briefing, handoff
from threengram.core.call import Core, open_call
from threengram.schema.briefing import BriefingInput, BriefingOutput
from threengram.schema.handoff import HandoffInput, HandoffOutput

EVERYTHING = {"kind": "all"}


async def brief(
    core: Core, person: Person, selector: Mapping[str, Any] = EVERYTHING, **fields: object
) -> BriefingOutput:
    """A briefing, in the words of the wire."""
    request = BriefingInput.parse(orjson.dumps({"selector": selector, **fields}))
    async with open_call(core, person.principal) as call:
        return await briefing(call, request)


async def hand_over(
    core: Core, person: Person, selector: Mapping[str, Any] = EVERYTHING, **fields: object
) -> HandoffOutput:
    """A handoff, in the words of the wire."""
    request = HandoffInput.parse(orjson.dumps({"selector": selector, **fields}))
    async with open_call(core, person.principal) as call:
        return await handoff(call, request)


def shown(answer: BriefingOutput) -> dict[str, tuple[int, list[str]]]:
    """The total and the topics of each section of a briefing."""
    sections = answer.wire()
    return {
        name: (section["count"], [item["topic"] for item in section["items"]])
        for name, section in sections.items()
        if isinstance(section, dict) and "items" in section
    }


def topics(entries: Sequence[object]) -> list[str]:
    """The topics of a handoff's entries."""
    return [getattr(entry, "topic") for entry in entries]  # noqa: B009 - entries of several shapes


async def crowd(
    core: Core, person: Person, memories: int, *, topic: str = "topic", content: str = "content", project: str = "atlas"
) -> None:
    """Many memories of all types in turn, recorded at one instant; each commitment owed, two in three in a project.

    Written past the verbs, which would take a minute for ten thousand.
    """
    await rows(
        core,
        person,
        """
        WITH written AS (
            INSERT INTO memories (tenant_id, id, memory_no, user_id, memory_type, topic, content, content_chars,
                                  content_hash, scope, project, valid_from, recorded_at, touched_at)
            SELECT %(tenant_id)s, gen_random_uuid(), n, %(user_id)s,
                   (ARRAY['decision', 'commitment', 'blocker', 'fact', 'preference', 'pattern', 'note', 'event'])
                       [1 + n %% 8],
                   %(topic)s || n, %(content)s || n, char_length(%(content)s || n), sha256(n::text::bytea),
                   (ARRAY['work', 'home', 'personal'])[1 + n %% 3],
                   CASE WHEN n %% 3 < 2 THEN %(project)s::text END, at, at, at
            FROM generate_series(1, %(memories)s) AS n, (SELECT %(at)s::timestamptz AS at) AS moment
            RETURNING id, memory_type
        )
        INSERT INTO commitments (tenant_id, id, memory_id, recorded_at, updated_at)
        SELECT %(tenant_id)s, gen_random_uuid(), id, %(at)s, %(at)s FROM written WHERE memory_type = 'commitment'
        """,
        user_id=person.principal.user_id,
        memories=memories,
        topic=topic,
        content=content,
        project=project,
        at=core.clock(),
    )
