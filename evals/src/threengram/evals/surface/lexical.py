"""The baseline: descriptions as documents of the product's own lexical analysis, utterances as queries."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from threengram.core.lexical import document_terms, query_terms
from threengram.evals.surface.selection import Similarities


def lexical_similarities(texts: Sequence[str], descriptions: Sequence[str]) -> Similarities:
    """The sum of the weights of shared words, each by how few descriptions have it; the best word of a group counts."""
    documents = [{term.key: term.weight for term in document_terms("", description)} for description in descriptions]
    frequency = Counter(key for document in documents for key in document)
    rarity = {key: math.log(1 + len(documents) / count) for key, count in frequency.items()}

    def score(text: str, document: dict[int, int]) -> float:
        groups: dict[int, float] = {}
        for term in query_terms(text):
            gain = term.weight * document.get(term.key, 0) * rarity.get(term.key, 0.0)
            groups[term.group] = max(groups.get(term.group, 0.0), gain)
        return sum(groups.values())

    rows = np.array([[score(text, document) for document in documents] for text in texts], np.float32)
    return rows / max(float(rows.max(initial=0.0)), 1.0)
