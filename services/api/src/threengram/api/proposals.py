"""`/proposals`: what background work suggests, and what a person makes of it."""

from typing import Any, Final, TypeVar
from urllib.parse import urlencode
from uuid import UUID

from pydantic import ValidationError
from starlette.responses import Response
from starlette.routing import Route

from threengram.api.pages import PageRefused, see_other
from threengram.api.visits import NOT_FOUND, Visit, Visits, sentence
from threengram.core.consolidation.switch import get_consolidation, switch_consolidation
from threengram.core.errors import Conflict, InvalidCursor
from threengram.core.memories import get_memories
from threengram.core.proposals import review_proposals, undo_proposal
from threengram.schema.base import Input
from threengram.schema.bounds import MIN_GET_CONTENT_CHARS
from threengram.schema.consolidation import GetConsolidationInput, SwitchConsolidationInput
from threengram.schema.enums import EdgeType, ProposalStatus, RejectionReason
from threengram.schema.memories import GetMemoriesInput, MemoryRead
from threengram.schema.proposals import (
    AcceptProposal,
    ListProposals,
    ProposalsListed,
    RejectProposal,
    UndoProposalInput,
)

PROPOSALS_PATH: Final = "/proposals"
PAGE_LIMIT: Final = 6
"""Of each kind: their memories, three for two of them, are read in one call of at most twenty."""

EDGES: Final = {
    EdgeType.SUPERSEDES: "takes the place of the older one",
    EdgeType.UPDATES: "says the present state of the older one",
    EdgeType.EXTENDS: "adds to the older one",
    EdgeType.DERIVES: "follows from the older one",
}
REASONS: Final = {
    RejectionReason.DECLINED: "You said no.",
    RejectionReason.UNDONE: "You took your yes back.",
    RejectionReason.SUPERSEDED: "One of the memories has been superseded meanwhile.",
    RejectionReason.NOT_LIVE: "One of the memories is no longer in use.",
    RejectionReason.ALREADY_RECORDED: "It was on record already.",
}
DONE: Final = {
    "accepted": "Accepted. You find it under Accepted, where a connection can be taken back.",
    "rejected": "Rejected. The same will not be proposed again.",
    "undone": "Taken back. The older memory is as it was.",
    "on": "Your memories are compared in the background from now on.",
    "off": "Your memories are not compared any more. What is proposed already can still be decided.",
}
TABS: Final = (
    (ProposalStatus.PROPOSED, "Open"),
    (ProposalStatus.APPLIED, "Accepted"),
    (ProposalStatus.REJECTED, "Rejected"),
)
_EMPTY: Final = {
    ProposalStatus.PROPOSED: "Nothing waits for you. Memories that repeat, replace or complete each other appear here.",
    ProposalStatus.APPLIED: "Nothing was accepted yet.",
    ProposalStatus.REJECTED: "Nothing was rejected yet.",
}
Asked = TypeVar("Asked", bound=Input)


