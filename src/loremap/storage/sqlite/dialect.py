"""SQLite as one of the two databases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Connection, Table, insert

from loremap.storage.bm25 import Words
from loremap.storage.dialect import Arrays
from loremap.storage.sqlite import (
    compiled,  # noqa: F401 - how SQLite says what the tables mean
    text_index,
)
from loremap.storage.sqlite.connect import asked
from loremap.storage.sqlite.cut_off import time_bound
from loremap.storage.tables import AUDIT_KEPT, WRITTEN_ONCE

_REFUSE = "BEGIN SELECT raise(ABORT, 'the audit trail cannot be changed'); END"
_RECENT = f"old.seq > (SELECT max(seq) FROM audit) - {AUDIT_KEPT}"
_THERE = "EXISTS (SELECT 1 FROM audit WHERE seq = new.seq)"
_IMMUTABLE_AUDIT = (
    f"CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit {_REFUSE}",
    f"CREATE TRIGGER audit_kept BEFORE DELETE ON audit WHEN {_RECENT} {_REFUSE}",
    # REPLACE deletes without asking the trigger above.
    f"CREATE TRIGGER audit_added BEFORE INSERT ON audit WHEN {_THERE} {_REFUSE}",
)
_ONLY_APPENDED = "BEGIN SELECT raise(ABORT, 'the log of events is only appended to'); END"
_APPEND_ONLY_EVENTS = (
    f"CREATE TRIGGER events_unchanged BEFORE UPDATE OF {WRITTEN_ONCE} ON events {_ONLY_APPENDED}",
)
"""Old events go by the retention that is set; none is ever rewritten."""


_VECTORS = (
    "SELECT m.row, v.vector FROM vectors v JOIN memories m ON m.id = v.memory_id "
    "WHERE v.model = ? AND v.seq > ? ORDER BY m.row, v.chunk"
)


class Sqlite:
    """How SQLite does what `storage.dialect.Dialect` asks for."""

    foundation = (*text_index.CREATE, *_IMMUTABLE_AUDIT, *_APPEND_ONLY_EVENTS)

    def asked(self, conn: Connection, sql: str, *given: object) -> list[Any]:
        """The rows that the driver itself finds."""
        return asked(conn, sql, *given)

    def time_bound(self, conn: Connection, *, until: float | None) -> AbstractContextManager[None]:
        """Raises CutOff where a statement inside still runs at `until`."""
        return time_bound(conn, until=until)

    def insert_missing(
        self, conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        """Insert the rows whose keys are not there yet."""
        conn.execute(insert(table).prefix_with("OR IGNORE"), rows)

    def index(self, conn: Connection, row: int, terms: Mapping[str, Sequence[str]]) -> None:
        """Put the terms of a memory into the index."""
        text_index.index(conn, row, terms)

    def unindex(self, conn: Connection, rows: Iterable[int]) -> None:
        """Take rows out of the index; their words are overwritten, not merely marked."""
        text_index.unindex(conn, rows)

    def purge_words(self, conn: Connection) -> None:
        """Rewrite the index so that no page of it holds a word of an erased row."""
        text_index.purge(conn)

    def sharing(
        self,
        conn: Connection,
        terms: Sequence[str],
        places: Sequence[str],
        *,
        after: int,
        limit: int,
    ) -> list[int]:
        """Rows after one, in those places, that say some of the terms, the best first."""
        match = text_index.within(text_index.any_of(terms, columns=("head", "rest")), places)
        return [hit.row for hit in text_index.search(conn, match, after=after, limit=limit)]

    def words_of(self, conn: Connection, *, since: int | None) -> list[Any]:
        """The rows of the index, with the terms of each column."""
        return text_index.words_of(conn, since=since)

    def cold_words(self, conn: Connection, arrays: Arrays) -> Words | None:
        """The words as the index itself tells them."""
        return text_index.IndexWords(conn, arrays)

    def vectors_of(self, conn: Connection, model: str, *, since: int) -> list[Any]:
        """The vectors of a model that were written after change `since`."""
        return asked(conn, _VECTORS, model, since)

    def version(self, conn: Connection) -> int:
        """The number of the last migration the file has seen."""
        return int(conn.exec_driver_sql("PRAGMA user_version").scalar_one())

    def set_version(self, conn: Connection, number: int) -> None:
        """Note the number of the last migration in the file's head."""
        conn.exec_driver_sql(f"PRAGMA user_version = {number}")


SQLITE = Sqlite()
