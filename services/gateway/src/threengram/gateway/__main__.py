"""`python -m threengram.gateway`."""

from threengram.gateway.app import main

main()
