"""Encrypting, decrypting and re-keying a store: a new file is made whole, then takes its place."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlcipher3 import dbapi2 as driver

from loremap.errors import Damaged, LockedStore
from loremap.storage.options import Key, KeyOf, Options
from loremap.storage.sqlite.backup import BEING_REKEYED, copies, remove
from loremap.storage.sqlite.connect import connected, in_our_words, key_at, literal
from loremap.storage.sqlite.exclusive import in_use, take_place


def rekey(path: Path, *, key_of: KeyOf, new: Key | None, options: Options) -> None:
    """Rewrite the store and its copies under `new`; None makes them plain.

    All of it happens while nobody else can open the store. Each file is exported into a new one,
    which replaces it; a process that waited for the old one meanwhile finds it replaced.
    """
    with _alone(path, key_at(path, key_of), options) as (raw, descriptor):
        for copy in copies(path):
            _rewrite_copy(copy, key_of=key_of, new=new, options=options)
        _replace(raw, path, new, old=descriptor)


def _rewrite_copy(path: Path, *, key_of: KeyOf, new: Key | None, options: Options) -> None:
    try:
        with _alone(path, key_at(path, key_of), options) as (raw, descriptor):
            _replace(raw, path, new, old=descriptor)
    except LockedStore:
        return  # its key is lost: there is nothing to hide and nothing to open
    except Damaged:
        remove(path)  # what cannot be read cannot be encrypted, and must not stay as it is


def _replace(raw: Any, path: Path, new: Key | None, *, old: int) -> None:
    """Export the file open in `raw` under `new` and put the export in its place."""
    fresh = path.with_name(path.name + BEING_REKEYED)
    remove(fresh)
    fresh.touch(mode=0o600)
    try:
        version = raw.execute("PRAGMA user_version").fetchone()[0]
        under = literal(new) if new is not None else "''"
        raw.execute(f"ATTACH DATABASE ? AS fresh KEY {under}", (str(fresh),))
        raw.execute(
            "PRAGMA fresh.synchronous = OFF"
        )  # a hundred small transactions; one sync below
        raw.execute("SELECT sqlcipher_export('fresh')")
        raw.execute(f"PRAGMA fresh.user_version = {version}")
        raw.execute("DETACH DATABASE fresh")
        with fresh.open("rb+") as whole:
            os.fsync(whole.fileno())
        take_place(fresh, path, old=old)
    except BaseException:
        remove(fresh)
        raise


@contextmanager
def _alone(path: Path, key: Key | None, options: Options) -> Iterator[tuple[Any, int]]:
    """The only connection to a file, without a log, and a descriptor of it; nobody else gets in
    until both are closed."""
    raw = connected(path, key=key, options=options)
    descriptor: int | None = None
    try:
        _leave_wal(raw, path, deadline=time.monotonic() + options.busy_timeout_ms / 1000)
        raw.execute("PRAGMA locking_mode = EXCLUSIVE")
        raw.execute("BEGIN EXCLUSIVE")
        raw.execute("COMMIT")  # the mode keeps the lock
        descriptor = os.open(path, os.O_RDWR)
        yield raw, descriptor
    except driver.Error as fault:
        raise in_our_words(fault, path, keyed=key is not None) from fault
    finally:
        raw.close()
        if descriptor is not None:
            os.close(descriptor)  # after the connection: this drops the connection's locks


def _leave_wal(raw: Any, path: Path, *, deadline: float) -> None:
    """Give up the log, which takes a moment when nobody else has the file open."""
    while True:
        try:
            if raw.execute("PRAGMA journal_mode = DELETE").fetchone()[0] == "delete":
                return
        except driver.OperationalError as fault:
            if "locked" not in str(fault):
                raise
        if time.monotonic() > deadline:
            raise in_use(path)
        time.sleep(0.005)
