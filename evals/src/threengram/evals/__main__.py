"""`python -m threengram.evals`: the retrieval gate, see `threengram.evals.retrieval`."""

import sys

from threengram.evals.retrieval.__main__ import main

sys.exit(main())
