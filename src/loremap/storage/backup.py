"""Rolling backups through SQLite's own backup, putting one back, and cleaning all copies."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import select

from loremap.errors import Damaged, LockedStore, NotFound, ReadOnly
from loremap.model.clock import new_id
from loremap.storage import tables
from loremap.storage.connect import Key, Options, connected, engine_for, our_errors
from loremap.storage.exclusive import held, take_place
from loremap.storage.memories import remove_rows

LOGS = ("-wal", "-shm", "-journal")
BEING_MADE, BEING_REKEYED = ".new", ".rekeyed"
"""How the names of files end that are not whole yet."""


def backup_paths(folder: Path) -> list[Path]:
    """The backups there are, newest first."""
    found = [path for path in folder.glob("lore.db.bak.*") if path.suffix[1:].isdecimal()]
    return sorted(found, key=lambda path: int(path.suffix[1:]))


def copies(store: Path) -> list[Path]:
    """Every other file that holds what the store held: backups, and what a restore put aside."""
    aside = aside_of(store)
    return backup_paths(store.parent / "backups") + ([aside] if aside.exists() else [])


def aside_of(store: Path) -> Path:
    """Where a restore keeps what it replaced."""
    return store.with_name(store.name + ".damaged")


def back_up(path: Path, folder: Path, *, key: Key | None, options: Options) -> Path:
    """Copy the store into `folder` as the newest backup, and let the oldest go."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(path, key=key, options=options):
            drop_unfinished(folder, BEING_MADE)
            fresh = folder / f"lore.db.bak.{new_id()[:8]}{BEING_MADE}"
            copy(path, fresh, key=key, options=options)
            return _rotate(fresh, folder, most=options.backups)
    except OSError as fault:
        raise ReadOnly(
            f"The backup folder {folder} cannot be written: {fault.strerror}.",
            hint="Make it writable, or free some space.",
        ) from fault


def copy(source: Path, target: Path, *, key: Key | None, options: Options) -> None:
    """Copy a store page by page; the copy is a single file, encrypted with the same key."""
    target.touch(mode=0o600)
    try:
        with (
            our_errors(source, keyed=key is not None),
            opened(source, key, options) as origin,
            opened(target, key, options) as destination,
        ):
            destination.execute("PRAGMA journal_mode = DELETE")
            origin.backup(destination)
            destination.execute("PRAGMA journal_mode = DELETE")
    except BaseException:
        remove(target)
        raise


def restore(path: Path, folder: Path, number: int) -> Path:
    """Put backup `number` in the store's place; what was there is kept beside it.

    Raises Busy where a process has the store open: what it would still write would be lost.
    """
    chosen = folder / f"lore.db.bak.{number}"
    if not chosen.exists():
        there = ", ".join(backup.suffix[1:] for backup in backup_paths(folder)) or "none"
        raise NotFound(f"There is no backup {number} in {folder}.", hint=f"There are: {there}.")
    fresh = path.with_name(path.name + ".restored")
    remove(fresh)
    fresh.touch(mode=0o600)
    with chosen.open("rb") as source, fresh.open("wb") as out:
        shutil.copyfileobj(source, out)
        out.flush()
        os.fsync(out.fileno())
    aside = aside_of(path)
    if not path.exists():
        fresh.replace(path)
        return aside
    try:
        with held(path) as old:
            _keep_aside(path, aside, old=old)
            take_place(fresh, path, old=old)
    finally:
        remove(fresh)
    return aside


def purge(target: Path, erased: Collection[str], *, key: Key | None, options: Options) -> None:
    """Erase memories from every byte of a copy. One that cannot be opened is removed: nothing
    else makes sure that it no longer holds them."""
    try:
        with our_errors(target, keyed=key is not None):
            engine = engine_for(target, key=key, options=options)
            try:
                with engine.connect().execution_options(begin="IMMEDIATE") as conn, conn.begin():
                    held = conn.execute(select(tables.memories.c.id)).scalars()
                    remove_rows(conn, sorted(set(held) & set(erased)))
            finally:
                engine.dispose()
            with opened(target, key, options) as raw:
                raw.execute("VACUUM")
                raw.execute("PRAGMA journal_mode = DELETE")
    except (Damaged, LockedStore):
        remove(target)


def drop_unfinished(folder: Path, ending: str) -> None:
    """Remove what a killed process left half done; call it where none can be at work."""
    for path in folder.glob(f"lore.db*{ending}"):
        remove(path)


def remove(path: Path) -> None:
    """Remove a database file and its logs."""
    for suffix in ("", *LOGS):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def locked(path: Path, *, key: Key | None, options: Options) -> Iterator[None]:
    """Nobody writes to the store, rotates its backups or cleans them meanwhile."""
    with our_errors(path, keyed=key is not None), opened(path, key, options) as raw:
        raw.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def opened(path: Path, key: Key | None, options: Options) -> Iterator[Any]:
    """A raw connection, closed at the end."""
    raw = connected(path, key=key, options=options)
    try:
        yield raw
    finally:
        raw.close()


def _rotate(fresh: Path, folder: Path, *, most: int) -> Path:
    for old in reversed(backup_paths(folder)):
        number = int(old.suffix[1:])
        if number >= most:
            old.unlink()
        else:
            old.replace(old.with_suffix(f".{number + 1}"))
    newest = folder / "lore.db.bak.1"
    fresh.replace(newest)
    return newest


def _keep_aside(path: Path, aside: Path, *, old: int) -> None:
    """Copy the store, and give its log to the copy: a log must not meet another's file."""
    remove(aside)
    aside.touch(mode=0o600)
    os.lseek(old, 0, os.SEEK_SET)
    with os.fdopen(old, "rb", closefd=False) as source, aside.open("wb") as out:
        shutil.copyfileobj(source, out)
    for suffix in LOGS:
        log = path.with_name(path.name + suffix)
        if log.exists():
            log.replace(aside.with_name(aside.name + suffix))
