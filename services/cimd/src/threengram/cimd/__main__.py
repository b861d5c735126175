"""`python -m threengram.cimd`."""

from threengram.cimd.app import main

main()
