"""Where the benchmarks of sessions keep their figures."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "results"


def add_option(parser: ArgumentParser) -> None:
    """Let a benchmark be told the folder of its figures."""
    parser.add_argument("--results", type=Path, default=RESULTS)


def write(name: str, figures: Mapping[str, object], folder: Path) -> Path:
    """Write figures to `session-NAME.json`; that file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"session-{name}.json"
    path.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    return path
