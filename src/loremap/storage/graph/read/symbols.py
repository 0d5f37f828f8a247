"""The symbols of the graph: by id, by name, by text, and what they contain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from loremap.model.code import Symbol, SymbolKind
from loremap.storage.graph.file import Graph
from loremap.storage.graph.read.sql import MAX_AT_ONCE, OF_FILE

_SYMBOL = (
    "s.id, f.path, s.name, s.qualified, s.kind, f.language, s.start_line, s.end_line, "
    "s.signature, s.doc, s.scope"
)
_SYMBOL_KINDS = {kind.value: kind for kind in SymbolKind}


def symbols_by_id(conn: Graph, ids: Iterable[int]) -> dict[int, Symbol]:
    """The symbols with those ids."""
    found: dict[int, Symbol] = {}
    wanted = list(dict.fromkeys(ids))
    for start in range(0, len(wanted), MAX_AT_ONCE):
        some = wanted[start : start + MAX_AT_ONCE]
        marks = ",".join("?" * len(some))
        rows = conn.execute(f"SELECT {_SYMBOL} {OF_FILE} WHERE s.id IN ({marks})", some)
        found.update((row[0], _symbol(row)) for row in rows)
    return found


def contents(conn: Graph, path: str) -> list[Symbol]:
    """All symbols of a file in the order of their lines, the file itself first."""
    query = f"SELECT {_SYMBOL} {OF_FILE} WHERE f.path = ? ORDER BY s.start_line, s.position"
    return [_symbol(row) for row in conn.execute(query, (path,))]


def named(conn: Graph, name: str) -> list[tuple[int, Symbol]]:
    """The symbols whose last name is `name`, in any case, and no file; exact ones first."""
    query = f"""SELECT {_SYMBOL} {OF_FILE} WHERE s.name = ? COLLATE NOCASE AND s.position > 0
        ORDER BY s.name <> ?, f.path, s.start_line"""
    return [(row[0], _symbol(row)) for row in conn.execute(query, (name, name))]


def file_symbol(conn: Graph, path: str) -> tuple[int, Symbol] | None:
    """The node of a file itself."""
    query = f"SELECT {_SYMBOL} {OF_FILE} WHERE f.path = ? AND s.position = 0"
    row = conn.execute(query, (path,)).fetchone()
    return None if row is None else (row[0], _symbol(row))


def by_digest(conn: Graph, digest: str) -> list[tuple[str, str]]:
    """Path and qualified name of the symbols whose text, but for their name, is that."""
    query = f"SELECT f.path, s.qualified {OF_FILE} WHERE s.digest = ? ORDER BY f.path, s.start_line"
    return conn.execute(query, (digest,)).fetchall()


def members(conn: Graph, symbol_id: int) -> list[int]:
    """The ids of a symbol and of all it contains."""
    query = """WITH RECURSIVE held (id, file_id, position) AS (
            SELECT id, file_id, position FROM symbols WHERE id = ?
            UNION ALL
            SELECT s.id, s.file_id, s.position FROM symbols s JOIN held h
            ON s.file_id = h.file_id AND s.parent = h.position AND s.position > 0 AND s.id <> h.id)
        SELECT id FROM held"""
    return [id_ for (id_,) in conn.execute(query, (symbol_id,))]


def places(conn: Graph) -> list[tuple[int, int]]:
    """Every symbol and its file, by id, in the order of paths and lines."""
    return conn.execute(
        f"SELECT s.id, f.id {OF_FILE} ORDER BY f.path, s.start_line, s.position"
    ).fetchall()


def _symbol(row: Sequence[Any]) -> Symbol:
    _, path, name, qualified, kind, language, start, end, signature, doc, scope = row
    return Symbol(
        path=path,
        name=name,
        qualified=qualified,
        kind=_SYMBOL_KINDS[kind],
        language=language,
        start_line=start,
        end_line=end,
        signature=signature,
        doc=doc,
        scope=scope,
    )
