"""Consolidation of one account: whether memories are compared in the background, and how far that has come."""

from pydantic import Field

from threengram.schema.base import Input, Output


class GetConsolidationInput(Input):
    """No arguments."""


class SwitchConsolidationInput(Input):
    """On or off, for the whole account."""

    enabled: bool = Field(description="off: nothing is compared and nothing new proposed; open proposals stay")


class ConsolidationOutput(Output):
    """Where it stands. Counts are of memories and of proposals that nobody has decided yet.

    `remaining` are those that came after the last one compared; `waiting` have no vector yet. `enabled` is the
    account's own switch; whoever runs the installation has another one.
    """

    enabled: bool
    remaining: int
    waiting: int
    open_edges: int
    open_facts: int
