"""Search: which memories answer a query, and in which order.

`eligibility` says which rows may be seen, `queries` holds the SQL of the legs, `fusion` the ranking formula,
`ranking` and `listing` the two orders, `confidence` whether the best hit looks like an answer.
"""

from threengram.core.search.search import search

__all__ = ["search"]
