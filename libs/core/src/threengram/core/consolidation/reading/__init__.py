"""Texts of memories read for comparison: what is a value, what is a name, what negates, what only connects.

No model and no network: word lists of eleven languages, numbers with units, dates, scripts. Of a text in any other
language only numbers, dates, identifiers and literally equal words are understood.
"""

from threengram.core.consolidation.reading.reading import Reading, language_name, lexicon_named, read
from threengram.core.consolidation.reading.tokens import Kind, Role, Token

__all__ = ["Kind", "Reading", "Role", "Token", "language_name", "lexicon_named", "read"]
