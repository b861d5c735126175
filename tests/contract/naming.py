"""Which argument of which verb names something of a tenant, and a request for each.

`$named` is the name under test, `$fresh` text that was never there, `$own…` something of the caller's.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """What a name is the name of."""

    MEMORY = "memory"
    COMMITMENT = "commitment"
    BLOCKER = "blocker"
    ARCHIVED = "archived"
    RUN = "run"
    EDGE = "edge"
    APPLIED_EDGE = "applied edge"
    FACT = "fact"
    SCOPE = "scope"
    PROJECT = "project"
    TAG = "tag"
    SUBJECT = "subject"
    PREDICATE = "predicate"
    WORD = "word"
    SESSION_KEY = "session key"
    CURSOR = "cursor"


IDS = frozenset({Kind.MEMORY, Kind.COMMITMENT, Kind.BLOCKER, Kind.ARCHIVED, Kind.RUN, Kind.EDGE, Kind.APPLIED_EDGE,
                 Kind.FACT})  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A request of a verb whose argument is `$named`, the name of a thing of some kind."""

    verb: str
    argument: str
    kind: Kind
    arguments: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.verb}: {self.argument} of {self.kind} {self.arguments.get('action', '')}".rstrip()


NOTE = {"memoryType": "note", "topic": "topic", "content": "content $fresh"}
FACT = {"subject": "subject", "predicate": "predicate", "value": "1"}
OWN = {**NOTE, "predecessorId": "$own_memory"}
RUN = {"agent": "agent", "sessionKey": "$named"}


def _filing(verb: str, base: dict[str, Any]) -> list[Case]:
    """What a write may file a memory under."""
    return [
        Case(verb, "scope", Kind.SCOPE, {**base, "scope": "$named"}),
        Case(verb, "project", Kind.PROJECT, {**base, "project": "$named"}),
        Case(verb, "tags", Kind.TAG, {**base, "tags": ["$named"]}),
        Case(verb, "facts.subject", Kind.SUBJECT, {**base, "facts": [{**FACT, "subject": "$named"}]}),
        Case(verb, "facts.predicate", Kind.PREDICATE, {**base, "facts": [{**FACT, "predicate": "$named"}]}),
        Case(verb, "sessionRunId", Kind.RUN, {**base, "sessionRunId": "$named"}),
    ]


def _selecting(verb: str) -> list[Case]:
    by_scope = {"selector": {"kind": "scope", "scope": "$named"}}
    by_project = {"selector": {"kind": "project", "project": "$named"}}
    return [
        Case(verb, "selector.scope", Kind.SCOPE, by_scope),
        Case(verb, "selector.project", Kind.PROJECT, by_project),
    ]


LISTED = {"order": "chronological", "memoryType": "note", "limit": 1}

