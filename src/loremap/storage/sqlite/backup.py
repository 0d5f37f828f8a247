"""Rolling backups through SQLite's own backup, putting one back, and cleaning all copies."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, inspect, select

from loremap.errors import Damaged, LockedStore, NotFound, ReadOnly, StoreError
from loremap.model.clock import new_id, short_id
from loremap.storage import tables
from loremap.storage.memories import remove_rows
from loremap.storage.options import Key, Options
from loremap.storage.relations import known_whole
from loremap.storage.sqlite.connect import begin_writing, connected, our_errors
from loremap.storage.sqlite.engine import engine_for
from loremap.storage.sqlite.exclusive import held, take_place

LOGS = ("-wal", "-shm", "-journal")
WORTH = "worth"
FAR_LESS = 0.5
BEING_MADE, BEING_REKEYED = ".new", ".rekeyed"
"""How the names of files end that are not whole yet."""


def folder_of(store: Path) -> Path:
    """The folder of a store's rolling backups."""
    return store.parent / "backups"


def backup_paths(folder: Path) -> list[Path]:
    """The backups there are, newest first."""
    found = [path for path in folder.glob("lore.db.bak.*") if path.suffix[1:].isdecimal()]
    return sorted(found, key=lambda path: int(path.suffix[1:]))


def copies(store: Path) -> list[Path]:
    """Every other file that holds what the store held: backups, and what a restore put aside."""
    aside = aside_of(store)
    return backup_paths(folder_of(store)) + ([aside] if aside.exists() else [])


def aside_of(store: Path) -> Path:
    """Where a restore keeps what it replaced."""
    return store.with_name(store.name + ".damaged")


def kept(worths: Sequence[int], *, most: int) -> list[int]:
    """Which of the backups are kept, by their place from the newest on; `worths` say how many
    memories each is known to hold, and 0 of one that is damaged.

    The newest `most` are kept. Where all of them hold far less than an older one, the newest such
    one is kept as well: a store that lost its memories must not rotate away the backups of them.
    """
    places = list(range(len(worths)))
    newest, rest = places[:most], places[most:]
    best = max((worths[place] for place in newest), default=0)
    spared = [place for place in rest if worths[place] * FAR_LESS > best]
    return newest + spared[:1]


def best(worths: Sequence[int]) -> int | None:
    """The place of the newest backup that is whole and not far smaller than another; None where
    there is none."""
    most = max(worths, default=0)
    fit = (place for place, worth in enumerate(worths) if worth and worth >= most * FAR_LESS)
    return next(fit, None)


def worth_of(target: Path, *, key: Key | None, options: Options) -> int:
    """How many memories a copy of the store knows of, erased ones too, a number that never shrinks
    while a store is used; 0 where the copy or any row of it is damaged."""
    try:
        with (
            our_errors(target, keyed=key is not None),
            _engine(target, key, options) as engine,
            engine.connect() as conn,
        ):
            said = conn.exec_driver_sql("PRAGMA quick_check(1)").scalars().all()
            if said != ["ok"] or not inspect(conn).has_table("memories"):
                return 0
            return known_whole(conn)
    except (LockedStore, StoreError):
        return 0


def back_up(path: Path, folder: Path, *, key: Key | None, options: Options) -> Path:
    """Copy the store into `folder` as the newest backup, and let the oldest go, unless the older
    ones hold far more."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(path, key=key, options=options):
            drop_unfinished(folder, BEING_MADE)
            fresh = folder / f"lore.db.bak.{short_id(new_id())}{BEING_MADE}"
            copy(path, fresh, key=key, options=options)
            _note_worth(fresh, key=key, options=options)
            return _rotate(fresh, folder, key=key, options=options)
    except OSError as fault:
        raise ReadOnly(
            f"The backup folder {folder} cannot be written: {fault.strerror}.",
            hint="Make it writable, or free some space.",
        ) from fault


def rescue(raw: Any, path: Path, folder: Path, *, key: Key | None, options: Options) -> Path:
    """Copy a store whose file is gone from a connection that still has it open, as the newest
    backup."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = folder / f"lore.db.bak.{short_id(new_id())}{BEING_MADE}"
    fresh.touch(mode=0o600)
    try:
        with our_errors(path, keyed=key is not None), opened(fresh, key, options) as target:
            target.execute("PRAGMA journal_mode = DELETE")
            raw.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
        _note_worth(fresh, key=key, options=options)
        return _rotate(fresh, folder, key=key, options=options)
    except BaseException:
        remove(fresh)
        raise


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
    fresh = restored_of(path)
    copy_file(chosen, fresh)
    return put_in_place(fresh, path)


