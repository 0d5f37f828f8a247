"""PostgreSQL as one of the two databases."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from psycopg.errors import QueryCanceled
from sqlalchemy import Connection, Table, func, inspect, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError

from loremap.storage import tables
from loremap.storage.bm25 import COLUMNS as SEARCHED
from loremap.storage.bm25 import Words
from loremap.storage.dialect import Arrays, CutOff
from loremap.storage.indexed import COLUMNS
from loremap.storage.postgres.compiled import THIS_TENANT, from_vector
from loremap.storage.tables import AUDIT_KEPT, TENANT, WRITTEN_ONCE

_TEXTS = "memory_text"
_TEXT_TABLE = (
    f"CREATE TABLE {_TEXTS} ("
    f"{TENANT} TEXT NOT NULL DEFAULT {THIS_TENANT}, row BIGINT NOT NULL, "
    f"{', '.join(f'{name} TEXT NOT NULL' for name in COLUMNS)}, PRIMARY KEY ({TENANT}, row))"
)
"""The terms of every memory, joined by spaces: what the arrays of words are made from."""
_TRAIL, _LOG = "the audit trail cannot be changed", "the log of events is only appended to"
_RECENT = f"old.seq > (SELECT max(seq) FROM audit) - {AUDIT_KEPT}"


def _guard(table: str, name: str, act: str, *, said: str, when: str = "true") -> tuple[str, ...]:
    """A trigger that refuses an act on the rows of a table."""
    refusal = f"RAISE EXCEPTION '{said}' USING ERRCODE = 'integrity_constraint_violation'"
    refuse = f"IF {when} THEN {refusal}; END IF; RETURN old;"
    function = f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql"
    trigger = f"CREATE TRIGGER {name} BEFORE {act} ON {table} FOR EACH ROW"
    return f"{function} AS $$ BEGIN {refuse} END $$", f"{trigger} EXECUTE FUNCTION {name}()"


def _by_tenant(table: str) -> tuple[str, ...]:
    """Nobody, its owner included, sees or writes another tenant's rows."""
    own = f"{TENANT} = {THIS_TENANT}"
    return (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY own_rows ON {table} USING ({own}) WITH CHECK ({own})",
    )


_OWNED = (*(name for name, table in tables.metadata.tables.items() if TENANT in table.c), _TEXTS)
_FIELDS = ", ".join(f"convert_to(t.{name}, 'UTF8')" for name in SEARCHED)
_ALL_WORDS = f"SELECT t.row, {_FIELDS} FROM {_TEXTS} t ORDER BY t.row"
_CHANGED_WORDS = (
    f"SELECT m.row, {_FIELDS} FROM memories m JOIN {_TEXTS} t ON t.row = m.row WHERE m.seq > ?"
)
_INDEX = text(
    f"INSERT INTO {_TEXTS} (row, {', '.join(COLUMNS)}) "
    f"VALUES (:row, {', '.join(f':{name}' for name in COLUMNS)})"
)
_UNINDEX = text(f"DELETE FROM {_TEXTS} WHERE row = ANY(:rows)")
_SAID = "string_to_array(head || ' ' || rest, ' ')"
_SHARING = text(
    f"SELECT row FROM {_TEXTS} "
    f"WHERE row > :after AND place = ANY(:places) AND {_SAID} && CAST(:terms AS TEXT[]) "
    f"ORDER BY (SELECT count(*) FROM unnest(CAST(:terms AS TEXT[])) AS term "
    f"WHERE term = ANY({_SAID})) DESC, row LIMIT :limit"
)
_VECTORS = (
    "SELECT m.row, vector_send(v.vector) FROM vectors v JOIN memories m ON m.id = v.memory_id "
    "WHERE v.model = ? AND v.seq > ? ORDER BY m.row, v.chunk"
)
_NEWEST = select(func.max(tables.migrations.c.number))


class Postgres:
    """How PostgreSQL does what `storage.dialect.Dialect` asks for."""

    foundation = (
        _TEXT_TABLE,
        *_guard("audit", "audit_unchanged", "UPDATE", said=_TRAIL),
        *_guard("audit", "audit_kept", "DELETE", said=_TRAIL, when=_RECENT),
        *_guard("events", "events_unchanged", f"UPDATE OF {WRITTEN_ONCE}", said=_LOG),
        *(statement for name in _OWNED for statement in _by_tenant(name)),
    )

    def asked(self, conn: Connection, sql: str, *given: object) -> list[Any]:
        """The rows that the driver itself finds."""
        return list(conn.exec_driver_sql(sql.replace("?", "%s"), given).fetchall())

    def time_bound(self, conn: Connection, *, until: float | None) -> AbstractContextManager[None]:
        """Raises CutOff where a statement inside still runs at `until`; what it had done is undone,
        and the transaction goes on."""
        return _time_bound(conn, until=until)

    def insert_missing(
        self, conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        """Insert the rows whose keys are not there yet."""
        conn.execute(insert(table).on_conflict_do_nothing(), rows)

    def index(self, conn: Connection, row: int, terms: Mapping[str, Sequence[str]]) -> None:
        """Put the terms of a memory into the index."""
        conn.execute(_INDEX, {"row": row} | {name: " ".join(terms[name]) for name in COLUMNS})

    def unindex(self, conn: Connection, rows: Iterable[int]) -> None:
        """Take rows out of the index."""
        conn.execute(_UNINDEX, {"rows": list(rows)})

    def purge_words(self, conn: Connection) -> None:
        """Nothing is left of a row that is deleted, once the server has vacuumed."""

    def sharing(
        self,
        conn: Connection,
        terms: Sequence[str],
        places: Sequence[str],
        *,
        after: int,
        limit: int,
    ) -> list[int]:
        """Rows after one, in those places, that say some of the terms, most first."""
        given = {"after": after, "places": list(places), "terms": list(terms), "limit": limit}
        return list(conn.execute(_SHARING, given).scalars())

    def words_of(self, conn: Connection, *, since: int | None) -> list[Any]:
        """The rows of the index, with the terms of each column."""
        if since is None:
            return self.asked(conn, _ALL_WORDS)
        return self.asked(conn, _CHANGED_WORDS, since)

    def cold_words(self, conn: Connection, arrays: Arrays) -> Words | None:
        """A server asks again and again: only arrays answer."""
        return None

    def vectors_of(self, conn: Connection, model: str, *, since: int) -> list[Any]:
        """The vectors of a model that were written after change `since`."""
        return [(row, from_vector(sent)) for row, sent in self.asked(conn, _VECTORS, model, since)]

    def version(self, conn: Connection) -> int:
        """The number of the last migration the database has seen."""
        if not inspect(conn).has_table(tables.migrations.name):
            return 0
        return int(conn.execute(_NEWEST).scalar() or 0)

    def set_version(self, conn: Connection, number: int) -> None:
        """The table of migrations says it already."""


@contextmanager
def _time_bound(conn: Connection, *, until: float | None) -> Iterator[None]:
    if until is None:
        yield
        return
    left_ms = int((until - time.perf_counter()) * 1000)
    if left_ms <= 0:
        raise CutOff
    try:
        with conn.begin_nested():
            conn.execute(_TIMEOUT, {"ms": str(left_ms)})
            yield
            conn.execute(_TIMEOUT, {"ms": "0"})
    except DBAPIError as fault:
        if isinstance(fault.orig, QueryCanceled):
            raise CutOff from fault
        raise


_TIMEOUT = text("SELECT set_config('statement_timeout', :ms, true)")

POSTGRES = Postgres()
