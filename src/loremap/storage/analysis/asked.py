"""SQL over the episodic tables, in DuckDB: in memory, read from the store, closed to the outside.

What is asked may neither read nor write a file, nor reach the network; what leaves, leaves by
`Answer.write`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from sqlalchemy import Connection

from loremap.errors import BadInput
from loremap.storage.analysis.rows import EPISODIC, Episodic

if TYPE_CHECKING:
    import duckdb
    import pandas
    import pyarrow

T = TypeVar("T")
MISSING = "This needs the extra `insights`."
MISSING_HINT = "pip install 'loremap[insights]'"
FORMATS = (".parquet", ".csv", ".json")
MAX_SECONDS = 60.0
"""A question that takes longer is given up."""
_CLOSED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "memory_limit": "1GB",
    "threads": "2",
}


class Answer:
    """What a question came to; it is read while the analysis is open."""

    def __init__(
        self, duck: duckdb.DuckDBPyConnection, found: duckdb.DuckDBPyRelation | None
    ) -> None:
        self._duck = duck
        self._found = found

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return () if self._found is None else tuple(self._found.columns)

    @cached_property
    def rows(self) -> list[tuple[Any, ...]]:
        """The rows as Python values."""
        if self._found is None:
            return []
        return list(_in_time(self._duck, self._found.fetchall))

    @property
    def in_json(self) -> list[Any]:
        """The rows as JSON has them, which knows no infinite numbers."""
        return [_in_json(row) for row in self.rows]

    def arrow(self) -> pyarrow.Table:
        """The answer as an Arrow table."""
        try:
            import pyarrow
        except ImportError as fault:
            raise BadInput("Arrow needs pyarrow.", hint=MISSING_HINT) from fault
        if self._found is None:
            return pyarrow.table({})
        return _in_time(self._duck, self._found.to_arrow_table)

    def df(self) -> pandas.DataFrame:
        """The answer as a DataFrame."""
        try:
            return self.arrow().to_pandas()
        except ImportError as fault:
            raise BadInput("A DataFrame needs pandas.", hint=MISSING_HINT) from fault

    def write(self, path: Path) -> int:
        """Write the answer to a file that nobody else can read: .parquet, .csv or .json, one
        object a line; how many rows those are."""
        kind = path.suffix.lower()
        if kind not in FORMATS:
            raise BadInput(
                f"{path.name} says no format; nothing was written.",
                hint=f"End it with {', '.join(FORMATS)}.",
            )
        table = self.arrow()
        being_written = path.with_name(f".{path.name}.{os.getpid()}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        try:
            with os.fdopen(os.open(being_written, flags, 0o600), "wb") as file:
                _put(table, kind, file)
            being_written.replace(path)
        finally:
            being_written.unlink(missing_ok=True)
        return int(table.num_rows)


def _put(table: pyarrow.Table, kind: str, file: BinaryIO) -> None:
    """Write a table; raises BadInput where the format has no such values."""
    import pyarrow

    try:
        if kind == ".parquet":
            from pyarrow import parquet

            parquet.write_table(table, file)
        elif kind == ".csv":
            from pyarrow import csv

            csv.write_csv(table, file)
        else:
            for row in table.to_pylist():
                line = json.dumps(_in_json(row), ensure_ascii=False, default=str)
                file.write(f"{line}\n".encode())
    except pyarrow.ArrowException as fault:
        raise BadInput(
            f"{kind} takes no such values: {' '.join(str(fault).split())[:200]}; nothing was "
            "written.",
            hint="Cast them to VARCHAR, or end the file with .json.",
        ) from fault


def _in_json(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: _in_json(one) for name, one in value.items()}
    return [_in_json(one) for one in value] if isinstance(value, list | tuple) else value


class Analysis:
    """The episodic tables, ready to be asked."""

    def __init__(self, duck: duckdb.DuckDBPyConnection) -> None:
        self._duck = duck

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables."""
        return tuple(one.name for one in EPISODIC)

    def table(self, name: str) -> Answer:
        """All of one table."""
        return Answer(self._duck, self._duck.table(name))

    def sql(self, query: str, *, limit: int | None = None) -> Answer:
        """The answer to a question; raises BadInput where DuckDB does not take it."""
        found = _in_time(self._duck, lambda: self._duck.sql(query))
        return Answer(self._duck, found if found is None or limit is None else found.limit(limit))


def _in_time(duck: duckdb.DuckDBPyConnection, ask: Callable[[], T]) -> T:
    """What is asked, as long as it does not take too long and nobody presses Ctrl-C; of which
    DuckDB itself, in the thread that asks, would see nothing."""
    with _refused(), ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask)
        try:
            return asked.result(MAX_SECONDS)
        except TimeoutError as fault:
            duck.interrupt()
            raise BadInput(
                f"That takes longer than {MAX_SECONDS:.0f} seconds and was given up.",
                hint="Ask for less, or --export the tables and ask elsewhere.",
            ) from fault
        except BaseException:
            duck.interrupt()
            raise


@contextmanager
def _refused() -> Iterator[None]:
    """What DuckDB refuses, in a line."""
    import duckdb

    try:
        yield
    except duckdb.Error as fault:
        raise BadInput(
            f"DuckDB does not take that: {' '.join(str(fault).split())[:300]}",
            hint=f"Tables: {', '.join(one.name for one in EPISODIC)}.",
        ) from fault


@contextmanager
def analysis(conn: Connection, project_id: str | None, *, everywhere: bool) -> Iterator[Analysis]:
    """The episodic tables of a project, or of all, as they are now."""
    try:
        import duckdb
    except ImportError as fault:
        raise BadInput(MISSING, hint=MISSING_HINT) from fault
    duck = duckdb.connect(":memory:", config=dict(_CLOSED))
    try:
        for table in EPISODIC:
            _fill(duck, table, list(table.rows(conn, project_id, everywhere)))
        duck.execute("SET lock_configuration = true")
        yield Analysis(duck)
    finally:
        duck.close()


def _fill(
    duck: duckdb.DuckDBPyConnection, table: Episodic, rows: Sequence[tuple[Any, ...]]
) -> None:
    """Make a table of rows, a column at a time: row by row it would take minutes."""
    made = ", ".join(
        f'{_AS.get(kind, "{}").format(f"unnest(${at}::{_COMES_AS.get(kind, kind)}[])")} AS "{name}"'
        for at, (name, kind) in enumerate(table.columns.items(), 1)
    )
    columns = [list(column) for column in zip(*rows, strict=True)]
    duck.execute(
        f"CREATE TABLE {table.name} AS SELECT {made}", columns or [[] for _ in table.columns]
    )


_COMES_AS = {"TIMESTAMP": "BIGINT", "JSON": "VARCHAR"}
_AS = {"TIMESTAMP": "epoch_ms({})", "JSON": "{}::JSON"}
