"""`python -m threengram.embedder`."""

from threengram.embedder.app import main

main()
