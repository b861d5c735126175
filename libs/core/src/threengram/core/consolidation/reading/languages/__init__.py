"""The languages that can be read, and which one a text is in."""

import re
from functools import lru_cache

from threengram.core.consolidation.reading.languages.chinese import CHINESE
from threengram.core.consolidation.reading.languages.dutch import DUTCH
from threengram.core.consolidation.reading.languages.english import ENGLISH
from threengram.core.consolidation.reading.languages.french import FRENCH
from threengram.core.consolidation.reading.languages.german import GERMAN
from threengram.core.consolidation.reading.languages.italian import ITALIAN
from threengram.core.consolidation.reading.languages.japanese import JAPANESE
from threengram.core.consolidation.reading.languages.korean import KOREAN
from threengram.core.consolidation.reading.languages.polish import POLISH
from threengram.core.consolidation.reading.languages.portuguese import PORTUGUESE
from threengram.core.consolidation.reading.languages.spanish import SPANISH
from threengram.core.consolidation.reading.lexicon import Lexicon
from threengram.core.consolidation.reading.tokens import Role
from threengram.core.lexical.folding import fold

SPACED = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, POLISH)
LANGUAGES = (*SPACED, CHINESE, JAPANESE, KOREAN)
UNKNOWN = Lexicon("")
"""Understands what needs no words: numbers with units, dates in digits, identifiers."""

_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_WORD = re.compile(r"(?<!\d)(?<!\d )[^\W\d_]+")
"""Not the unit behind a number."""
_MIN_SHARE = 0.12


def language_of(*texts: str) -> Lexicon:
    """The language of these texts taken together: by script, else by its function words; `UNKNOWN` in doubt."""
    for script, lexicon in ((_KANA, JAPANESE), (_HAN, CHINESE), (_HANGUL, KOREAN)):
        if any(script.search(text) for text in texts):
            return lexicon
    word_count, *counts = (sum(several) for several in zip(*map(_counts, texts), strict=True))
    best = max(counts)
    return SPACED[counts.index(best)] if best > 0 and best >= _MIN_SHARE * word_count else UNKNOWN


@lru_cache(maxsize=16_384)
def _counts(text: str) -> tuple[int, ...]:
    """How many words there are, and how much they say for each of the spaced languages."""
    found = _WORD.findall(text)
    lower = text.lower()
    return len(found), *(
        sum(_evidence(lexicon, word) for word in found) + any(letter in lower for letter in lexicon.letters)
        for lexicon in SPACED
    )


def _evidence(lexicon: Lexicon, written: str) -> int:
    """How much a word says for a language: its verbs more than its particles, which neighbours share.

    A capitalised particle says nothing unless it is an article: `Dan` and `Ben` are people more often than Dutch.
    """
    word = fold(written)
    if lexicon.stem(word) in lexicon.pivots or word in lexicon.weekdays or word in lexicon.months:
        return 2
    role = lexicon.roles.get(word)
    return int(role is not None and (role is Role.ARTICLE or not written[0].isupper()))
