"""What is measured: each case is an operation on a tenant at a concurrency."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from threengram.evals.bench.corpus import Text
from threengram.evals.bench.operations import EMBEDDED, Era, Mcp, Operation, embeddings
from threengram.evals.bench.world import MODEL_NAME, Site, World
from threengram.evals.bench.writes import full_texts, short_texts

STORED = b'"embedded":"'
"""Part of every answer of a write: a full-size text has a second window, which a job embeds later."""


class Kind(StrEnum):
    """The operations; the value is how the report calls them."""

    SEARCH = "MCP search"
    SEARCH_LEGACY = "MCP search, 2025-06-18"
    REMEMBER_SHORT = "MCP remember, up to 60 pieces"
    REMEMBER_FULL = "MCP remember, 2,000 characters"
    GET_MEMORIES = "MCP get_memories, 5 ids"
    DESCRIBE = "MCP describe_environment"
    SEARCH_FLOOR = "floor: search statement"
    EMBED_FLOOR = "floor: query to the embedder"


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the matrix."""

    kind: Kind
    site: Site
    concurrency: int

    @property
    def label(self) -> str:
        """How progress is reported."""
        return f"{self.kind} | {self.site} | C={self.concurrency}"


class Operations:
    """Makes the operation of a case; texts to write go on where the last case stopped."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._short: Iterator[Text] = short_texts()
        self._full: Iterator[Text] = full_texts()
        self._ids: dict[Site, Sequence[str]] = {}

    async def of(self, case: Case) -> Operation:
        """The operation behind a case that goes over HTTP."""
        world = self._world
        token = world.callers[case.site].token
        match case.kind:
            case Kind.SEARCH:
                return Mcp(token).search(world.corpus.queries, seed=case.concurrency)
            case Kind.SEARCH_LEGACY:
                return Mcp(token, Era.LEGACY).search(world.corpus.queries, seed=case.concurrency)
            case Kind.REMEMBER_SHORT:
                return Mcp(token).remember(self._short, wanted=EMBEDDED)
            case Kind.REMEMBER_FULL:
                return Mcp(token).remember(self._full, wanted=STORED)
            case Kind.GET_MEMORIES:
                return Mcp(token).get_memories(await world.some_ids(case.site), seed=case.concurrency)
            case Kind.DESCRIBE:
                return Mcp(token).describe()
            case Kind.EMBED_FLOOR:
                return embeddings(world.corpus.queries, model=MODEL_NAME, priority="query")
            case Kind.SEARCH_FLOOR:
                raise ValueError("a floor in SQL does not go over HTTP")


def _each(kind: Kind, sites: Sequence[Site], concurrencies: Sequence[int]) -> list[Case]:
    return [Case(kind, site, concurrency) for site in sites for concurrency in concurrencies]


QUICK = [
    *_each(Kind.SEARCH, (Site.SMALL, Site.MEDIUM), (1, 8)),
    *_each(Kind.SEARCH_FLOOR, (Site.SMALL, Site.MEDIUM), (1, 8)),
    *_each(Kind.EMBED_FLOOR, (Site.SMALL,), (1, 8)),
    *_each(Kind.REMEMBER_SHORT, (Site.WRITER,), (1, 8)),
    *_each(Kind.REMEMBER_FULL, (Site.WRITER,), (1,)),
]
DEFAULT = [
    *_each(Kind.SEARCH, (Site.SMALL, Site.MEDIUM, Site.ONE_OF_THOUSANDS), (1, 8, 32)),
    *_each(Kind.SEARCH, (Site.LARGE,), (1, 2, 8, 32)),
    *_each(Kind.SEARCH_LEGACY, (Site.SMALL, Site.MEDIUM), (1, 8)),
    *_each(Kind.SEARCH_FLOOR, (Site.SMALL, Site.MEDIUM, Site.LARGE, Site.ONE_OF_THOUSANDS), (1, 8)),
    *_each(Kind.EMBED_FLOOR, (Site.SMALL,), (1, 8, 32)),
    *_each(Kind.GET_MEMORIES, (Site.MEDIUM,), (1, 8)),
    *_each(Kind.DESCRIBE, (Site.MEDIUM,), (1, 8)),
    *_each(Kind.REMEMBER_SHORT, (Site.WRITER,), (1, 8, 32)),
    *_each(Kind.REMEMBER_FULL, (Site.WRITER,), (1, 8)),
]
FEW_TENANTS = _each(Kind.SEARCH, (Site.ONE_OF_TEN,), (1, 8))
