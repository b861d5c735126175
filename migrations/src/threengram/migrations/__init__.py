"""The schema's history, its roles and grants, and the generations of embeddings. Run by the owner role only.

`run.upgrade` brings a database from wherever it is to the newest schema; `generations.ensure_model` registers an
embedding model and builds its index.
"""