def restored_of(path: Path) -> Path:
    """Where a store is made ready that is to take the place of the one at `path`."""
    return path.with_name(path.name + ".restored")


def copy_file(source: Path, target: Path) -> None:
    """Copy a database that nobody has open, byte by byte."""
    remove(target)
    target.touch(mode=0o600)
    with source.open("rb") as read, target.open("wb") as out:
        shutil.copyfileobj(read, out)
        out.flush()
        os.fsync(out.fileno())


def put_in_place(fresh: Path, path: Path) -> Path:
    """Put the whole file `fresh` in the store's place; returns where what was there is kept."""
    aside = aside_of(path)
    if not path.exists():
        for suffix in LOGS:  # a log without its file would be taken for the new one's
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        fresh.replace(path)
        return aside
    try:
        with held(path) as old:
            _keep_aside(path, aside, old=old)
            take_place(fresh, path, old=old)
    finally:
        remove(fresh)
    return aside


@contextmanager
def _engine(target: Path, key: Key | None, options: Options) -> Iterator[Engine]:
    """An engine on a copy, which is a single file again at the end."""
    engine = engine_for(target, key=key, options=options)
    try:
        yield engine
    finally:
        engine.dispose()
        with opened(target, key, options) as raw:
            raw.execute("PRAGMA journal_mode = DELETE")


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
        begin_writing(raw, timeout_ms=options.busy_timeout_ms)
        yield


@contextmanager
def opened(path: Path, key: Key | None, options: Options) -> Iterator[Any]:
    """A raw connection, closed at the end."""
    raw = connected(path, key=key, options=options)
    try:
        yield raw
    finally:
        raw.close()


def _note_worth(fresh: Path, *, key: Key | None, options: Options) -> None:
    """Write into a new backup what it is worth, so that the next need not count."""
    worth = worth_of(fresh, key=key, options=options)
    with our_errors(fresh, keyed=key is not None), opened(fresh, key, options) as raw:
        raw.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (WORTH, str(worth)))
        raw.execute("PRAGMA journal_mode = DELETE")


def _noted_worth(target: Path, *, key: Key | None, options: Options) -> int:
    try:
        with our_errors(target, keyed=key is not None), opened(target, key, options) as raw:
            said = raw.execute("SELECT value FROM meta WHERE key = ?", (WORTH,)).fetchone()
            raw.execute("PRAGMA journal_mode = DELETE")
    except (LockedStore, StoreError):
        return 0
    if said is None or not str(said[0]).isdecimal():
        return worth_of(target, key=key, options=options)
    return int(said[0])


def _rotate(fresh: Path, folder: Path, *, key: Key | None, options: Options) -> Path:
    """Give the fresh backup the first number and the others those after it."""
    files = [fresh, *backup_paths(folder)]
    worths = [_noted_worth(path, key=key, options=options) for path in files]
    staying = kept(worths, most=options.backups)
    for place, path in enumerate(files):
        if place not in staying:
            remove(path)
    numbered = [
        (files[place], folder / f"lore.db.bak.{number}") for number, place in enumerate(staying, 1)
    ]
    number_of = {path: int(path.suffix[1:]) for path in files[1:]}
    down = [pair for pair in numbered[1:] if number_of[pair[0]] >= int(pair[1].suffix[1:])]
    up = [pair for pair in numbered[1:] if pair not in down]
    for old, new in (*down, *reversed(up), numbered[0]):
        old.replace(new)
    return numbered[0][1]


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
