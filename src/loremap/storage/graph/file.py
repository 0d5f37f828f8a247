"""Opens the graph's file, makes it anew when it is of another version or damaged, and locks scans.

The file holds only what the checkout beside it shows, so it is plain.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from loremap.errors import GraphFault

BUSY_SECONDS = 10.0
CACHE_KIB = 65_536

_TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE files (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, state TEXT NOT NULL,
        language TEXT NOT NULL DEFAULT '', package TEXT NOT NULL DEFAULT '',
        size INTEGER NOT NULL DEFAULT 0, mtime_ns INTEGER NOT NULL DEFAULT 0,
        inode INTEGER NOT NULL DEFAULT 0, settled INTEGER NOT NULL DEFAULT 0,
        hash TEXT NOT NULL DEFAULT '', lines INTEGER NOT NULL DEFAULT 0,
        broken INTEGER NOT NULL DEFAULT 0, linked INTEGER NOT NULL DEFAULT 0,
        given_up TEXT NOT NULL DEFAULT '')""",
    "CREATE TABLE facts (file_id INTEGER PRIMARY KEY, facts BLOB NOT NULL, terms BLOB NOT NULL)",
    """CREATE TABLE symbols (
        id INTEGER PRIMARY KEY, file_id INTEGER NOT NULL, position INTEGER NOT NULL,
        parent INTEGER NOT NULL, qualified TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
        start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, signature TEXT NOT NULL,
        doc TEXT NOT NULL, scope TEXT NOT NULL, digest TEXT NOT NULL)""",
    """CREATE TABLE edges (
        source INTEGER NOT NULL, target INTEGER NOT NULL, kind TEXT NOT NULL,
        line INTEGER NOT NULL, PRIMARY KEY (source, kind, target, line)) WITHOUT ROWID""",
    """CREATE TABLE names (
        package TEXT NOT NULL, name TEXT NOT NULL, file_id INTEGER NOT NULL,
        PRIMARY KEY (package, name, file_id)) WITHOUT ROWID""",
    """CREATE TABLE imports (
        file_id INTEGER NOT NULL, line INTEGER NOT NULL, module TEXT NOT NULL,
        items TEXT NOT NULL, target TEXT)""",
    """CREATE TABLE consulted (
        mark TEXT NOT NULL, file_id INTEGER NOT NULL, PRIMARY KEY (mark, file_id)) WITHOUT ROWID""",
    """CREATE TABLE folders (
        path TEXT PRIMARY KEY, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL) WITHOUT ROWID""",
    "CREATE TABLE skipped (reason TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID",
    """CREATE TABLE vectors (
        path TEXT NOT NULL, model TEXT NOT NULL, hash TEXT NOT NULL, vectors BLOB NOT NULL,
        PRIMARY KEY (path, model))""",
)
SCHEMA_VERSION = zlib.crc32("".join(_TABLES).encode()) & 0x7FFFFFFF
"""A graph with other tables is made anew."""
INDEXES = (
    "CREATE INDEX IF NOT EXISTS symbols_of_file ON symbols (file_id, position)",
    "CREATE INDEX IF NOT EXISTS files_waiting ON files (path) WHERE linked = 0",
    "CREATE INDEX IF NOT EXISTS symbols_by_name ON symbols (name COLLATE NOCASE)",
    "CREATE INDEX IF NOT EXISTS symbols_by_digest ON symbols (digest)",
    "CREATE INDEX IF NOT EXISTS edges_to ON edges (target, kind)",
    "CREATE INDEX IF NOT EXISTS imports_of_file ON imports (file_id)",
    "CREATE INDEX IF NOT EXISTS imports_of_target ON imports (target)",
    "CREATE INDEX IF NOT EXISTS consulted_by ON consulted (file_id)",
    "CREATE INDEX IF NOT EXISTS names_of_file ON names (file_id)",
)


class _Cursor(sqlite3.Cursor):
    """Rows of the graph; a fault while they are read is told in our words."""

    connection: Graph

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]  # rows, one after the other
        try:
            yield from iter(super().fetchone, None)
        except sqlite3.Error as fault:
            raise _in_our_words(fault, self.connection.path) from fault

    def fetchone(self) -> Any:
        """The next row, or None."""
        try:
            return super().fetchone()
        except sqlite3.Error as fault:
            raise _in_our_words(fault, self.connection.path) from fault

    def fetchall(self) -> list[Any]:
        """The rows that are left."""
        try:
            return super().fetchall()
        except sqlite3.Error as fault:
            raise _in_our_words(fault, self.connection.path) from fault


