"""How fast recall and check are, as ratios measured in one run."""

import os

# Read when numpy is first imported. On a busy machine two threads of OpenBLAS wait for each other
# far longer than one takes, and every figure here would be the machine's.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
