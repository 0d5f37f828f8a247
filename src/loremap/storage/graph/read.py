"""Reads the graph: files and facts for a scan, symbols and edges for a question."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from loremap.model.code import Edge, EdgeKind, ImportLine, Symbol, SymbolKind
from loremap.storage.graph.rows import LINKABLE, NO_STAMP, PLAIN, FileRow, Stamp

_FILE = "id, path, state, language, package, size, mtime_ns, inode, settled, hash, lines, linked"
_SYMBOL = (
    "s.id, f.path, s.name, s.qualified, s.kind, f.language, s.start_line, s.end_line, "
    "s.signature, s.doc, s.scope"
)
_OF_FILE = "FROM symbols s JOIN files f ON f.id = s.file_id"
_MOST_AT_ONCE = 500
_SYMBOL_KINDS = {kind.value: kind for kind in SymbolKind}
_EDGE_KINDS = {kind.value: kind for kind in EdgeKind}


# For a scan


def files(conn: sqlite3.Connection) -> list[FileRow]:
    """Every file the graph knows, by path."""
    return [_file(row) for row in conn.execute(f"SELECT {_FILE} FROM files ORDER BY path")]


def files_at(conn: sqlite3.Connection, paths: Iterable[str]) -> list[FileRow]:
    """Those of some files that the graph knows."""
    query = f"SELECT {_FILE} FROM files WHERE path = ?"
    rows = [conn.execute(query, (path,)).fetchone() for path in paths]
    return [_file(row) for row in rows if row is not None]


def paths(conn: sqlite3.Connection) -> list[str]:
    """The paths of every file the graph knows, in order."""
    return [path for (path,) in conn.execute("SELECT path FROM files ORDER BY path")]


def stamps(conn: sqlite3.Connection) -> list[tuple[str, Stamp]]:
    """Path and stamp of every file; a stamp that no file has where the real one may not tell."""
    query = "SELECT path, size, mtime_ns, inode, settled FROM files ORDER BY path"
    return [
        (path, Stamp(size, mtime_ns, inode) if settled else NO_STAMP)
        for path, size, mtime_ns, inode, settled in conn.execute(query)
    ]


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


def folders(conn: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """The folders of the last listing, with their stamps."""
    return {
        path: (mtime_ns, inode)
        for path, mtime_ns, inode in conn.execute("SELECT path, mtime_ns, inode FROM folders")
    }


def waiting(conn: sqlite3.Connection) -> list[tuple[int, str]]:
    """The files whose names are to be linked, id and path."""
    return conn.execute(
        "SELECT id, path FROM files WHERE linked = 0 AND state = ? ORDER BY path", (LINKABLE,)
    ).fetchall()


def linkable(conn: sqlite3.Connection) -> list[str]:
    """The paths of the files whose facts are known."""
    rows = conn.execute("SELECT path FROM files WHERE state = ? ORDER BY path", (LINKABLE,))
    return [path for (path,) in rows]


def facts_of(conn: sqlite3.Connection, path: str) -> bytes | None:
    """What extraction said of one file, as it was stored."""
    row = conn.execute(
        "SELECT facts FROM facts JOIN files ON id = file_id WHERE path = ?", (path,)
    ).fetchone()
    return None if row is None else row[0]


def ids_by_position(conn: sqlite3.Connection, path: str) -> dict[int, int]:
    """The ids of a file's symbols, by the position of their definition."""
    query = f"SELECT s.position, s.id {_OF_FILE} WHERE f.path = ?"
    return dict(conn.execute(query, (path,)).fetchall())


def defining(conn: sqlite3.Connection, package: str, name: str) -> list[str]:
    """The files of a package that add `name` to it."""
    rows = conn.execute(
        """SELECT path FROM names JOIN files ON id = file_id
        WHERE names.package = ? AND name = ? ORDER BY path""",
        (package, name),
    )
    return [path for (path,) in rows]