class Graph(sqlite3.Connection):
    """A connection to the graph; its faults are told in our words."""

    path = Path()

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Run one statement."""
        try:
            return self.cursor(_Cursor).execute(sql, parameters)
        except sqlite3.Error as fault:
            raise _in_our_words(fault, self.path) from fault

    def executemany(self, sql: str, parameters: Any, /) -> sqlite3.Cursor:
        """Run one statement for every row of parameters."""
        try:
            return self.cursor(_Cursor).executemany(sql, parameters)
        except sqlite3.Error as fault:
            raise _in_our_words(fault, self.path) from fault


def graph_path(graphs: Path, root: Path) -> Path:
    """Where the graph of the checkout at `root` lies; two worktrees have two."""
    name = hashlib.blake2b(str(root).encode("utf-8", "surrogateescape"), digest_size=10)
    return graphs / f"{name.hexdigest()}.db"


class GraphFile:
    """One open graph: a connection for this thread of work, and its change counter."""

    def __init__(self, path: Path, *, content_version: str, cache_kib: int = CACHE_KIB) -> None:
        self.path = path
        self.content_version = content_version
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.conn = _opened(path, content_version)
        self.conn.execute(f"PRAGMA cache_size = -{cache_kib}")

    def close(self) -> None:
        """Let go of the file."""
        self.conn.close()

    @property
    def seq(self) -> int:
        """How often the graph was changed, by any process."""
        return int(self.meta("seq", "0"))

    def meta(self, key: str, default: str = "") -> str:
        """A fact about the graph itself."""
        row = self.conn.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return default if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        """Write a fact about the graph itself, within the write at hand."""
        self.conn.execute(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    @contextmanager
    def write(self) -> Iterator[Graph]:
        """One write; all of it or nothing, and the counter grows with it."""
        try:
            self.conn.execute("BEGIN IMMEDIATE")
            yield self.conn
            self.set_meta("seq", str(self.seq + 1))
            self.conn.execute("COMMIT")
        except BaseException:
            if self.conn.in_transaction:
                self.conn.execute("ROLLBACK")
            raise

    @contextmanager
    def scanning(self, *, wait_seconds: float) -> Iterator[bool]:
        """Whether this process may scan: one at a time, and a killed one lets go by itself."""
        beside = self.path.with_suffix(".lock")
        with closing(sqlite3.connect(beside, timeout=wait_seconds, isolation_level=None)) as lock:
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                yield False
                return
            try:
                yield True
            finally:
                lock.execute("ROLLBACK")


def _opened(path: Path, content_version: str) -> Graph:
    """A connection to the graph, which is begun anew where it is no longer of use."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return _current(path, content_version)
        except GraphFault as fault:
            said = fault.__cause__
            if not isinstance(said, sqlite3.OperationalError):  # no database, or a damaged one
                erase(path)
                return _current(path, content_version)
            # Two that begin a graph at once: SQLite does not wait where the journal is changed.
            if "locked" not in str(said) or time.monotonic() > until:
                raise
            time.sleep(0.02)


def erase(path: Path) -> None:
    """Remove a graph and what SQLite keeps beside it."""
    for ending in ("", "-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).unlink()


def _connected(path: Path) -> Graph:
    path.touch(mode=0o600)
    try:
        conn = sqlite3.connect(
            path,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            factory=Graph,
        )
    except sqlite3.Error as fault:
        raise _in_our_words(fault, path) from fault
    conn.path = path
    conn.execute("PRAGMA journal_mode = WAL")
    conn.execute("PRAGMA synchronous = NORMAL")
    conn.execute("PRAGMA temp_store = MEMORY")
    return conn


def _current(path: Path, content_version: str) -> Graph:
    """A connection to a graph of this version; one of another version is emptied first.

    Emptied and not deleted: another process may be at work in it.
    """
    conn = _connected(path)
    if _is_current(conn, content_version):
        return conn
    conn.execute("BEGIN IMMEDIATE")
    if not _is_current(conn, content_version):
        tables = conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in tables:
            conn.execute(f'DROP TABLE "{name}"')
        for statement in _TABLES:
            conn.execute(statement)
        conn.execute("INSERT INTO meta VALUES ('content_version', ?)", (content_version,))
        conn.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    conn.execute("COMMIT")
    return conn


def _is_current(conn: Graph, content_version: str) -> bool:
    if conn.execute("PRAGMA user_version").fetchone()[0] != SCHEMA_VERSION:
        return False
    row = conn.execute("SELECT value FROM meta WHERE key = 'content_version'").fetchone()
    return row is not None and row[0] == content_version


def _in_our_words(fault: sqlite3.Error, path: Path) -> GraphFault:
    return GraphFault(
        f"The code graph {path.name} cannot be used: {fault}. Memories are not touched.",
        hint=f"Delete {path}; the next scan makes it anew.",
    )
