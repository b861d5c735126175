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
        "Review pending suggestions of background consolidation and fact extraction: list those that wait for "
        "approval, accept (approve) or reject (turn down) one. A suggestion links two memories, replaces an old one or "
        "records an extracted fact; none takes effect without this. Read both memories before you decide."
    ),
    scopes=frozenset({OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE}),
    annotations=APPEND,
    input=ReviewProposalsInput,
    output=ReviewProposalsOutput,
    handler=_handle,
)