def importers(
    conn: sqlite3.Connection, *, targets: Iterable[str], stems: Iterable[str]
) -> list[int]:
    """The files with an import that means one of `targets` or whose words name one of `stems`."""
    found: set[int] = set()
    for target in targets:
        rows = conn.execute("SELECT file_id FROM imports WHERE target = ?", (target,))
        found.update(file_id for (file_id,) in rows)
    for stem in stems:
        like = "%" + stem.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
        rows = conn.execute(
            "SELECT file_id FROM imports WHERE module LIKE ? ESCAPE '!' OR items LIKE ? ESCAPE '!'",
            (like, like),
        )
        found.update(file_id for (file_id,) in rows)
    return sorted(found)


def skipped(conn: sqlite3.Connection) -> dict[str, int]:
    """How many files are not in the graph, by reason: passed over, or read and found no source."""
    counts = dict(conn.execute("SELECT reason, count FROM skipped").fetchall())
    rows = conn.execute(
        "SELECT state, count(*) FROM files WHERE state NOT IN (?, ?) GROUP BY state",
        (LINKABLE, PLAIN),
    )
    for state, count in rows:
        counts[state] = counts.get(state, 0) + count
    return counts


# For a question


def symbols_by_id(conn: sqlite3.Connection, ids: Iterable[int]) -> dict[int, Symbol]:
    """The symbols with those ids."""
    found: dict[int, Symbol] = {}
    wanted = list(dict.fromkeys(ids))
    for start in range(0, len(wanted), _MOST_AT_ONCE):
        some = wanted[start : start + _MOST_AT_ONCE]
        marks = ",".join("?" * len(some))
        rows = conn.execute(f"SELECT {_SYMBOL} {_OF_FILE} WHERE s.id IN ({marks})", some)
        found.update((row[0], _symbol(row)) for row in rows)
    return found


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


def contents(conn: sqlite3.Connection, path: str) -> list[Symbol]:
    """All symbols of a file in the order of their lines, the file itself first."""
    query = f"SELECT {_SYMBOL} {_OF_FILE} WHERE f.path = ? ORDER BY s.start_line, s.position"
    return [_symbol(row) for row in conn.execute(query, (path,))]


def named(conn: sqlite3.Connection, name: str) -> list[tuple[int, Symbol]]:
    """The symbols whose last name is `name`, in any case, and no file; exact ones first."""
    query = f"""SELECT {_SYMBOL} {_OF_FILE} WHERE s.name = ? COLLATE NOCASE AND s.position > 0
        ORDER BY s.name <> ?, f.path, s.start_line"""
    return [(row[0], _symbol(row)) for row in conn.execute(query, (name, name))]


def file_symbol(conn: sqlite3.Connection, path: str) -> tuple[int, Symbol] | None:
    """The node of a file itself."""
    query = f"SELECT {_SYMBOL} {_OF_FILE} WHERE f.path = ? AND s.position = 0"
    row = conn.execute(query, (path,)).fetchone()
    return None if row is None else (row[0], _symbol(row))


def by_digest(conn: sqlite3.Connection, digest: str) -> list[tuple[str, str]]:
    """Path and qualified name of the symbols whose text, but for their name, is that."""
    query = (
        f"SELECT f.path, s.qualified {_OF_FILE} WHERE s.digest = ? ORDER BY f.path, s.start_line"
    )
    return conn.execute(query, (digest,)).fetchall()


def members(conn: sqlite3.Connection, symbol_id: int) -> list[int]:
    """The ids of a symbol and of all it contains."""
    query = """WITH RECURSIVE held (id, file_id, position) AS (
            SELECT id, file_id, position FROM symbols WHERE id = ?
            UNION ALL
            SELECT s.id, s.file_id, s.position FROM symbols s JOIN held h
            ON s.file_id = h.file_id AND s.parent = h.position AND s.position > 0 AND s.id <> h.id)
        SELECT id FROM held"""
    return [id_ for (id_,) in conn.execute(query, (symbol_id,))]


def edges_from(
    conn: sqlite3.Connection, ids: Sequence[int], kinds: Iterable[EdgeKind], *, limit: int
) -> tuple[list[Edge], int]:
    """The first edges that leave any of those symbols, by path and line, and how many there are."""
    return _edges(conn, ids, kinds, end="source", limit=limit)


