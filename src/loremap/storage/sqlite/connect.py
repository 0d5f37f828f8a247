"""Connections to the SQLite file: key, pragmas, kinds of transaction, and errors in our words."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlcipher3 import dbapi2 as driver

from loremap.errors import (
    RESTORE,
    Busy,
    Damaged,
    DiskFull,
    KeyWrong,
    Moved,
    ReadOnly,
    StoreError,
)
from loremap.storage.options import Key, KeyOf, Options
from loremap.storage.sqlite.exclusive import head_of

PLAIN_HEADER = b"SQLite format 3\x00"
_WITHOUT_LOCKS = "vfs=unix-none"
LONGEST_NAP_S, SHORTEST_NAP_S = 0.004, 0.0005
CACHE_KIB = 65_536
"""Pages of an encrypted file are decrypted when read, so the cache is generous."""


def is_encrypted(path: Path) -> bool:
    """Whether a store lies at `path` and is encrypted."""
    return salt_of(path) is not None


def salt_of(path: Path) -> str | None:
    """The salt in the first bytes of an encrypted file; None for a plain, empty or missing one."""
    try:
        head = head_of(path, 16)
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise StoreError(
            f"The store {path} cannot be read: {fault.strerror}.",
            hint="Mend that, or set LOREMAP_HOME.",
        ) from fault
    plain = head == PLAIN_HEADER or not any(head)  # nothing but zeros is a damaged file, no salt
    return None if plain or len(head) < 16 else head.hex()


def key_at(path: Path, key_of: KeyOf) -> Key | None:
    """The key of the store at `path`; None where it is plain or not there yet."""
    salt = salt_of(path)
    return None if salt is None else key_of(salt)


def literal(key: Key) -> str:
    """The key as SQLCipher reads it."""
    return f"\"x'{key.key}{key.salt}'\""


def connected(path: Path, *, key: Key | None, options: Options, read_only: bool = False) -> Any:
    """One raw connection, keyed and tuned; raises our errors."""
    before = file_at(path)
    uri = uri_of(path, read_only=read_only)
    try:
        raw = driver.connect(
            uri,
            uri=True,
            timeout=options.busy_timeout_ms / 1000,
            isolation_level=None,
            check_same_thread=False,
        )
    except driver.Error as fault:
        raise in_our_words(fault, path, keyed=key is not None) from fault
    raw.text_factory = text_as_stored
    try:
        if uri.endswith(_WITHOUT_LOCKS):
            raw.execute("PRAGMA locking_mode = EXCLUSIVE")  # or it would want shared memory
        tune(raw, key=key, options=options, read_only=read_only)
    except driver.Error as fault:
        raw.close()
        if file_at(path) != before:
            raise moved(path) from fault
        raise in_our_words(fault, path, keyed=key is not None) from fault
    return raw


def file_at(path: Path) -> tuple[int, int]:
    """What tells one file from another that takes its name."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return (0, 0)
    return (found.st_dev, found.st_ino)


def moved(path: Path) -> Moved:
    """Says that the file is another one now."""
    return Moved(
        f"The store {path} was replaced or removed while it was open; nothing was written.",
        hint="Open it again.",
    )


def text_as_stored(stored: bytes) -> str:
    """Text as stored; a damaged byte stays in it, so that the checksum of its row can tell."""
    return stored.decode("utf-8", "surrogateescape")


