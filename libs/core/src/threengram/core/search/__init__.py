"""Search: which memories answer a query, and in which order."""