def edges_to(
    conn: sqlite3.Connection, ids: Sequence[int], kinds: Iterable[EdgeKind], *, limit: int
) -> tuple[list[Edge], int]:
    """The first edges that reach any of those symbols, by path and line, and how many there are."""
    return _edges(conn, ids, kinds, end="target", limit=limit)


def _edges(
    conn: sqlite3.Connection,
    ids: Sequence[int],
    kinds: Iterable[EdgeKind],
    *,
    end: str,
    limit: int,
) -> tuple[list[Edge], int]:
    of_kind = [str(kind) for kind in kinds]
    found: list[tuple[int, int, str, int, str]] = []
    total = 0
    for start in range(0, len(ids), _MOST_AT_ONCE):
        some = ids[start : start + _MOST_AT_ONCE]
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


def imports_of(conn: sqlite3.Connection, path: str) -> list[ImportLine]:
    """What a file imports, line by line."""
    query = """SELECT line, module, items, target FROM imports JOIN files ON id = file_id
        WHERE path = ? ORDER BY line, module"""
    return [
        ImportLine(path, line, module, tuple(json.loads(items)), target)
        for line, module, items, target in conn.execute(query, (path,))
    ]


def all_edges(conn: sqlite3.Connection, kinds: Iterable[EdgeKind]) -> list[tuple[int, int]]:
    """Source and target of every edge of those kinds, for a graph in memory."""
    of_kind = [str(kind) for kind in kinds]
    query = f"""SELECT DISTINCT source, target FROM edges
        WHERE kind IN ({",".join("?" * len(of_kind))})"""
    return conn.execute(query, of_kind).fetchall()


def places(conn: sqlite3.Connection) -> list[tuple[int, int]]:
    """Every symbol and its file, by id, in the order of paths and lines."""
    return conn.execute(
        f"SELECT s.id, f.id {_OF_FILE} ORDER BY f.path, s.start_line, s.position"
    ).fetchall()


def totals(conn: sqlite3.Connection) -> tuple[int, int, int, int]:
    """How many files, lines, symbols that are no files, and edges there are."""
    count, lines = conn.execute(
        "SELECT count(*), coalesce(sum(lines), 0) FROM files WHERE state = ?", (LINKABLE,)
    ).fetchone()
    symbols = conn.execute("SELECT count(*) FROM symbols WHERE position > 0").fetchone()[0]
    return count, lines, symbols, conn.execute("SELECT count(*) FROM edges").fetchone()[0]


def languages(conn: sqlite3.Connection) -> dict[str, int]:
    """How many files there are of each language, most first."""
    query = """SELECT language, count(*) FROM files WHERE state = ?
        GROUP BY language ORDER BY 2 DESC, 1"""
    return dict(conn.execute(query, (LINKABLE,)).fetchall())


def broken(conn: sqlite3.Connection) -> int:
    """How many files hold syntax the parser did not understand."""
    return int(conn.execute("SELECT count(*) FROM files WHERE broken").fetchone()[0])


def state_of(conn: sqlite3.Connection, path: str) -> str | None:
    """How a file stands in the graph; None where it is not there."""
    row = conn.execute("SELECT state FROM files WHERE path = ?", (path,)).fetchone()
    return None if row is None else str(row[0])


_JOINED = """FROM edges e
    JOIN symbols s ON s.id = e.source JOIN files sf ON sf.id = s.file_id
    JOIN symbols t ON t.id = e.target JOIN files tf ON tf.id = t.file_id"""


def files_used(conn: sqlite3.Connection, path: str) -> list[str]:
    """The files that a file imports or whose symbols it uses."""
    query = f"""SELECT DISTINCT tf.path {_JOINED}
        WHERE sf.path = ?1 AND tf.path <> ?1 ORDER BY tf.path"""
    return [found for (found,) in conn.execute(query, (path,))]


