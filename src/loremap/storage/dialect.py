"""What a database does in its own way; the rest of the room says its SQL once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, Table

from loremap.storage.bm25 import Slots, Words

OPTION = "loremap_dialect"
"""The execution option under which the connections of a store carry its dialect."""


class Arrays(Protocol):
    """The arrays whose slots stand for memories."""

    size: int

    def slots_of(self, rows: NDArray[np.int64]) -> Slots:
        """The slots of rows."""


class CutOff(Exception):
    """A statement was stopped because its time was over."""


class Dialect(Protocol):
    """One database. Text search must give the same everywhere: terms come from `model.words`, and
    the database neither splits, folds nor stems; BM25 is `storage.bm25`'s, over every row of the
    tenant that is in the index: all projects, every status, not yet purged."""

    foundation: tuple[str, ...]
    """What an empty database needs beside the shared tables."""

    # Statements

    def asked(self, conn: Connection, sql: str, *given: object) -> list[Any]:
        """The rows that the driver itself finds, in the transaction of `conn`, `?` standing for
        what is given: for the few questions that come with every write and recall, where the rest
        of a statement costs more than the database."""

    def time_bound(self, conn: Connection, *, until: float | None) -> AbstractContextManager[None]:
        """Raises CutOff where a statement inside still runs at `until` on `time.perf_counter`."""

    def insert_missing(
        self, conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        """Insert the rows whose keys are not there yet."""

    # Words

    def index(self, conn: Connection, row: int, terms: Mapping[str, Sequence[str]]) -> None:
        """Put the terms of a memory, by column, into the index."""

    def unindex(self, conn: Connection, rows: Iterable[int]) -> None:
        """Take rows out of the index."""

    def purge_words(self, conn: Connection) -> None:
        """See to it that the index holds no word of an erased row."""

    def sharing(
        self,
        conn: Connection,
        terms: Sequence[str],
        places: Sequence[str],
        *,
        after: int,
        limit: int,
    ) -> list[int]:
        """Rows with a higher number than `after`, in those places, that say some of the terms, the
        best first."""

    def words_of(self, conn: Connection, *, since: int | None) -> list[Any]:
        """The rows of the index that were written after change `since`, or all, in order: the
        number of each, and the terms of each column as bytes with spaces between."""

    def cold_words(self, conn: Connection, arrays: Arrays) -> Words | None:
        """The words as the index itself tells them, for whoever asks once; None where only arrays
        answer."""

    # Vectors

    def vectors_of(self, conn: Connection, model: str, *, since: int) -> list[Any]:
        """The vectors of a model that were written after change `since`, each with the number of
        its memory's row, in that order: floats of 32 bits."""

    # Schema

    def version(self, conn: Connection) -> int:
        """The number of the last migration the database has seen; 0 for an empty one."""

    def set_version(self, conn: Connection, number: int) -> None:
        """Note the number of the last migration."""


def dialect_of(conn: Connection) -> Dialect:
    """The dialect of the database that a connection is to."""
    return cast(Dialect, conn.get_execution_options()[OPTION])


def version_of(engine: Engine) -> int:
    """The number of the last migration a database has seen; 0 for an empty one."""
    with engine.connect() as conn:
        return dialect_of(conn).version(conn)
