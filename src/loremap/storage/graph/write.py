"""Writes what a scan found: files, symbols that keep their ids, edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from loremap.storage.graph.file import Graph
from loremap.storage.graph.rows import LINKABLE, LinkedFile, ParsedFile

_INSERT_SYMBOL = "INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_UPDATE_SYMBOL = """UPDATE symbols SET position = ?, parent = ?, qualified = ?, name = ?, kind = ?,
    start_line = ?, end_line = ?, signature = ?, doc = ?, scope = ?, digest = ? WHERE id = ?"""


def put_file(conn: Graph, parsed: ParsedFile) -> int:
    """Write one file in place of what was known of it; symbols that are still there keep ids."""
    there = conn.execute("SELECT 1 FROM files WHERE path = ?", (parsed.path,)).fetchone()
    file_id = _put_row(conn, parsed)
    known = _known_symbols(conn, file_id) if there else []
    if there:
        conn.execute("DELETE FROM names WHERE file_id = ?", (file_id,))
    if parsed.state != LINKABLE:
        if there:
            conn.execute("DELETE FROM facts WHERE file_id = ?", (file_id,))
            _drop_links(conn, file_id)
            drop_symbols(conn, [row[0] for row in known])
        return file_id
    conn.execute(
        "INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", (file_id, parsed.facts, parsed.terms)
    )
    conn.executemany(
        "INSERT OR IGNORE INTO names VALUES (?, ?, ?)",
        [(parsed.package, name, file_id) for name in parsed.names],
    )
    if known:
        _replace_symbols(conn, file_id, known, parsed)
    else:
        conn.executemany(_INSERT_SYMBOL, [(None, file_id, *row) for row in parsed.symbols])
    return file_id


def _put_row(conn: Graph, parsed: ParsedFile) -> int:
    row = conn.execute(
        """INSERT INTO files (path, state, language, package, size, mtime_ns, inode, settled, hash,
            lines, broken, linked) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
        ON CONFLICT (path) DO UPDATE SET state = excluded.state, language = excluded.language,
            package = excluded.package, size = excluded.size, mtime_ns = excluded.mtime_ns,
            inode = excluded.inode, settled = excluded.settled, hash = excluded.hash,
            lines = excluded.lines, broken = excluded.broken,
            linked = 0, given_up = ''
        RETURNING id""",
        (
            *(parsed.path, parsed.state, parsed.language, parsed.package),
            *parsed.stamp,
            *(parsed.settled, parsed.hash, parsed.lines, parsed.broken),
        ),
    ).fetchone()
    return int(row[0])


def _known_symbols(conn: Graph, file_id: int) -> list[tuple[int, str, str]]:
    return conn.execute(
        "SELECT id, qualified, digest FROM symbols WHERE file_id = ? ORDER BY position", (file_id,)
    ).fetchall()


def _replace_symbols(
    conn: Graph,
    file_id: int,
    known: Sequence[tuple[int, str, str]],
    parsed: ParsedFile,
) -> None:
    kept = kept_ids(known, [(row[2], row[10]) for row in parsed.symbols])
    fresh, changed = [], []
    for row, symbol_id in zip(parsed.symbols, kept, strict=True):
        if symbol_id is None:
            fresh.append((None, file_id, *row))
        else:
            changed.append((*row, symbol_id))
    stay = {symbol_id for symbol_id in kept if symbol_id is not None}
    drop_symbols(conn, [row[0] for row in known if row[0] not in stay])
    conn.executemany(_UPDATE_SYMBOL, changed)
    conn.executemany(_INSERT_SYMBOL, fresh)


def kept_ids(
    known: Sequence[tuple[int, str, str]], now: Sequence[tuple[str, str]]
) -> list[int | None]:
    """For each symbol there now (name, digest), the id it had: by its name, else by its text."""
    by_name = {qualified: symbol_id for symbol_id, qualified, _ in known}
    kept = [by_name.pop(qualified, None) for qualified, _ in now]
    gone = set(by_name.values())
    by_digest: dict[str, int | None] = {}
    for symbol_id, _, digest in known:
        if symbol_id in gone:
            # A text that two of them had tells neither apart.
            by_digest[digest] = None if digest in by_digest else symbol_id
    return [
        by_digest.pop(digest, None) if symbol_id is None and digest else symbol_id
        for symbol_id, (_, digest) in zip(kept, now, strict=True)
    ]


def drop_symbols(conn: Graph, ids: Sequence[int]) -> None:
    """Remove symbols and every edge that touches them."""
    rows = [(symbol_id,) for symbol_id in ids]
    conn.executemany("DELETE FROM edges WHERE source = ?", rows)
    conn.executemany("DELETE FROM edges WHERE target = ?", rows)
    conn.executemany("DELETE FROM symbols WHERE id = ?", rows)


def drop_files(conn: Graph, ids: Iterable[int]) -> None:
    """Remove files with all that was known of them."""
    for file_id in ids:
        _drop_links(conn, file_id)
        drop_symbols(conn, [row[0] for row in _known_symbols(conn, file_id)])
        conn.execute("DELETE FROM facts WHERE file_id = ?", (file_id,))
        conn.execute("DELETE FROM names WHERE file_id = ?", (file_id,))
        conn.execute("DELETE FROM files WHERE id = ?", (file_id,))


def move_file(conn: Graph, file_id: int, path: str) -> None:
    """Give a file its new path; it keeps its id, and its symbols theirs."""
    conn.execute("UPDATE files SET path = ?, linked = 0 WHERE id = ?", (path, file_id))
    conn.execute(
        "UPDATE symbols SET name = ? WHERE file_id = ? AND position = 0",
        (path.rpartition("/")[2], file_id),
    )


def put_links(conn: Graph, linked: LinkedFile, *, first: bool = False) -> None:
    """Write what the names of one file mean, in place of what they meant.

    With `first` no file of the graph was linked before.
    """
    if not first:
        _drop_links(conn, linked.file_id)
    conn.executemany("INSERT OR IGNORE INTO edges VALUES (?, ?, ?, ?)", linked.edges)
    conn.executemany(
        "INSERT INTO imports VALUES (?, ?, ?, ?, ?)",
        [(linked.file_id, *row) for row in linked.imports],
    )
    conn.executemany(
        "INSERT OR IGNORE INTO consulted VALUES (?, ?)",
        [(mark, linked.file_id) for mark in linked.consulted],
    )
    conn.execute("UPDATE files SET linked = 1, given_up = '' WHERE id = ?", (linked.file_id,))


def _drop_links(conn: Graph, file_id: int) -> None:
    conn.execute(
        "DELETE FROM edges WHERE source IN (SELECT id FROM symbols WHERE file_id = ?)", (file_id,)
    )
    conn.execute("DELETE FROM imports WHERE file_id = ?", (file_id,))
    conn.execute("DELETE FROM consulted WHERE file_id = ?", (file_id,))


def unlink(conn: Graph, marks: Iterable[str]) -> None:
    """Have the files that rest on any of `marks` linked again."""
    conn.executemany(
        "UPDATE files SET linked = 0 WHERE id IN (SELECT file_id FROM consulted WHERE mark = ?)",
        [(mark,) for mark in marks],
    )


def put_folders(conn: Graph, folders: Mapping[str, tuple[int, int]]) -> None:
    """Write when each folder of the project was last changed."""
    conn.execute("DELETE FROM folders")
    conn.executemany(
        "INSERT INTO folders VALUES (?, ?, ?)", [(path, *stamp) for path, stamp in folders.items()]
    )


def restamp(conn: Graph, rows: Iterable[tuple[int, int, int, bool, int]]) -> None:
    """New stamps of files whose content is as it was: size, mtime, inode, settled, file id."""
    conn.executemany(
        "UPDATE files SET size = ?, mtime_ns = ?, inode = ?, settled = ? WHERE id = ?", rows
    )


def unlink_files(conn: Graph, ids: Iterable[int]) -> None:
    """Have those files linked again."""
    conn.executemany("UPDATE files SET linked = 0 WHERE id = ?", [(file_id,) for file_id in ids])


def unlink_all(conn: Graph) -> None:
    """Have every file linked again."""
    conn.execute("UPDATE files SET linked = 0")


def give_up_links(conn: Graph, file_id: int, why: str) -> None:
    """Leave a file without links until it changes."""
    _drop_links(conn, file_id)
    conn.execute("UPDATE files SET linked = 1, given_up = ? WHERE id = ?", (why, file_id))


def digests(conn: Graph, file_id: int) -> set[str]:
    """The hashes of a file's definitions."""
    rows = conn.execute("SELECT digest FROM symbols WHERE file_id = ? AND digest <> ''", (file_id,))
    return {digest for (digest,) in rows}


