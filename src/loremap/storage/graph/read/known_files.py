"""The files the graph knows: where each stands, and how it was when last read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from loremap.storage.graph.file import Graph
from loremap.storage.graph.rows import NO_STAMP, FileRow, Stamp

_FILE = "id, path, state, language, package, size, mtime_ns, inode, settled, hash, lines, linked"


def files(conn: Graph) -> list[FileRow]:
    """Every file the graph knows, by path."""
    return [_file(row) for row in conn.execute(f"SELECT {_FILE} FROM files ORDER BY path")]


def files_at(conn: Graph, paths: Iterable[str]) -> list[FileRow]:
    """Those of some files that the graph knows."""
    query = f"SELECT {_FILE} FROM files WHERE path = ?"
    rows = [conn.execute(query, (path,)).fetchone() for path in paths]
    return [_file(row) for row in rows if row is not None]


def paths(conn: Graph) -> list[str]:
    """The paths of every file the graph knows, in order."""
    return [path for (path,) in conn.execute("SELECT path FROM files ORDER BY path")]


def state_of(conn: Graph, path: str) -> str | None:
    """How a file stands in the graph; None where it is not there."""
    row = conn.execute("SELECT state FROM files WHERE path = ?", (path,)).fetchone()
    return None if row is None else str(row[0])


def stamps(conn: Graph) -> list[tuple[str, Stamp]]:
    """Path and stamp of every file; a stamp that no file has where the real one may not tell."""
    query = "SELECT path, size, mtime_ns, inode, settled FROM files ORDER BY path"
    return [
        (path, Stamp(size, mtime_ns, inode) if settled else NO_STAMP)
        for path, size, mtime_ns, inode, settled in conn.execute(query)
    ]


def folders(conn: Graph) -> dict[str, tuple[int, int]]:
    """The folders of the last listing, with their stamps."""
    return {
        path: (mtime_ns, inode)
        for path, mtime_ns, inode in conn.execute("SELECT path, mtime_ns, inode FROM folders")
    }


def _file(row: Sequence[Any]) -> FileRow:
    id_, path, state, language, package, size, mtime_ns, inode, settled, *rest = row
    hash_, lines, linked = rest
    return FileRow(
        *(id_, path, state, language, package),
        Stamp(size, mtime_ns, inode),
        bool(settled),
        *(hash_, lines),
        bool(linked),
    )