CASES: list[Case] = [
    Case("search", "query", Kind.WORD, {"query": "$named"}),
    Case("search", "scope", Kind.SCOPE, {"query": "anything", "scope": "$named"}),
    Case("search", "project", Kind.PROJECT, {"query": "anything", "project": "$named"}),
    Case("search", "cursor", Kind.CURSOR, {**LISTED, "cursor": "$named"}),
    *_filing("remember", NOTE),
    Case("get_facts", "subject", Kind.SUBJECT, {"subject": "$named"}),
    Case("get_facts", "predicate", Kind.PREDICATE, {"predicate": "$named"}),
    Case("get_facts", "scope", Kind.SCOPE, {"subject": "subject", "scope": "$named"}),
    Case("get_facts", "project", Kind.PROJECT, {"subject": "subject", "project": "$named"}),
    Case("get_facts", "cursor", Kind.CURSOR, {"limit": 1, "cursor": "$named"}),
    Case("revise", "predecessorId", Kind.MEMORY, {**NOTE, "predecessorId": "$named"}),
    *_filing("revise", OWN),
    Case("resolve", "memoryId", Kind.COMMITMENT, {"memoryId": "$named", "status": "resolved"}),
    Case("resolve", "memoryId", Kind.BLOCKER, {"memoryId": "$named", "status": "resolved"}),
    Case("resolve", "sessionRunId", Kind.RUN, {"memoryId": "$own_blocker", "status": "waiting",
                                               "sessionRunId": "$named"}),
    *_selecting("briefing"),
    *_selecting("handoff"),
    Case("get_memories", "ids", Kind.MEMORY, {"ids": ["$named"]}),
    Case("review_proposals", "proposalId", Kind.EDGE, {"action": "accept", "proposalId": "$named"}),
    Case("review_proposals", "proposalId", Kind.EDGE, {"action": "reject", "proposalId": "$named"}),
    Case("review_proposals", "proposalId", Kind.FACT, {"action": "accept", "proposalId": "$named"}),
    Case("review_proposals", "proposalId", Kind.FACT, {"action": "reject", "proposalId": "$named"}),
    Case("review_proposals", "cursor", Kind.CURSOR, {"action": "list", "limit": 1, "cursor": "$named"}),
    Case("get_memory", "id", Kind.MEMORY, {"id": "$named"}),
    Case("history", "id", Kind.MEMORY, {"id": "$named"}),
    Case("archive", "memoryId", Kind.MEMORY, {"memoryId": "$named"}),
    Case("archive", "sessionRunId", Kind.RUN, {"memoryId": "$own_memory", "sessionRunId": "$named"}),
    Case("unarchive", "memoryId", Kind.ARCHIVED, {"memoryId": "$named"}),
    Case("unarchive", "sessionRunId", Kind.RUN, {"memoryId": "$own_memory", "sessionRunId": "$named"}),
    Case("undo_proposal", "proposalId", Kind.APPLIED_EDGE, {"proposalId": "$named"}),
    Case("list_memories", "scope", Kind.SCOPE, {"scope": "$named"}),
    Case("list_memories", "project", Kind.PROJECT, {"project": "$named"}),
    Case("list_memories", "tag", Kind.TAG, {"tag": "$named"}),
    Case("list_memories", "cursor", Kind.CURSOR, {"limit": 1, "cursor": "$named"}),
    Case("list_facets", "prefix", Kind.PROJECT, {"prefix": "$named"}),
    Case("open_session", "sessionKey", Kind.SESSION_KEY, RUN),
    Case("open_session", "project", Kind.PROJECT, {**RUN, "sessionKey": "$fresh", "project": "$named"}),
    Case("open_session", "scope", Kind.SCOPE, {**RUN, "sessionKey": "$fresh", "scope": "$named"}),
    Case("heartbeat_session", "sessionKey", Kind.SESSION_KEY, {**RUN, "agent": "other-agent"}),
    Case("close_session", "sessionKey", Kind.SESSION_KEY, {**RUN, "agent": "other-agent"}),
    Case("session_events", "id", Kind.RUN, {"id": "$named"}),
    Case("session_events", "cursor", Kind.CURSOR, {"id": "$own_run", "limit": 1, "cursor": "$named"}),
    Case("configure_scope", "name", Kind.SCOPE, {"action": "create", "name": "$named"}),
    Case("configure_scope", "name", Kind.SCOPE, {"action": "rename", "name": "$named", "newName": "$fresh"}),
    Case("configure_scope", "newName", Kind.SCOPE, {"action": "rename", "name": "$own_scope", "newName": "$named"}),
    Case("configure_scope", "name", Kind.SCOPE, {"action": "set_aliases", "name": "$named", "aliases": ["$fresh"]}),
    Case("configure_scope", "aliases", Kind.SCOPE, {"action": "create", "name": "$fresh", "aliases": ["$named"]}),
    Case("configure_scope", "project", Kind.PROJECT, {"action": "set_mapping", "project": "$named"}),
    Case("configure_scope", "scope", Kind.SCOPE, {"action": "set_mapping", "project": "$fresh", "scope": "$named"}),
    Case("configure_scope", "name", Kind.SCOPE, {"action": "delete", "name": "$named"}),
    Case("configure_scope", "scope", Kind.SCOPE, {"action": "set_retrieval_default", "mode": "default",
                                                  "scope": "$named"}),
]  # fmt: skip
"""The last one changes what the caller's later reads are about."""

NAME_NOTHING = frozenset({
    "memoryType", "memoryTypes", "topic", "content", "facts", "facts.value", "facts.confidence", "facts.validFrom",
    "facts.validTo", "dueAt", "owner", "recurrence", "limit", "status", "asOf", "asOf.validAt", "asOf.asKnownAt",
    "dryRun", "recordedAfter", "recordedBefore", "order", "projection", "range", "range.from", "range.to", "edgeIntent",
    "edgeType", "selector", "selector.kind", "selector.includeUnscoped", "mode", "sections", "sectionLimit",
    "generatedFor", "maxContentChars", "action", "agent", "source", "enabled",
    "confirm",
})  # fmt: skip
"""Arguments whose value is what the caller says and not what somebody else has.

`agent` goes with `sessionKey`, and is no name of anything without it.
"""
