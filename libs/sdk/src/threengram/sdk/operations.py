"""Every operation of `/api/v1`, once for both clients. The docstring of each is its documentation; it has no body.

The two that take an `action` on the wire are a method for each action here.
"""

from typing import Final

from pydantic import TypeAdapter

from threengram.schema.account import DeleteAccountInput, DeleteAccountOutput
from threengram.schema.briefing import BriefingInput, BriefingOutput
from threengram.schema.browse import (
    HistoryInput,
    HistoryOutput,
    ListFacetsInput,
    ListFacetsOutput,
    ListMemoriesInput,
    ListMemoriesOutput,
    StatsInput,
)
from threengram.schema.commitments import ResolveInput, ResolveOutput
from threengram.schema.consolidation import ConsolidationOutput, GetConsolidationInput, SwitchConsolidationInput
from threengram.schema.environment import (
    DescribeEnvironmentInput,
    DescribeEnvironmentOutput,
    MemoryStats,
    VersionInput,
    VersionOutput,
)
from threengram.schema.export import ExportInput, ExportRecord
from threengram.schema.facts import GetFactsInput, GetFactsOutput
from threengram.schema.handoff import HandoffInput, HandoffOutput
from threengram.schema.imports import ImportInput, ImportReport
from threengram.schema.memories import (
    GetMemoriesInput,
    GetMemoriesOutput,
    GetMemoryInput,
    MemoryRead,
    RememberInput,
    RememberOutput,
)
from threengram.schema.proposals import (
    AcceptProposal,
    EdgeApplied,
    EdgeProposal,
    EdgeRejected,
    FactApplied,
    FactProposal,
    FactRejected,
    ListProposals,
    ProposalsListed,
    RejectProposal,
    UndoProposalInput,
    UndoProposalOutput,
)
from threengram.schema.revisions import ArchiveInput, ArchiveOutput, ReviseInput, ReviseOutput
from threengram.schema.scopes import (
    CreateScope,
    DeleteScope,
    ListScopesInput,
    MappingSet,
    RenameScope,
    RetrievalDefaultSet,
    ScopeDeleted,
    ScopesListed,
    ScopeUpserted,
    SetAliases,
    SetMapping,
    SetRetrievalDefault,
)
from threengram.schema.search import SearchInput, SearchOutput
from threengram.schema.sessions import (
    OpenSessionInput,
    SessionAlive,
    SessionClosed,
    SessionEvents,
    SessionEventsInput,
    SessionInput,
    SessionOpened,
)
from threengram.sdk.iteration import downloads, walks
from threengram.sdk.operation import reads, writes
from threengram.sdk.records import is_end, record_of
from threengram.sdk.uploads import uploads

_ACCEPTED: Final[TypeAdapter[EdgeApplied | FactApplied]] = TypeAdapter(EdgeApplied | FactApplied)
_REJECTED: Final[TypeAdapter[EdgeRejected | FactRejected]] = TypeAdapter(EdgeRejected | FactRejected)


def _proposed(page: ProposalsListed) -> list[EdgeProposal | FactProposal]:
    return [*page.proposals, *(page.fact_proposals or ())]


