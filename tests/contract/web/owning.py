"""What an owner of an account has: a credential to write with, and memories that wait for a decision."""

from dataclasses import dataclass
from uuid import UUID

from tests.contract.web.stack import Owner
from tests.integration.core.proposing import propose_edge, propose_fact
from tests.integration.core.writing import write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.identity.api_keys import create_api_key, resolve_api_key
from threengram.schema.enums import OAuthScope


async def person_of(core: Core, owner: Owner) -> Person:
    """The owner as somebody whose program writes."""
    made = await create_api_key(
        core.database, owner.principal, name="tests", scopes=tuple(OAuthScope), now=core.clock()
    )
    resolved = await resolve_api_key(core.database, made.text, core.clock())
    assert resolved is not None
    return Person(made.text, resolved.principal)


@dataclass(frozen=True)
class Proposed:
    """Two memories, an edge between them and a fact out of one, proposed."""

    person: Person
    older: UUID
    newer: UUID
    edge: UUID
    fact: UUID


async def something_proposed(core: Core, owner: Owner, about: str = "the harbour") -> Proposed:
    """Open proposals of both kinds."""
    person = await person_of(core, owner)
    older = (await write(core, person, topic=f"Berth of {about}", content=f"{about} is at berth 3")).memory.id
    newer = (await write(core, person, topic=f"New berth of {about}", content=f"{about} is at berth 7")).memory.id
    edge = await propose_edge(core, person, newer, older)
    fact = await propose_fact(core, person, newer, subject=about, predicate="berth", value="7")
    return Proposed(person, older, newer, edge, fact)
