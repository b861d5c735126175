"""`python -m threengram.worker` works off the queues, `beat` after it rings, `jobs` shows and steers runs by hand."""

import sys

from threengram.worker.process import main

sys.exit(main(sys.argv[1:]))
