"""What files are found by: their words, and the vectors of their symbols."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loremap.storage.graph.file import Graph
from loremap.storage.graph.read.sql import MAX_AT_ONCE
from loremap.storage.graph.rows import LINKABLE


def content_hashes(conn: Graph) -> dict[str, str]:
    """The hash of each source file's content, by path."""
    return dict(
        conn.execute("SELECT path, hash FROM files WHERE state = ?", (LINKABLE,)).fetchall()
    )


def terms_of(conn: Graph, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The word counts of some files, as they were stored."""
    if len(paths) > MAX_AT_ONCE:
        wanted = set(paths)
        rows = conn.execute("SELECT path, terms FROM facts JOIN files ON id = file_id")
        yield from (row for row in rows if row[0] in wanted)
        return
    for path in paths:
        row = conn.execute(
            "SELECT terms FROM facts JOIN files ON id = file_id WHERE path = ?", (path,)
        ).fetchone()
        if row is not None:
            yield path, row[0]


def vectors_of(conn: Graph, model: str) -> dict[str, tuple[str, bytes]]:
    """By path: the content that vectors of a file's symbols were made from, and the vectors."""
    rows = conn.execute("SELECT path, hash, vectors FROM vectors WHERE model = ?", (model,))
    return {path: (content, data) for path, content, data in rows}


def vector_hashes(conn: Graph, model: str) -> dict[str, str]:
    """By path: the content that vectors were made from."""
    rows = conn.execute("SELECT path, hash FROM vectors WHERE model = ?", (model,))
    return dict(rows.fetchall())
