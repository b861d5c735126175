"""As of a point in time: the one place that says which rows were on record at K and valid at V.

Both axes are half-open. A lifetime is a list of versions whose spans on record `[recorded_from, recorded_to)` neither
overlap nor leave a gap, so that at every K one version at most answers. An edge has one span, ended by its retraction.
Names of rows come from the code, never from a caller; K and V travel as the parameters `known_at` and `valid_at`.
"""

from typing import LiteralString


def known(version: LiteralString) -> LiteralString:
    """Whether the version of a lifetime was the one on record at K."""
    return (
        f"{version}.recorded_from <= %(known_at)s"
        f" AND ({version}.recorded_to IS NULL OR {version}.recorded_to > %(known_at)s)"
    )


def valid(row: LiteralString) -> LiteralString:
    """Whether a validity holds at V; an empty one `[t, t)` never does."""
    return f"{row}.valid_from <= %(valid_at)s AND ({row}.valid_to IS NULL OR {row}.valid_to > %(valid_at)s)"


def edge_known(edge: LiteralString) -> LiteralString:
    """Whether an edge was drawn and not yet retracted at K."""
    return f"{edge}.recorded_at <= %(known_at)s AND ({edge}.retracted_at IS NULL OR {edge}.retracted_at > %(known_at)s)"
