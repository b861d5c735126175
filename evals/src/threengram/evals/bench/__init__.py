"""What the product costs on this machine: `python -m threengram.evals.bench`, a report and never a timed test.

`corpus` makes texts, `vectors` their embeddings, `load` writes both the way `remember` does but in bulk. `stack` runs
the product, `client` and `operations` speak to it, `closed_loop` measures, `processes` reads what each process used,
`floors` gives the least that a figure could be. `cases` says what is measured, `original` what it is compared to;
`report` and `plots` write it down.
"""
