"""Reads what is left of a damaged file: by its own trees where they hold, else page by page."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect
from sqlcipher3 import dbapi2 as driver

from loremap.model.record import checksum
from loremap.storage import tables
from loremap.storage.options import Key
from loremap.storage.relations import link_checksum
from loremap.storage.sqlite.backup import LOGS
from loremap.storage.sqlite.connect import literal, text_as_stored

PAGE_BYTES = 4096
MAX_COLUMNS = 64
MAX_PROBES = 32
"""How often one table is asked for rows between those that cannot be read."""
_LAST_ROW = 2**63 - 1

Row = dict[str, Any]
Orders = Mapping[str, Sequence[Sequence[str]]]
"""The orders in which the columns of a table may be stored; one that was migrated has its own."""


@dataclass(slots=True)
class Salvaged:
    """What could be read, by table, and what could not."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    """Tables of which some rows could not be read, or none was looked for."""
    pages: int = 0
    """Pages that are not what was written, as far as the file itself tells."""
    authentic: bool = False
    """Whether every page that was read is known to be what was written."""


def salvaged(path: Path, *, key: Key | None, scratch: Path, orders: Orders) -> Salvaged:
    """All that can be read of the file at `path`; `scratch` is an empty folder to work in."""
    copy = scratch / "lore.db"
    for suffix in ("", *LOGS):
        if (part := path.with_name(path.name + suffix)).exists():
            shutil.copyfile(part, copy.with_name(copy.name + suffix))
    template = _template(scratch / "template.db", key, pages=_pages(copy))
    _take_in_log(copy, key, template)
    found = Salvaged(authentic=key is not None)
    found.pages = _damaged_pages(copy, key)
    orders = _read_trees(copy, key, found, orders)
    if found.unread:
        _read_pages(copy, key, template, found, orders)
    return found


def orders_of(conn: Connection) -> Orders:
    """The orders in which a whole store has the columns of its tables, and in which they are
    defined."""
    held = inspect(conn)
    return {
        name: [[column["name"] for column in held.get_columns(name)], list(table.c.keys())]
        for name, table in tables.metadata.tables.items()
    }


def _pages(path: Path) -> int:
    return max(-(-path.stat().st_size // PAGE_BYTES), 1)


def _template(path: Path, key: Key | None, *, pages: int) -> bytes:
    """A file of that many pages or more, in which one table takes rows of any shape."""
    with _Reader(path, key, new=True) as reader:
        columns = ", ".join(f"c{number}" for number in range(MAX_COLUMNS))
        reader.raw.execute(f"CREATE TABLE anything ({columns})")
        reader.raw.execute("CREATE TABLE room (bytes)")
        reader.raw.execute("INSERT INTO room VALUES (zeroblob(?))", (pages * PAGE_BYTES,))
    return path.read_bytes()


def _take_in_log(copy: Path, key: Key | None, template: bytes) -> None:
    """Write what the log holds into the copy. A log that nobody can read is left out."""
    log = copy.with_name(copy.name + "-wal")
    if not log.exists():
        return
    whole = copy.read_bytes()
    for attempt in (whole, _headed(whole, template)):
        copy.write_bytes(attempt)
        try:
            with _Reader(copy, key) as reader:
                reader.raw.execute("PRAGMA journal_mode = WAL")
                reader.raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                reader.raw.execute("PRAGMA journal_mode = DELETE")
            if not log.exists() or not log.stat().st_size:
                break
        except driver.Error:
            continue
    else:
        copy.write_bytes(whole)
    for suffix in LOGS:
        copy.with_name(copy.name + suffix).unlink(missing_ok=True)


def _headed(whole: bytes, template: bytes) -> bytes:
    """The pages of a file under the first page of the template."""
    return (template[:PAGE_BYTES] + whole[PAGE_BYTES:]).ljust(len(template), b"\0")


def _damaged_pages(copy: Path, key: Key | None) -> int:
    """How many faults SQLite finds in the file."""
    said: list[Any] = []
    with _Reader(copy, key) as reader:
        try:
            if key is not None:
                said = reader.raw.execute("PRAGMA cipher_integrity_check").fetchall()
            said = said or [
                row for row in reader.raw.execute("PRAGMA integrity_check") if row[0] != "ok"
            ]
        except driver.Error:
            return max(len(said), 1)
    return len(said)


# By the trees


def _read_trees(copy: Path, key: Key | None, found: Salvaged, orders: Orders) -> Orders:
    """Read every table that the file itself describes; returns the orders of columns with its
    own first."""
    with _Reader(copy, key) as reader:
        known = reader.columns_of(tables.metadata.tables)
        for name in tables.metadata.tables:
            if name not in known:
                found.unread.add(name)
                continue
            rows, whole = reader.table(name, known[name])
            found.rows[name] = rows
            if not whole:
                found.unread.add(name)
    return {
        name: [*([known[name]] if name in known else []), *orders.get(name, ())]
        for name in tables.metadata.tables
    }


class _Reader:
    """A connection to a damaged file, opened again where a fault has spoilt it."""

    def __init__(self, path: Path, key: Key | None, *, new: bool = False) -> None:
        self._path, self._key, self._new = path, key, new
        self.raw = self._opened()

    def __enter__(self) -> _Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.raw.close()

    def _opened(self) -> Any:
        raw = driver.connect(str(self._path), isolation_level=None)
        raw.text_factory = text_as_stored
        raw.execute("PRAGMA cipher_log_level = NONE")
        if self._key is not None:
            raw.execute(f"PRAGMA key = {literal(self._key)}")
        if self._new:
            raw.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        raw.execute("PRAGMA cell_size_check = ON")
        raw.execute("PRAGMA trusted_schema = OFF")
        with suppress(driver.Error):  # a file whose schema is lost is only read
            raw.execute("PRAGMA synchronous = OFF")
        return raw

    def reopen(self) -> None:
        """Go on after a fault."""
        self.raw.close()
        self.raw = self._opened()

    def columns_of(self, names: Mapping[str, object]) -> dict[str, list[str]]:
        """The columns of those tables that the file describes."""
        known = {}
        for name in names:
            try:
                said = self.raw.execute(f'PRAGMA table_info("{name}")').fetchall()
            except driver.Error:
                self.reopen()
                continue
            if said:
                known[name] = [str(column[1]) for column in said]
        return known

    def table(self, name: str, columns: Sequence[str]) -> tuple[list[Row], bool]:
        """The rows of a table around those that cannot be read, and whether all could."""
        chosen = ", ".join(f'"{column}"' for column in columns)
        source = f'SELECT rowid, {chosen} FROM "{name}" NOT INDEXED'
        found: list[Row] = []
        gaps, whole = deque([(0, _LAST_ROW)]), True
        for _ in range(MAX_PROBES):
            if not gaps:
                break
            rows, gap = self.range(source, *gaps.popleft())
            found += [dict(zip(columns, row[1:], strict=True)) for row in rows]
            if gap is not None:
                whole = False
                gaps += _halves(*gap)
        return found, whole

    def range(
        self, source: str, low: int, high: int
    ) -> tuple[list[tuple[Any, ...]], tuple[int, int] | None]:
        """The rows from `low` to `high`, from both ends, and where none could be read between."""
        found, left = [], low
        for row in (ahead := _Steps(self, f"{source} WHERE rowid BETWEEN ? AND ?", low, high)):
            found.append(row)
            left = row[0] + 1
        if not ahead.failed:
            return found, None
        right, bounds = high, (left, high)
        backwards = f"{source} WHERE rowid BETWEEN ? AND ? ORDER BY rowid DESC"
        for row in _Steps(self, backwards, *bounds):
            found.append(row)
            right = row[0] - 1
        return found, (left, right)


class _Steps:
    """The rows of a question one by one, up to the first that cannot be read."""

    def __init__(self, reader: _Reader, sql: str, *given: int) -> None:
        self._reader, self._sql, self._given = reader, sql, given
        self.failed = False

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._reader.raw.execute(self._sql, self._given)
        except (driver.Error, OverflowError):
            self.failed = True
            self._reader.reopen()


def _halves(low: int, high: int) -> list[tuple[int, int]]:
    """A range in two; nothing of a single row, which was asked for already."""
    if high <= low:
        return []
    middle = (low + high) // 2
    return [(low, middle), (middle + 1, high)]


# By the pages


def _read_pages(
    copy: Path, key: Key | None, template: bytes, found: Salvaged, orders: Orders
) -> None:
    """Add the rows that no tree leads to any more, of the tables whose rows prove what they are."""
    pages = _pages(copy)
    copy.write_bytes(_headed(copy.read_bytes(), template))
    known = {name: {_key_of(name, row) for row in found.rows.get(name, ())} for name in _PROVEN}
    with _Reader(copy, key) as reader:
        for page in range(2, pages + 1):
            for row in _rows_at(reader, page):
                for name, proves in _PROVEN.items():
                    for columns in orders.get(name, ()):
                        said = dict(zip(columns, row[1:], strict=False))
                        if name == "memories":
                            said["row"] = row[0]
                        if proves(said) and _key_of(name, said) not in known[name]:
                            known[name].add(_key_of(name, said))
                            found.rows.setdefault(name, []).append(said)
                            break


def _rows_at(reader: _Reader, page: int) -> list[tuple[Any, ...]]:
    """The rows that lie in one page, whatever table they are of."""
    try:
        if not reader.raw.in_transaction:
            reader.raw.execute("BEGIN IMMEDIATE")  # never committed: nothing has to be written
        reader.raw.execute("PRAGMA writable_schema = ON")
        reader.raw.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = 'anything'", (page,))
        reader.raw.execute("PRAGMA writable_schema = RESET")
    except driver.Error:
        reader.reopen()
        return []
    return reader.range("SELECT rowid, * FROM anything", 0, _LAST_ROW)[0]


def _key_of(name: str, row: Row) -> tuple[Any, ...]:
    keys = tables.metadata.tables[name].primary_key.columns
    return tuple(row.get(column.name) for column in keys)


def is_memory(row: Row) -> bool:
    """Whether a row is a memory as it was written."""
    return _is_sealed(row, tables.memories.c.keys()) and checksum(row) == row["checksum"]


def is_link(row: Row) -> bool:
    """Whether a row is a link as it was written."""
    return _is_sealed(row, tables.links.c.keys()) and link_checksum(row) == row["checksum"]


def is_erasure(row: Row) -> bool:
    """Whether a row has the shape of an erasure; its id is one that nothing else has."""
    return (
        len(row) == len(tables.erasures.c)
        and is_id(row["memory_id"])
        and isinstance(row["tenant_id"], str)
        and all(isinstance(row[name], int) for name in ("row", "at", "seq"))
    )


def is_id(value: object) -> bool:
    """Whether a value is an id as `new_id` makes them."""
    return isinstance(value, str) and len(value) == 32 and set(value) <= set("0123456789abcdef")


def _is_sealed(row: Row, columns: Sequence[str]) -> bool:
    sealed = row.get("checksum")
    return len(row) == len(columns) and isinstance(sealed, str) and len(sealed) == 64


_PROVEN = {"memories": is_memory, "links": is_link, "erasures": is_erasure}
"""Tables whose rows show by themselves that they are what was written."""
