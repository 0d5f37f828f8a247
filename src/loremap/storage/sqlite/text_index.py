"""The full-text index on SQLite's FTS5, which ranks by BM25 with k1 = 1.2 and b = 0.75 and the
inverse document frequency ln((N − n + ½) / (n + ½)), held at 1e-6 or more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, text

from loremap.storage.bm25 import COLUMNS as SEARCHED
from loremap.storage.bm25 import Numbers, Slots, Words
from loremap.storage.dialect import Arrays
from loremap.storage.indexed import COLUMNS
from loremap.storage.sqlite.connect import asked

_TOKENIZER = "tokenize = 'unicode61 remove_diacritics 0'"

CREATE = (
    f"CREATE VIRTUAL TABLE memory_text USING fts5({', '.join(COLUMNS)}, {_TOKENIZER})",
    "INSERT INTO memory_text(memory_text, rank) VALUES ('secure-delete', 1)",
    "CREATE VIRTUAL TABLE memory_vocabulary USING fts5vocab(memory_text, 'row')",
)
_BY_COLUMN = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.words_by_column "
    "USING fts5vocab(main, memory_text, 'col')"
)
_WITH_PREFIX = (
    "SELECT DISTINCT term FROM temp.words_by_column "
    "WHERE col != 'place' AND term >= ? AND term < ? ORDER BY term"
)
_FIELDS = ", ".join(f"CAST(t.c{place} AS BLOB)" for place in range(len(SEARCHED)))
_ALL = f"SELECT t.id, {_FIELDS} FROM memory_text_content t ORDER BY t.id"
_CHANGED = (
    f"SELECT m.row, {_FIELDS} FROM memories m JOIN memory_text_content t ON t.id = m.row "
    "WHERE m.seq > ?"
)
_LAST = "\U0010ffff"
_INSERT = f"INSERT INTO memory_text(rowid, {', '.join(COLUMNS)}) VALUES (?{', ?' * len(COLUMNS)})"


class TextHit(NamedTuple):
    """A row that holds some of the words, and its BM25 score (more is better)."""

    row: int
    score: float


def index(conn: Connection, row: int, terms: Mapping[str, Sequence[str]]) -> None:
    """Put the terms of a memory into the index."""
    conn.exec_driver_sql(_INSERT, (row, *(" ".join(terms[name]) for name in COLUMNS)))


def unindex(conn: Connection, rows: Iterable[int]) -> None:
    """Take rows out of the index; their words are overwritten, not merely marked."""
    for row in rows:
        conn.execute(text("DELETE FROM memory_text WHERE rowid = :row"), {"row": row})


def purge(conn: Connection) -> None:
    """Rewrite the index so that no page of it holds a word of an erased row."""
    conn.exec_driver_sql("INSERT INTO memory_text(memory_text) VALUES ('optimize')")


def search(
    conn: Connection,
    match: str,
    *,
    limit: int,
    after: int = 0,
    weights: Sequence[float] = (1.0, 1.0, 1.0, 1.0, 1.0),
) -> list[TextHit]:
    """The rows after one that match an FTS5 expression, best first."""
    ranked = ", ".join(f"{weight:g}" for weight in (*weights, 0.0))
    found = conn.exec_driver_sql(
        f"SELECT rowid, -bm25(memory_text, {ranked}) AS score FROM memory_text "
        "WHERE memory_text MATCH ? AND rowid > ? ORDER BY score DESC LIMIT ?",
        (match, after, limit),
    )
    return [TextHit(row, score) for row, score in found.fetchall()]


def words_of(conn: Connection, *, since: int | None) -> list[Any]:
    """The rows of the index written after change `since`, or all in order, as bytes by column."""
    return asked(conn, _ALL) if since is None else asked(conn, _CHANGED, since)


def any_of(terms: Iterable[str], *, columns: Sequence[str] = ()) -> str:
    """An expression that matches any of `terms`; no term can break its syntax."""
    alternatives = " OR ".join(quoted(term) for term in terms)
    return f"{{{' '.join(columns)}}} : ({alternatives})" if columns else alternatives


def within(match: str, places: Iterable[str]) -> str:
    """`match`, held to the rows of some places."""
    return f"{any_of(places, columns=('place',))} AND ({match})"


def quoted(term: str) -> str:
    """`term` as an FTS5 string."""
    return '"' + term.replace('"', '""') + '"'


class IndexWords(Words):
    """The words as the index itself tells them, one question to each term: for whoever asks once,
    and so has no use for arrays of all."""

    def __init__(self, conn: Connection, warm: Arrays) -> None:
        self._conn = conn
        self._warm = warm

    @property
    def size(self) -> int:
        """How many slots there are."""
        return self._warm.size

    @cached_property
    def rows(self) -> int:
        """How many memories are indexed."""
        counted = self._conn.exec_driver_sql("SELECT count(*) FROM memory_text_docsize")
        return int(counted.scalar_one())

    def gains(self, term: str, weights: Sequence[float]) -> tuple[Slots, Numbers]:
        """The slots that hold `term`, each once, and what it adds to the BM25 of each."""
        columns = [name for name, weight in zip(SEARCHED, weights, strict=True) if weight]
        ranked = ", ".join(f"{weight!r}" for weight in weights)
        return self._asked(f"-bm25(memory_text, {ranked})", term, columns)

    def holds(self, term: str, *, columns: Sequence[str] = SEARCHED) -> Slots:
        """The slots that hold `term` in one of `columns`."""
        return self._asked("0.0", term, columns)[0]

    def vocabulary(self) -> list[str]:
        """Every word that occurs, in order."""
        return self.with_prefix("")

    def with_prefix(self, prefix: str) -> list[str]:
        """The words that begin with `prefix`, in order."""
        self._conn.exec_driver_sql(_BY_COLUMN)
        found = self._conn.exec_driver_sql(_WITH_PREFIX, (prefix, prefix + _LAST))
        return list(found.scalars())

    def _asked(self, score: str, term: str, columns: Sequence[str]) -> tuple[Slots, Numbers]:
        if not columns:
            return np.zeros(0, np.int64), np.zeros(0)
        match = any_of([term], columns=columns)
        sql = f"SELECT rowid, {score} FROM memory_text WHERE memory_text MATCH ?"
        rows, gains = tuple(zip(*asked(self._conn, sql, match), strict=True)) or ((), ())
        slots = self._warm.slots_of(np.asarray(rows, np.int64))
        return slots[slots >= 0], np.asarray(gains, np.float64)[slots >= 0]


def vocabulary(conn: Connection) -> list[str]:
    """Every term of the index."""
    return [term for (term,) in conn.exec_driver_sql("SELECT term FROM memory_vocabulary")]