def uri_of(path: Path, *, read_only: bool) -> str:
    """The file's URI. A folder that cannot be written takes no shared-memory file: without a log
    the store is opened as immutable there, and with a log alone its index is kept in memory."""
    uri = f"file:{quote(str(path))}"
    if not read_only:
        return uri
    log, shared = (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
    if not log.exists() or not log.stat().st_size:
        return f"{uri}?mode=ro&immutable=1"
    return f"{uri}?mode=ro" if shared.exists() else f"{uri}?mode=ro&{_WITHOUT_LOCKS}"


def tune(raw: Any, *, key: Key | None, options: Options, read_only: bool = False) -> None:
    """Key the connection and set what every connection must have."""
    raw.execute("PRAGMA cipher_log_level = NONE")
    if key is not None:
        raw.execute(f"PRAGMA key = {literal(key)}")
    raw.execute(f"PRAGMA busy_timeout = {options.busy_timeout_ms}")
    raw.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    raw.execute("PRAGMA temp_store = MEMORY")
    raw.execute("PRAGMA secure_delete = ON")
    raw.execute("PRAGMA foreign_keys = ON")
    raw.execute("SELECT count(*) FROM sqlite_master")
    if not read_only:
        _enter_wal(raw, deadline=time.monotonic() + options.busy_timeout_ms / 1000)
        raw.execute(f"PRAGMA synchronous = {options.synchronous}")


def _enter_wal(raw: Any, *, deadline: float) -> None:
    """Switch to the write-ahead log; the switch itself does not honour the busy timeout."""
    while True:
        try:
            if raw.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal":
                return
            raise driver.OperationalError("the write-ahead log cannot be used here")
        except driver.OperationalError as fault:
            if "locked" not in str(fault) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def asked(conn: Connection, sql: str, *given: object) -> list[Any]:
    """The rows that the driver itself finds, in the transaction of `conn`: for the few questions
    that come with every write and recall, where the rest of a statement costs more than SQLite."""
    if not conn.in_transaction():
        conn.begin()
    raw = conn.connection.driver_connection
    assert raw is not None
    rows: list[Any] = raw.execute(sql, given).fetchall()
    return rows


def begin_writing(raw: Any, *, timeout_ms: int) -> None:
    """Begin a transaction that holds the write lock. SQLite itself lets whoever has waited long
    ask ever less often, so that newcomers go before; here it is the other way round."""
    began = time.monotonic()
    raw.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                raw.execute("BEGIN IMMEDIATE")
                return
            except driver.OperationalError as fault:
                waited_s = time.monotonic() - began
                if "locked" not in str(fault) or waited_s > timeout_ms / 1000:
                    raise
            time.sleep(nap_s(waited_s))
    finally:
        raw.execute(f"PRAGMA busy_timeout = {timeout_ms}")


def nap_s(waited_s: float) -> float:
    """How long a writer sleeps before it asks again: the longer it has waited, the shorter."""
    return max(LONGEST_NAP_S / (1 + waited_s), SHORTEST_NAP_S)


@contextmanager
def our_errors(path: Path, *, keyed: bool) -> Iterator[None]:
    """Raise what the driver says in our words."""
    try:
        yield
    except DBAPIError as fault:
        original = fault.orig if isinstance(fault.orig, Exception) else fault
        if isinstance(original, driver.IntegrityError | driver.ProgrammingError):
            raise
        raise in_our_words(original, path, keyed=keyed) from fault
    except (driver.OperationalError, driver.DatabaseError) as fault:
        if isinstance(fault, driver.IntegrityError | driver.ProgrammingError):
            raise
        raise in_our_words(fault, path, keyed=keyed) from fault


def in_our_words(fault: Exception, path: Path, *, keyed: bool) -> Exception:
    """The error of ours that says what the driver's `fault` means."""
    said = str(fault).lower()
    if "locked" in said or "busy" in said:
        return Busy(
            "Another process is writing to the store; nothing was stored.", hint="Try again."
        )
    if "full" in said:
        return DiskFull(
            f"There is no room left on the disk of {path.parent}; nothing was stored and nothing "
            "stored before is harmed.",
            hint="Free some space and try again.",
        )
    if "readonly" in said and os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return moved(path)  # SQLite calls a file that lost its name read-only
    if "readonly" in said or "unable to open" in said:
        return ReadOnly(
            f"The store {path} cannot be written; recall still works.",
            hint="Make the folder writable or set LOREMAP_HOME.",
        )
    if "not a database" in said or "hmac" in said:
        return _unreadable(path, keyed=keyed)
    # The index of words is a table of its own making: what it cannot be read from is damaged.
    if any(sign in said for sign in ("malformed", "corrupt", "vtable constructor failed")):
        return Damaged(
            f"The store {path} is damaged: {fault}.",
            hint=RESTORE,
        )
    return StoreError(f"The store {path} cannot be used: {fault}.")


def _unreadable(path: Path, *, keyed: bool) -> Exception:
    if keyed:
        return KeyWrong(
            f"The key does not open the store {path}; nothing was changed.",
            hint="Give the right key (LOREMAP_KEY or `lore key import`); if it is right, the file "
            f"is damaged: {RESTORE}",
        )
    return Damaged(
        f"The store {path} is damaged, or was never one: its first page cannot be read.",
        hint=RESTORE,
    )