def put_skipped(conn: Graph, counts: Mapping[str, int]) -> None:
    """Write how many files the listing passed over, by reason."""
    conn.execute("DELETE FROM skipped")
    conn.executemany("INSERT INTO skipped VALUES (?, ?)", counts.items())


def put_vectors(conn: Graph, model: str, rows: Iterable[tuple[str, str, bytes]]) -> None:
    """Write the vectors of files' symbols: path, hash of the content they were made from, bytes."""
    conn.executemany(
        "INSERT OR REPLACE INTO vectors (path, model, hash, vectors) VALUES (?, ?, ?, ?)",
        [(path, model, content, data) for path, content, data in rows],
    )


def drop_stray_vectors(conn: Graph, model: str) -> None:
    """Remove the vectors of other models and of files that are gone."""
    conn.execute(
        "DELETE FROM vectors WHERE model <> ? OR path NOT IN (SELECT path FROM files)", (model,)
    )


def unlink_saying(conn: Graph, marks: Iterable[str], names: Iterable[str]) -> None:
    """Have linked again those that rest on any of `marks` and say one of `names`, or rest on a
    file that does: what is not spelt cannot have changed its meaning for them."""
    conn.execute("CREATE TEMP TABLE IF NOT EXISTS saying (file_id INTEGER PRIMARY KEY, path TEXT)")
    conn.execute("DELETE FROM saying")
    conn.executemany(
        """INSERT OR IGNORE INTO saying SELECT file_id, path FROM facts
        JOIN files ON id = file_id WHERE instr(facts, ?)""",
        [(name.encode("utf-8", "replace"),) for name in names],
    )
    conn.executemany(
        """UPDATE files SET linked = 0 WHERE id IN (
            SELECT c.file_id FROM consulted c WHERE c.mark = ?1 AND (
                c.file_id IN (SELECT file_id FROM saying)
                OR EXISTS (SELECT 1 FROM consulted other JOIN saying s ON s.path = other.mark
                    WHERE other.file_id = c.file_id AND other.mark <> ?1)))""",
        [(mark,) for mark in marks],
    )
