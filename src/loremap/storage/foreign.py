"""Reads the database file of another program, which may be writing to it; nothing is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

_BUSY_S = 2.0


def rows(path: Path, question: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
    """What a database answers, row by row; raises OSError where it cannot be read."""
    try:
        opened = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_BUSY_S)
        with closing(opened) as held:
            yield from held.execute(question, values)
    except sqlite3.Error as fault:
        raise OSError(f"{path}: {fault}") from fault
