"""Text to lexical terms: one code path for documents and for queries.

`analyser` is the door: `document_terms` at write time, `query_terms` at search time. `segment` cuts text into
tokens, `words` turns one token into terms, `folding` takes case and accents off it, `stopwords` lists what carries no
meaning of its own. Everything here is pure; postings, document frequencies and ranking belong to the neighbours that
call it.
"""

from threengram.core.lexical.analyser import (
    ANALYSER_VERSION,
    MAX_DOCUMENT_TERMS,
    MAX_QUERY_TERMS,
    QueryTerm,
    Term,
    document_terms,
    query_terms,
)

__all__ = [
    "ANALYSER_VERSION",
    "MAX_DOCUMENT_TERMS",
    "MAX_QUERY_TERMS",
    "QueryTerm",
    "Term",
    "document_terms",
    "query_terms",
]