class Operations:
    """What a memory can be asked."""

    @writes("POST", "/memories", RememberInput, RememberOutput)
    def remember(self) -> None:
        """Append one memory with its facts and, for a commitment, its schedule. Nothing is merged or overwritten.

        Raises `DuplicateMemory` for content that is live already; its `id` names the memory in the way.
        """

    @reads("POST", "/search", SearchInput, SearchOutput)
    def search(self) -> None:
        """One page of what is found by meaning and by words, best first, or newest first and complete by `order`.

        `coverage` says what the search could see, and whether the best hit looks like an answer.
        """

    @walks(search, lambda page: page.hits)
    def iter_hits(self) -> None:
        """Every hit of a search, page by page. A walk by relevance ends at the candidates of its first page."""

    @reads("POST", "/facts/get", GetFactsInput, GetFactsOutput)
    def get_facts(self) -> None:
        """One page of measured values: as valid now, at a past instant (`as_of`), or as a series (`range`)."""

    @walks(get_facts, lambda page: page.facts)
    def iter_facts(self) -> None:
        """Every fact that answers the question, page by page."""

    @writes("POST", "/memories/{predecessorId}/revise", ReviseInput, ReviseOutput)
    def revise(self) -> None:
        """Correct a memory by a successor; the old one stays readable and ranks below it."""

    @writes("POST", "/memories/{memoryId}/resolve", ResolveInput, ResolveOutput)
    def resolve(self) -> None:
        """Move a commitment or a blocker on: done, waiting, given up, or open again."""

    @writes("POST", "/memories/{memoryId}/archive", ArchiveInput, ArchiveOutput)
    def archive(self) -> None:
        """Put a memory away: out of briefings and default searches, still readable."""

    @writes("POST", "/memories/{memoryId}/unarchive", ArchiveInput, ArchiveOutput)
    def unarchive(self) -> None:
        """Bring an archived memory back."""

    @reads("POST", "/briefing", BriefingInput, BriefingOutput)
    def briefing(self) -> None:
        """What matters now: commitments, overdue ones, blockers, what may be stale, decisions, preferences."""

    @reads("POST", "/handoff", HandoffInput, HandoffOutput)
    def handoff(self) -> None:
        """A bounded package for whoever takes the work over."""

    @reads("POST", "/memories/get", GetMemoriesInput, GetMemoriesOutput)
    def get_memories(self) -> None:
        """Up to twenty memories by id, newest first; unknown ids stand in `not_found`."""

    @reads("GET", "/memories/{id}", GetMemoryInput, MemoryRead)
    def get_memory(self) -> None:
        """One memory with its whole content, archived and superseded ones included."""

    @reads("GET", "/memories/{id}/history", HistoryInput, HistoryOutput)
    def history(self) -> None:
        """What a memory came from and what came of it, every event, every version of its lifetime."""

    @reads("GET", "/memories", ListMemoriesInput, ListMemoriesOutput)
    def list_memories(self) -> None:
        """One page of memories, newest first, with excerpts of their contents where asked."""

    @walks(list_memories, lambda page: page.memories)
    def iter_memories(self) -> None:
        """Every memory that passes the filters, newest first. Rows written meanwhile neither repeat nor hide others."""

    @reads("GET", "/memories/facets", ListFacetsInput, ListFacetsOutput)
    def list_facets(self) -> None:
        """The scopes and projects in use."""

    @reads("GET", "/stats", StatsInput, MemoryStats)
    def stats(self) -> None:
        """Counts of memories by type and state, of commitments by status, of open facts."""

    @reads("GET", "/scopes", ListScopesInput, ScopesListed)
    def list_scopes(self) -> None:
        """Every registered scope with its aliases and the projects filed into it."""

    @writes("POST", "/scopes", CreateScope, ScopeUpserted)
    def create_scope(self) -> None:
        """Register a scope."""

    @writes("POST", "/scopes", RenameScope, ScopeUpserted)
    def rename_scope(self) -> None:
        """Give a scope another name and its memories with it; the old one stays an alias."""

    @writes("POST", "/scopes", SetAliases, ScopeUpserted)
    def set_aliases(self) -> None:
        """Replace the aliases of a scope."""

    @writes("POST", "/scopes", SetMapping, MappingSet)
    def set_mapping(self) -> None:
        """File what is written for a project into a scope unless the write names one; without `scope`, no longer."""

    @writes("POST", "/scopes", DeleteScope, ScopeDeleted)
    def delete_scope(self) -> None:
        """Take a scope out of the registry; its memories stay where they are."""

    @writes("POST", "/scopes", SetRetrievalDefault, RetrievalDefaultSet)
    def set_retrieval_default(self) -> None:
        """Say what a read without a scope means."""

    @reads("POST", "/proposals", ListProposals, ProposalsListed)
    def list_proposals(self) -> None:
        """One page of what background work suggests: edges between memories, and facts."""

    @walks(list_proposals, _proposed)
    def iter_proposals(self) -> None:
        """Every proposal of a status, page by page, the edges of a page before its facts."""

    @writes("POST", "/proposals", AcceptProposal, _ACCEPTED)
    def accept_proposal(self) -> None:
        """Draw the proposed edge, or write the proposed fact."""

    @writes("POST", "/proposals", RejectProposal, _REJECTED)
    def reject_proposal(self) -> None:
        """Say no; the same will not be proposed again."""

    @writes("POST", "/proposals/{proposalId}/undo", UndoProposalInput, UndoProposalOutput)
    def undo_proposal(self) -> None:
        """Take an accepted edge back; the older memory is valid again."""

    @reads("GET", "/consolidation", GetConsolidationInput, ConsolidationOutput)
    def get_consolidation(self) -> None:
        """Whether memories are compared in the background, how many remain, what waits for a decision."""

    @writes("POST", "/consolidation", SwitchConsolidationInput, ConsolidationOutput)
    def switch_consolidation(self) -> None:
        """Switch the comparison of memories on or off, for the whole account."""

    @writes("POST", "/agent-sessions/open", OpenSessionInput, SessionOpened)
    def open_session(self) -> None:
        """Begin a run of an agent, or go on with it under the same key. Its lease lasts 24 hours."""

    @writes("POST", "/agent-sessions/heartbeat", SessionInput, SessionAlive)
    def heartbeat_session(self) -> None:
        """Renew the lease of a run."""

    @writes("POST", "/agent-sessions/close", SessionInput, SessionClosed)
    def close_session(self) -> None:
        """End a run; later writes that name it are stored without it."""

    @reads("GET", "/agent-sessions/{id}/events", SessionEventsInput, SessionEvents)
    def session_events(self) -> None:
        """One page of what a run wrote, oldest first."""

    @walks(session_events, lambda page: page.items)
    def iter_session_events(self) -> None:
        """Everything that a run wrote, oldest first."""

    @downloads("GET", "/export", ExportInput, ExportRecord, record_of, is_end)
    def export(self) -> None:
        """Everything that the account holds, of one snapshot, record by record; the last one counts them.

        Needs the scope `account`. Raises `Unreachable` at the end of an export that was cut off.
        """

    @uploads("POST", "/import", ImportInput, ImportReport)
    def import_account(self) -> None:
        """Bring in an export, the lines of `file`: a file opened for reading bytes, or anything else that gives them.

        Nothing that is there already is changed, and the same file a second time changes nothing; so one that was
        interrupted is sent again. Needs the scope `account`. Raises `InvalidInput` with the `line` that can't be
        understood; what stands before it is in.
        """

    @writes("DELETE", "/account", DeleteAccountInput, DeleteAccountOutput)
    def delete_account(self) -> None:
        """The end of the account, for good: from the answer on nothing opens it. Needs the scope `account`."""

    @reads("GET", "/environment", DescribeEnvironmentInput, DescribeEnvironmentOutput)
    def describe_environment(self) -> None:
        """What this server can do for the caller, and how much it holds."""

    @reads("GET", "/version", VersionInput, VersionOutput)
    def version(self) -> None:
        """The release that answers. Any credential that stands may ask."""
