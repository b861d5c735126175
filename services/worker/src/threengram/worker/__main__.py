"""`python -m threengram.worker` works off the queues; `python -m threengram.worker beat` rings for what is due."""

import sys

from threengram.worker.process import main

sys.exit(main(sys.argv[1:]))
