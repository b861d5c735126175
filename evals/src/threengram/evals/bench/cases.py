"""What is measured: each case is an operation on a tenant at a concurrency."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from threengram.evals.bench import lengths, operations
from threengram.evals.bench.corpus import Text
from threengram.evals.bench.operations import EMBEDDED, Era, Mcp, Operation, Rest, embeddings
from threengram.evals.bench.world import MODEL_NAME, Site, World
from threengram.evals.bench.writes import full_texts, short_texts

STORED = b'"embedded":"'
"""Part of every answer of a write: a full-size text has a second window, which a job embeds later."""


class Kind(StrEnum):
    """The operations; the value is how the report calls them."""

    SEARCH = "MCP search"
    SEARCH_LEGACY = "MCP search, 2025-06-18"
    SEARCH_REST = "REST search"
    REMEMBER_SHORT = "MCP remember, up to 60 pieces"
    REMEMBER_FULL = "MCP remember, 2,000 characters"
    REMEMBER_REST = "REST remember, up to 60 pieces"
    GET_MEMORIES = "MCP get_memories, 5 ids"
    DESCRIBE = "MCP describe_environment"
    BRIEFING = "MCP briefing, full"
    BRIEFING_REST = "REST briefing, full"
    SEARCH_FLOOR = "SQL: search"
    REMEMBER_FLOOR = "SQL: remember, rolled back"
    GET_MEMORIES_FLOOR = "SQL: get_memories"
    EMBED_QUERY = "embedder: query"
    EMBED_20 = "embedder: 20 pieces"
    EMBED_60 = "embedder: 60 pieces"
    EMBED_256 = "embedder: 256 pieces"
    EMBED_FULL = "embedder: 2,000 characters, all windows"

    @property
    def is_sql(self) -> bool:
        """Whether it goes straight to the database."""
        return self in {Kind.SEARCH_FLOOR, Kind.REMEMBER_FLOOR, Kind.GET_MEMORIES_FLOOR}

    @property
    def is_embedding(self) -> bool:
        """Whether it goes straight to the embedder."""
        return self in {Kind.EMBED_QUERY, *_PIECES, Kind.EMBED_FULL}

    @property
    def service(self) -> str:
        """Which service answers it over HTTP."""
        if self.is_embedding:
            return "embedder"
        return Rest.service if self in {Kind.SEARCH_REST, Kind.REMEMBER_REST, Kind.BRIEFING_REST} else Mcp.service


_PIECES = {Kind.EMBED_20: 20, Kind.EMBED_60: 60, Kind.EMBED_256: 256}


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the matrix; the embedder has no tenants."""

    kind: Kind
    site: Site | None
    concurrency: int

    @property
    def label(self) -> str:
        """How progress is reported."""
        place = "" if self.site is None else f" | {self.site}"
        return f"{self.kind}{place} | C={self.concurrency}"


