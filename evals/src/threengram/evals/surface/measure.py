"""Every figure of the gate for a list of tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from threengram.evals.surface.embedding import embed
from threengram.evals.surface.lexical import lexical_similarities
from threengram.evals.surface.selection import Overlap, Selection, most_alike, select, share
from threengram.evals.surface.snapshot import input_bytes, list_bytes
from threengram.gateway.tools.tool import Tool

Needs = Sequence[tuple[str, str]]
"""Pairs of the tool that is expected and an utterance."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """The gate's figures: choices by meaning, the same by words, closeness of descriptions, sizes."""

    tools: tuple[str, ...]
    by_meaning: Selection
    by_words: Selection
    overlap: Overlap
    input_bytes: int
    list_bytes: int

    @property
    def by_tool(self) -> Mapping[str, float]:
        """The share of right choices of each tool."""
        return {tool: share(self.by_meaning.of(tool)) for tool in self.tools}


def measure(tools: Sequence[Tool[Any, Any]], needs: Needs) -> Measurement:
    """Measure tools against needs."""
    names = [tool.name for tool in tools]
    descriptions = [tool.description for tool in tools]
    texts = [text for _, text in needs]
    vectors = embed(descriptions)
    return Measurement(
        tuple(names),
        select(needs, names, embed(texts) @ vectors.T),
        select(needs, names, lexical_similarities(texts, descriptions)),
        most_alike(names, vectors),
        input_bytes(tools),
        list_bytes(tools),
    )
