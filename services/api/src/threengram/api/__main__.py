"""`python -m threengram.api`."""

from threengram.api.app import main

main()
