"""`python -m loremap.interfaces.resident --home H`: begins to listen, then loads the rest."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loremap.interfaces.resident.life import LivingCore
    from loremap.interfaces.resident.places import RunFolder

FEW_THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "0"}
"""Read by libraries when they are loaded; threads that wait for small work burn a processor."""


def main() -> int:
    """Be the resident of a data folder until nobody needs it; 0 where another one is."""
    arguments = sys.argv[1:]
    if len(arguments) != 2 or arguments[0] != "--home":
        sys.stderr.write("usage: python -m loremap.interfaces.resident --home FOLDER\n")
        return 2
    home = Path(arguments[1]).absolute()
    os.environ.update({"LOREMAP_HOME": str(home), **FEW_THREADS})
    from loremap.interfaces.resident.life import live

    return live(home, _real_core)


def _real_core(run: RunFolder) -> LivingCore:
    from loremap.interfaces.resident.core import RealCore  # once this process holds the lock

    return RealCore(run)


if __name__ == "__main__":
    ended = main()
    sys.stderr.flush()
    os._exit(ended)  # what libraries' threads still do must not keep the lock