class Operations:
    """Makes the operation of a case; texts to write go on where the last case stopped."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._short: Iterator[Text] = short_texts()
        self._full: Iterator[Text] = full_texts()

    async def of(self, case: Case) -> Operation:
        """The operation behind a case that goes over HTTP."""
        if case.site is None:
            return self._embedding(case.kind)
        world = self._world
        caller = world.callers[case.site]
        mcp, queries, seed = Mcp(caller.token), world.corpus.queries, case.concurrency
        match case.kind:
            case Kind.SEARCH:
                return operations.search(mcp, queries, seed=seed)
            case Kind.SEARCH_LEGACY:
                return operations.search(Mcp(caller.token, Era.LEGACY), queries, seed=seed)
            case Kind.SEARCH_REST:
                return operations.search(Rest(await world.key(case.site)), queries, seed=seed)
            case Kind.REMEMBER_SHORT:
                return operations.remember(mcp, self._short, wanted=EMBEDDED)
            case Kind.REMEMBER_FULL:
                return operations.remember(mcp, self._full, wanted=STORED)
            case Kind.REMEMBER_REST:
                return operations.remember(Rest(await world.key(case.site)), self._short, wanted=EMBEDDED)
            case Kind.GET_MEMORIES:
                return operations.get_memories(mcp, await world.some_ids(case.site), seed=seed)
            case Kind.DESCRIBE:
                return operations.describe(mcp)
            case Kind.BRIEFING:
                return operations.briefing(mcp)
            case Kind.BRIEFING_REST:
                return operations.briefing(Rest(await world.key(case.site)))
        raise ValueError(f"{case.kind} does not go over HTTP to a tenant")

    def _embedding(self, kind: Kind) -> Operation:
        if kind is Kind.EMBED_QUERY:
            return embeddings(self._world.corpus.queries, model=MODEL_NAME, priority="query")
        texts = lengths.texts_of(_PIECES[kind]) if kind in _PIECES else lengths.texts_of_full_size()
        return embeddings(texts, model=MODEL_NAME, priority="write")


def _each(kind: Kind, sites: Sequence[Site | None], concurrencies: Sequence[int]) -> list[Case]:
    return [Case(kind, site, concurrency) for site in sites for concurrency in concurrencies]


_EMBEDDER = [
    case for kind in Kind if kind in _PIECES or kind is Kind.EMBED_FULL for case in _each(kind, (None,), (1, 8))
]

QUICK = [
    *_each(Kind.SEARCH, (Site.SMALL, Site.MEDIUM), (1, 8)),
    *_each(Kind.SEARCH_REST, (Site.SMALL,), (8,)),
    *_each(Kind.SEARCH_FLOOR, (Site.SMALL, Site.MEDIUM), (1, 8)),
    *_each(Kind.EMBED_QUERY, (None,), (1, 8)),
    *_each(Kind.EMBED_60, (None,), (1, 8)),
    *_each(Kind.REMEMBER_SHORT, (Site.WRITER,), (1, 8)),
    *_each(Kind.REMEMBER_FULL, (Site.WRITER,), (1,)),
    *_each(Kind.REMEMBER_FLOOR, (Site.WRITER,), (1,)),
]
DEFAULT = [
    *_each(Kind.SEARCH, (Site.SMALL, Site.MEDIUM, Site.ONE_OF_THOUSANDS), (1, 8, 32)),
    *_each(Kind.SEARCH, (Site.LARGE,), (1, 2, 8, 32)),
    *_each(Kind.SEARCH_LEGACY, (Site.SMALL, Site.MEDIUM), (1, 8)),
    *_each(Kind.SEARCH_REST, (Site.SMALL, Site.MEDIUM), (1, 8)),
    *_each(Kind.SEARCH_FLOOR, (Site.SMALL, Site.MEDIUM, Site.LARGE, Site.ONE_OF_THOUSANDS), (1, 8)),
    *_each(Kind.EMBED_QUERY, (None,), (1, 8, 32)),
    *_EMBEDDER,
    *_each(Kind.GET_MEMORIES, (Site.MEDIUM,), (1, 8)),
    *_each(Kind.GET_MEMORIES_FLOOR, (Site.MEDIUM,), (1, 8)),
    *_each(Kind.DESCRIBE, (Site.MEDIUM,), (1, 8)),
    *_each(Kind.BRIEFING, (Site.SMALL, Site.MEDIUM), (1, 8)),
    *_each(Kind.BRIEFING_REST, (Site.SMALL, Site.MEDIUM), (1, 8)),
    *_each(Kind.REMEMBER_SHORT, (Site.WRITER,), (1, 8, 32)),
    *_each(Kind.REMEMBER_REST, (Site.WRITER,), (1, 8)),
    *_each(Kind.REMEMBER_FULL, (Site.WRITER,), (1, 8)),
    *_each(Kind.REMEMBER_FLOOR, (Site.WRITER,), (1,)),
]
FEW_TENANTS = _each(Kind.SEARCH, (Site.ONE_OF_TEN,), (1, 8))
