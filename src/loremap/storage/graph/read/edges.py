"""Who uses whom: edges between symbols, imports of a file, use between files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from loremap.model.code import Edge, EdgeKind, ImportLine
from loremap.storage.graph.file import Graph
from loremap.storage.graph.read.sql import BOTH_ENDS, MAX_AT_ONCE
from loremap.storage.graph.read.symbols import symbols_by_id

_EDGE_KINDS = {kind.value: kind for kind in EdgeKind}


def edges_from(
    conn: Graph, ids: Sequence[int], kinds: Iterable[EdgeKind], *, limit: int
) -> tuple[list[Edge], int]:
    """The first edges that leave any of those symbols, by path and line, and how many there are."""
    return _edges(conn, ids, kinds, end="source", limit=limit)


def edges_to(
    conn: Graph, ids: Sequence[int], kinds: Iterable[EdgeKind], *, limit: int
) -> tuple[list[Edge], int]:
    """The first edges that reach any of those symbols, by path and line, and how many there are."""
    return _edges(conn, ids, kinds, end="target", limit=limit)


def _edges(
    conn: Graph,
    ids: Sequence[int],
    kinds: Iterable[EdgeKind],
    *,
    end: str,
    limit: int,
) -> tuple[list[Edge], int]:
    of_kind = [str(kind) for kind in kinds]
    found: list[tuple[int, int, str, int, str]] = []
    total = 0
    for start in range(0, len(ids), MAX_AT_ONCE):
        some = ids[start : start + MAX_AT_ONCE]
        where = f"""WHERE e.{end} IN ({",".join("?" * len(some))})
            AND e.kind IN ({",".join("?" * len(of_kind))})"""
        total += conn.execute(
            f"SELECT count(*) FROM edges e {where}", (*some, *of_kind)
        ).fetchone()[0]
        query = f"""SELECT e.source, e.target, e.kind, e.line, f.path FROM edges e
            JOIN symbols s ON s.id = e.source JOIN files f ON f.id = s.file_id
            {where} ORDER BY f.path, e.line, e.target LIMIT ?"""
        found += conn.execute(query, (*some, *of_kind, limit)).fetchall()
    found.sort(key=lambda row: (row[4], row[3], row[1]))
    found = found[:limit]
    nodes = symbols_by_id(conn, [id_ for row in found for id_ in row[:2]])
    return [
        Edge(nodes[source], nodes[target], _EDGE_KINDS[kind], line)
        for source, target, kind, line, _ in found
    ], total


def all_edges(conn: Graph, kinds: Iterable[EdgeKind]) -> list[tuple[int, int]]:
    """Source and target of every edge of those kinds, for a graph in memory."""
    of_kind = [str(kind) for kind in kinds]
    query = f"""SELECT DISTINCT source, target FROM edges
        WHERE kind IN ({",".join("?" * len(of_kind))})"""
    return conn.execute(query, of_kind).fetchall()


def imports_of(conn: Graph, path: str) -> list[ImportLine]:
    """What a file imports, line by line."""
    query = """SELECT line, module, items, target FROM imports JOIN files ON id = file_id
        WHERE path = ? ORDER BY line, module"""
    return [
        ImportLine(path, line, module, tuple(json.loads(items)), target)
        for line, module, items, target in conn.execute(query, (path,))
    ]


def files_used(conn: Graph, path: str) -> list[str]:
    """The files that a file imports or whose symbols it uses."""
    query = f"""SELECT DISTINCT tf.path {BOTH_ENDS}
        WHERE sf.path = ?1 AND tf.path <> ?1 ORDER BY tf.path"""
    return [found for (found,) in conn.execute(query, (path,))]


def files_using(conn: Graph, path: str) -> list[str]:
    """The files that import a file or use its symbols."""
    query = f"""SELECT DISTINCT sf.path {BOTH_ENDS}
        WHERE tf.path = ?1 AND sf.path <> ?1 ORDER BY sf.path"""
    return [found for (found,) in conn.execute(query, (path,))]
