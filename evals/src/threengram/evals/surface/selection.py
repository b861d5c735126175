"""Which tool each utterance chooses when the nearest description wins, and how clearly."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Similarities = NDArray[np.float32]
"""One row for each utterance, one column for each tool."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What one utterance chose. `margin` is the expected tool's similarity less that of the best other tool."""

    text: str
    expected: str
    chosen: str
    margin: float

    @property
    def is_right(self) -> bool:
        """Whether the expected tool was chosen."""
        return self.chosen == self.expected


@dataclass(frozen=True, slots=True)
class Selection:
    """All choices. `lead` is the mean distance of the best tool to the second, right or wrong."""

    choices: tuple[Choice, ...]
    lead: float

    @property
    def accuracy(self) -> float:
        """The share that chose right."""
        return share(self.choices)

    @property
    def margin(self) -> float:
        """The mean distance to the best wrong tool; a wrong choice takes from it."""
        return float(np.mean([choice.margin for choice in self.choices]))

    @property
    def confusions(self) -> list[Choice]:
        """The wrong choices, the clearest first."""
        return sorted((choice for choice in self.choices if not choice.is_right), key=lambda choice: choice.margin)

    def of(self, tool: str) -> tuple[Choice, ...]:
        """The choices of one tool's utterances."""
        return tuple(choice for choice in self.choices if choice.expected == tool)

    def steady_accuracy(self, slack: float) -> float:
        """The share that chose right by more than `slack`."""
        return sum(choice.margin > slack for choice in self.choices) / len(self.choices)


def share(choices: Sequence[Choice]) -> float:
    """The share of right choices."""
    return sum(choice.is_right for choice in choices) / len(choices)


def select(needs: Sequence[tuple[str, str]], tools: Sequence[str], similarities: Similarities) -> Selection:
    """The choices of (expected tool, text) pairs from their similarities to the tools' descriptions."""
    choices = []
    leads = []
    for (expected, text), row in zip(needs, similarities, strict=True):
        column = tools.index(expected)
        margin = float(row[column] - np.delete(row, column).max())
        second, best = np.sort(row)[-2:]
        # A tie is wrong: nothing but the order of the tools would decide it.
        chosen = (
            expected if margin > 0 else tools[int(np.where(np.arange(len(tools)) == column, -np.inf, row).argmax())]
        )
        choices.append(Choice(text, expected, chosen, margin))
        leads.append(float(best - second))
    return Selection(tuple(choices), float(np.mean(leads)))


@dataclass(frozen=True, slots=True)
class Overlap:
    """The two descriptions that read most alike."""

    cosine: float
    first: str
    second: str


def most_alike(tools: Sequence[str], vectors: NDArray[np.float32]) -> Overlap:
    """The closest pair of unit vectors, one for each tool."""
    cosines = np.triu(vectors @ vectors.T, k=1)
    cosines[np.tril_indices(len(tools))] = -np.inf
    row, column = divmod(int(cosines.argmax()), len(tools))
    return Overlap(float(cosines[row, column]), tools[row], tools[column])
