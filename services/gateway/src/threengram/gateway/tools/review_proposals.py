"""`review_proposals`: what background work suggests."""

from threengram.core.call import Call
from threengram.core.proposals import review_proposals
from threengram.gateway.tools.tool import APPEND, Tool
from threengram.schema.enums import OAuthScope
from threengram.schema.proposals import ReviewProposalsInput, ReviewProposalsOutput


async def _handle(call: Call, request: ReviewProposalsInput) -> ReviewProposalsOutput:
    return await review_proposals(call, request)


REVIEW_PROPOSALS = Tool(
    name="review_proposals",
    title="Review Proposals",
    description=(
        "Go through what background work suggests about stored memories: that one replaces or extends another, or "
        "that a measurable claim be recorded as a fact. list shows open suggestions, accept carries one out, reject"
        " drops it for good. Read both memories before deciding. Nothing suggested takes effect without this."
    ),
    scopes=frozenset({OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE}),
    annotations=APPEND,
    input=ReviewProposalsInput,
    output=ReviewProposalsOutput,
    handler=_handle,
)
