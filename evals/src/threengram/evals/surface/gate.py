"""The gate over a list of tools and a folder of data; the product's own by default."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threengram.evals.surface import files, floors, utterances
from threengram.evals.surface.floors import Breach, Floors
from threengram.evals.surface.measure import Measurement, Needs, measure
from threengram.evals.surface.snapshot import snapshot
from threengram.gateway.tools import TOOLS
from threengram.gateway.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class Gate:
    """What is gated, and against which files."""

    tools: Sequence[Tool[Any, Any]] = TOOLS
    utterances_folder: Path = files.UTTERANCES
    snapshot_file: Path = files.SNAPSHOT
    floors_file: Path = files.FLOORS

    def needs(self) -> Needs:
        """The utterances; raises `InvalidUtterances` when a tool lacks its own."""
        names = [tool.name for tool in self.tools]
        by_tool = utterances.load(self.utterances_folder, names)
        return [(tool, utterance.text) for tool, five in by_tool.items() for utterance in five]

    def measured(self) -> Measurement:
        """Every figure; raises `InvalidUtterances`."""
        return measure(self.tools, self.needs())

    def floors(self) -> Floors:
        """The recorded floors."""
        return floors.load(self.floors_file)

    def breaches(self, measured: Measurement) -> list[Breach]:
        """What is beyond its bound."""
        return floors.breaches(measured, self.floors())

    def snapshot_is_stale(self) -> bool:
        """Whether what is published differs from the file, to the byte."""
        return not self.snapshot_file.is_file() or self.snapshot_file.read_bytes() != snapshot(self.tools)

    def write_snapshot(self) -> None:
        """Regenerate the file."""
        self.snapshot_file.write_bytes(snapshot(self.tools))

    def raise_floors(self, measured: Measurement) -> None:
        """Raise the recorded floors to what is measured; none falls."""
        self.floors_file.write_text(floors.text_of(floors.raised(measured, self.floors())))
