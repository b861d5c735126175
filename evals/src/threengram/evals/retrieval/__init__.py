"""Retrieval quality as a merge gate: written stories, told to the product, then asked about.

`stories` holds the shapes; `golden`, `locomo`, `longmemeval` and `memoryagentbench` read them from files; `stage` tells
them to a real database and a real embedder; `ask` puts the questions; `metrics`, `confidence_fit` and `floors` judge;
`report` shows. `python -m threengram.evals.retrieval` runs it all.
"""
