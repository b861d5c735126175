"""`threengram proposals`: what background work suggests, and a person's yes or no."""

from itertools import islice
from typing import Annotated
from uuid import UUID

import typer
from rich.console import Group, RenderableType

from threengram.cli.memory import text
from threengram.cli.memory.command import Found, uses_memory
from threengram.cli.memory.options import Limit
from threengram.schema.bounds import DEFAULT_PROPOSALS_LIMIT, MAX_PROPOSALS_LIMIT
from threengram.schema.enums import EdgeType, ProposalStatus
from threengram.schema.proposals import EdgeProposal, FactProposal
from threengram.sdk import Threengram

app = typer.Typer(help="What background work suggests: list, accept, reject, undo.", no_args_is_help=True)
ProposalId = Annotated[UUID, typer.Argument(metavar="ID", help="As `threengram proposals list` shows it.")]


@uses_memory
def list_proposals(
    memory: Threengram,
    status: Annotated[ProposalStatus, typer.Option(help="Open, accepted or rejected ones.")] = ProposalStatus.PROPOSED,
    limit: Limit = DEFAULT_PROPOSALS_LIMIT,
) -> Found:
    """Show proposals: edges between memories, and facts."""
    walk = memory.iter_proposals(status=status, limit=min(limit, MAX_PROPOSALS_LIMIT))
    found = list(islice(walk, limit))
    shown = Group(*(_shown(proposal) for proposal in found)) if found else text.line("nothing to decide")
    return Found({"proposals": [*found]}, shown)


@uses_memory
def accept(
    memory: Threengram,
    proposal_id: ProposalId,
    edge: Annotated[EdgeType | None, typer.Option(help="Another edge than the proposed one.")] = None,
) -> Found:
    """Draw the proposed edge, or write the proposed fact."""
    answer = memory.accept_proposal(proposal_id=proposal_id, edge_type=edge)
    return Found(answer, text.line(answer.proposal.status))


@uses_memory
def reject(memory: Threengram, proposal_id: ProposalId) -> Found:
    """Say no; the same will not be proposed again."""
    answer = memory.reject_proposal(proposal_id=proposal_id)
    return Found(answer, text.line(answer.proposal.status))


@uses_memory
def undo(memory: Threengram, proposal_id: ProposalId) -> Found:
    """Take an accepted edge back."""
    answer = memory.undo_proposal(proposal_id=proposal_id)
    return Found(answer, text.line(answer.proposal.reason or answer.proposal.status))


def _shown(proposal: EdgeProposal | FactProposal) -> RenderableType:
    if isinstance(proposal, EdgeProposal):
        newer = text.line(text.said(proposal.from_topic, "bold"), str(proposal.from_id))
        older = text.line(text.said(proposal.to_topic, "bold"), str(proposal.to_id))
        return Group(text.line(str(proposal.id), proposal.edge_type), text.below(newer), text.below(older))
    claim = text.line(text.said(proposal.subject), text.said(proposal.predicate), text.said(proposal.value, "bold"))
    return Group(text.line(str(proposal.id), "fact"), text.below(claim), text.below(text.said(proposal.topic)))


for name, command in {"list": list_proposals, "accept": accept, "reject": reject, "undo": undo}.items():
    app.command(name)(command)
