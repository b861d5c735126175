"""Vectors: what core asks of an embedder, how it reaches one over HTTP, and the rows that say what is still to do."""
