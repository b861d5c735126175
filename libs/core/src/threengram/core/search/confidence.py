"""Pure: does a search look answered? A product feature, calibrated per generation of embeddings.

Four signs, none of which suffices alone. Measured on the golden set's train and dev lives, leaving one life out at a
time, with the bundled model (area under the curve of answerable against absent topics): similarity 0.75, with the share
0.83, with the lift 0.88, with the number of words 0.90. The lift is there because some questions are near everything;
the number of words, because a long question is never covered as well as a short one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from threengram.core.identity.admission import ActiveModel
from threengram.core.search.fusion import Evidence

CROWD = slice(4, 20)
"""Which of the nearest memories are what a question is near anyway: beyond those that may answer it."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for an answer being there.

    `similarity` is the best cosine, `share` the largest share of the query's mass that one memory covers, `lift` how
    far the best cosine stands out from the crowd, `words` the number of term groups of the query.
    """

    similarity: float
    share: float
    lift: float
    words: int


def signs(evidence: Sequence[Evidence], *, words: int) -> Signs | None:
    """The signs of one search; None where no memory has a vector, since the calibration knows both legs only."""
    cosines = sorted((one.cosine for one in evidence if one.cosine is not None), reverse=True)
    if not cosines:
        return None
    crowd = cosines[CROWD] or cosines[-1:]
    return Signs(
        similarity=cosines[0],
        share=max(one.lexical for one in evidence),
        lift=cosines[0] - sum(crowd) / len(crowd),
        words=words,
    )


def is_confident(model: ActiveModel | None, found: Signs | None) -> bool | None:
    """Whether the logistic function of the signs reaches its threshold.

    None where the generation has no calibration. Never drops a hit: the caller decides what to do with a doubtful one.
    """
    if model is None or model.calibration is None or found is None:
        return None
    weights = model.calibration
    total = weights["bias"] + weights["similarity"] * found.similarity + weights["share"] * found.share
    total += weights["lift"] * found.lift + weights["words"] * found.words
    return 1 / (1 + math.exp(-total)) >= float(weights["threshold"])