class ProposalPages:
    """The list and what its forms do."""

    def __init__(self, visits: Visits) -> None:
        self._visits = visits

    def routes(self) -> list[Route]:
        """One page, and one route for each form."""
        one = PROPOSALS_PATH + "/{proposal_id}"
        return [
            self._visits.page(PROPOSALS_PATH, self._show),
            self._visits.form(f"{PROPOSALS_PATH}/consolidation", self._switch, back=PROPOSALS_PATH),
            self._visits.form(f"{one}/accept", self._accept, back=PROPOSALS_PATH),
            self._visits.form(f"{one}/reject", self._reject, back=PROPOSALS_PATH),
            self._visits.form(f"{one}/undo", self._undo, back=PROPOSALS_PATH),
        ]

    async def _show(self, visit: Visit) -> Response:
        query = visit.request.query_params
        asked = {name: query[name] for name in ("status", "cursor") if name in query}
        request = _asked(ListProposals, limit=PAGE_LIMIT, **asked)
        try:
            return await _page(visit, request, done=DONE.get(query.get("done", "")))
        except InvalidCursor:
            # A link from another time; the list begins anew.
            return see_other(_list(request.status))

    async def _accept(self, visit: Visit) -> Response:
        chosen = visit.form.get("edge_type")
        given = {} if chosen is None else {"edgeType": chosen}
        request = _asked(AcceptProposal, proposalId=_id(visit), **given)
        try:
            await visit.run(review_proposals, request)
        except Conflict as error:
            return await _refused(visit, ProposalStatus.PROPOSED, error)
        return see_other(_list(ProposalStatus.PROPOSED, done="accepted"))

    async def _reject(self, visit: Visit) -> Response:
        await visit.run(review_proposals, RejectProposal(proposal_id=_id(visit)))
        return see_other(_list(ProposalStatus.PROPOSED, done="rejected"))

    async def _undo(self, visit: Visit) -> Response:
        try:
            await visit.run(undo_proposal, UndoProposalInput(proposal_id=_id(visit)))
        except Conflict as error:
            return await _refused(visit, ProposalStatus.APPLIED, error)
        return see_other(_list(ProposalStatus.APPLIED, done="undone"))

    async def _switch(self, visit: Visit) -> Response:
        enabled = visit.form.get("enabled") == "yes"
        await visit.run(switch_consolidation, SwitchConsolidationInput(enabled=enabled))
        return see_other(_list(ProposalStatus.PROPOSED, done="on" if enabled else "off"))


async def _refused(visit: Visit, status: ProposalStatus, error: Conflict) -> Response:
    """The list again, with what is in the way."""
    request = ListProposals(status=status, limit=PAGE_LIMIT)
    return await _page(visit, request, 409, problem=sentence(str(error)))


async def _page(
    visit: Visit, request: ListProposals, status_code: int = 200, *, done: str | None = None, problem: str | None = None
) -> Response:
    listed = await visit.run(review_proposals, request)
    if not isinstance(listed, ProposalsListed):
        raise TypeError("a list was asked for")
    facts = listed.fact_proposals or []
    named = [memory_id for edge in listed.proposals for memory_id in (edge.from_id, edge.to_id)]
    context: dict[str, Any] = {
        "state": await visit.run(get_consolidation, GetConsolidationInput()),
        "status": request.status,
        "tabs": [(status, label, _list(status)) for status, label in TABS],
        "edges": listed.proposals,
        "facts": facts,
        "memories": await _memories(visit, [*named, *(fact.memory_id for fact in facts)]),
        "next": _list(request.status, cursor=listed.next_cursor) if listed.next_cursor else None,
        "is_continued": request.cursor is not None,
        "edge_words": EDGES,
        "reasons": REASONS,
        "empty": _EMPTY[request.status],
        "done": done,
        "problem": problem,
    }
    return visit.render("proposals.html", context, status_code)


async def _memories(visit: Visit, ids: list[UUID]) -> dict[UUID, MemoryRead]:
    """Each by its id, with the beginning of its content."""
    if not ids:
        return {}
    request = GetMemoriesInput(ids=list(dict.fromkeys(ids)), max_content_chars=MIN_GET_CONTENT_CHARS)
    found = await visit.run(get_memories, request)
    return {memory.id: memory for memory in found.memories}


def _list(status: ProposalStatus, **more: str) -> str:
    """The address of a list."""
    return f"{PROPOSALS_PATH}?{urlencode({'status': status, **more})}"


def _id(visit: Visit) -> UUID:
    try:
        return UUID(visit.request.path_params["proposal_id"])
    except ValueError:
        raise PageRefused(404, "Not found", NOT_FOUND) from None


def _asked(model: type[Asked], **given: object) -> Asked:
    """The arguments of a verb from texts of a form or an address."""
    try:
        return model.model_validate(given, strict=False)
    except ValidationError:
        raise PageRefused(400, "That does not work", "There is no such list or choice.") from None
