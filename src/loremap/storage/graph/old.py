"""Removes the code graphs of checkouts that are gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from loremap.storage.graph.file import erase, graph_path

UNOPENED = timedelta(days=30)
"""Whoever opens a graph sets the time of its file, so this is how long nobody asked it anything."""


def remove_old_graphs(graphs: Path, *, homes: Iterable[Path], now: datetime) -> list[Path]:
    """Remove the graphs that nobody opened for a month, but those of checkouts that still stand.

    `homes` are the repositories and folders that are known. A graph of any other place cannot be
    told from one whose checkout is gone; to remove it costs a rescan. Returns what was removed.
    """
    standing = {graph_path(graphs, root) for home in homes for root in _checkouts(home)}
    removed = []
    for path in sorted(set(graphs.glob("*.db")) - standing):
        with suppress(OSError):  # gone already, or held open where that forbids it: another day
            if now.timestamp() - path.stat().st_mtime >= UNOPENED.total_seconds():
                erase(path)
                path.with_suffix(".lock").unlink(missing_ok=True)
                removed.append(path)
    return removed


def _checkouts(home: Path) -> Iterator[Path]:
    """The checkouts of a repository that are there: its main one, and its worktrees."""
    if home.is_dir():
        yield home
    for noted in (*home.glob(".git/worktrees/*/gitdir"), *home.glob("worktrees/*/gitdir")):
        with suppress(OSError):
            marker = noted.parent / noted.read_text("utf-8", "surrogateescape").rstrip("\n")
            if marker.exists():
                yield marker.parent.resolve()
