"""Pure: does the best hit look like an answer? A product feature, calibrated per generation of embeddings."""

import math

from threengram.core.identity.admission import ActiveModel


def is_confident(model: ActiveModel | None, top_similarity: float | None, top_share: float) -> bool | None:
    """Whether the logistic function of best cosine and covered share reaches its threshold.

    None where the generation has no calibration. Never drops a hit: the caller decides what to do with a doubtful one.
    """
    if model is None or model.calibration is None:
        return None
    weights = model.calibration
    total = weights["bias"] + weights["similarity"] * (top_similarity or 0.0) + weights["share"] * top_share
    return 1 / (1 + math.exp(-total)) >= float(weights["threshold"])