def files_using(conn: sqlite3.Connection, path: str) -> list[str]:
    """The files that import a file or use its symbols."""
    query = f"""SELECT DISTINCT sf.path {_JOINED}
        WHERE tf.path = ?1 AND sf.path <> ?1 ORDER BY sf.path"""
    return [found for (found,) in conn.execute(query, (path,))]


# For the module map


def project_files(conn: sqlite3.Connection) -> list[tuple[str, str, int, str]]:
    """Path, language, lines and doc line of every source file."""
    return conn.execute(
        f"""SELECT f.path, f.language, f.lines, s.doc {_OF_FILE}
        WHERE s.position = 0 AND f.state = ? ORDER BY f.path""",
        (LINKABLE,),
    ).fetchall()


def top_symbols(conn: sqlite3.Connection) -> list[tuple[str, str, int]]:
    """Path, name and number of users of what files define at their top, most used first."""
    return conn.execute(
        f"""SELECT f.path, s.name, count(e.source) AS users {_OF_FILE}
        LEFT JOIN edges e ON e.target = s.id
        WHERE s.parent = 0 AND s.position > 0 AND s.kind <> 'variable'
        GROUP BY s.id ORDER BY f.path, users DESC, s.end_line - s.start_line DESC"""
    ).fetchall()


def file_joins(conn: sqlite3.Connection) -> list[tuple[str, str, int]]:
    """Source file, target file and how often the one uses the other."""
    return conn.execute(
        f"""SELECT sf.path, tf.path, count(*) {_JOINED}
        WHERE sf.id <> tf.id GROUP BY sf.id, tf.id ORDER BY sf.path, tf.path"""
    ).fetchall()


def external_imports(conn: sqlite3.Connection) -> list[tuple[str, str]]:
    """File and module of every import that means nothing in this project."""
    return conn.execute(
        """SELECT DISTINCT path, module FROM imports JOIN files ON id = file_id
        WHERE target IS NULL ORDER BY path, line"""
    ).fetchall()


def shape(conn: sqlite3.Connection) -> list[str]:
    """The source files by path, and the other files that matter by path and content."""
    rows = conn.execute(
        "SELECT path, CASE WHEN state = ? THEN '' ELSE hash END FROM files ORDER BY path",
        (LINKABLE,),
    )
    return [f"{path} {content}" for path, content in rows]


def hints(
    conn: sqlite3.Connection, paths: Iterable[str], *, most: int
) -> list[tuple[str, str, list[str]]]:
    """Path, doc line and main symbols of some files."""
    found = []
    for path in paths:
        row = conn.execute(
            f"SELECT s.doc, f.id {_OF_FILE} WHERE f.path = ? AND s.position = 0", (path,)
        ).fetchone()
        if row is not None:
            names = conn.execute(
                """SELECT name FROM symbols WHERE file_id = ? AND parent = 0 AND position > 0
                AND kind <> 'variable' ORDER BY end_line - start_line DESC LIMIT ?""",
                (row[1], most),
            )
            found.append((path, row[0], [name for (name,) in names]))
    return found


# For locating


def content_hashes(conn: sqlite3.Connection) -> dict[str, str]:
    """The hash of each source file's content, by path."""
    return dict(
        conn.execute("SELECT path, hash FROM files WHERE state = ?", (LINKABLE,)).fetchall()
    )


def terms_of(conn: sqlite3.Connection, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The word counts of some files, as they were stored."""
    if len(paths) > _MOST_AT_ONCE:
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


def vectors_of(conn: sqlite3.Connection, model: str) -> dict[str, tuple[str, bytes]]:
    """By path: the content that vectors of a file's symbols were made from, and the vectors."""
    rows = conn.execute("SELECT path, hash, vectors FROM vectors WHERE model = ?", (model,))
    return {path: (content, data) for path, content, data in rows}


def vector_hashes(conn: sqlite3.Connection, model: str) -> dict[str, str]:
    """By path: the content that vectors were made from."""
    rows = conn.execute("SELECT path, hash FROM vectors WHERE model = ?", (model,))
    return dict(rows.fetchall())
