"""Bringing back a store that is gone or damaged: from the newest good backup and what it holds."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from textwrap import shorten

from loremap.app.encryption import key_of
from loremap.config.folders import Folders
from loremap.errors import (
    BadInput,
    Damaged,
    KeyMissing,
    KeyWrong,
    LoremapError,
    NotFound,
)
from loremap.model.memory import Actor
from loremap.storage import memories, relations
from loremap.storage.sqlite import backup
from loremap.storage.sqlite.connect import Key, Options, is_encrypted, salt_of
from loremap.storage.sqlite.merge import Merged, merge, unread
from loremap.storage.sqlite.presence import drop_presence, refuse_gone, was_here
from loremap.storage.sqlite.salvage import Salvaged, orders_of, salvaged
from loremap.storage.sqlite.store import FileStore, open_store

SHOWN = 20
"""Ids that a list of losses names."""
FIRST_LETTERS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What a store was brought back from, and what was lost."""

    backup: int | None
    """The number of the backup; None where there was none to use."""
    backup_at: datetime | None
    memories: int
    brought: int
    """Memories that were newer in the damaged file, or only there."""
    lost: tuple[str, ...]
    older: tuple[str, ...]
    said: Mapping[str, str]
    """By the id of what is older: the first words of the version that is left."""
    unread: Mapping[str, tuple[int, int]]
    """By table that could not be read whole: rows in the backup, rows read of the damaged file."""
    faults: int
    """Faults that SQLite found in the damaged file; -1 where there was no file."""
    aside: Path | None


def recover(folders: Folders, *, options: Options, now: datetime) -> Recovered:
    """Make a store of the newest good backup and what can be read of the damaged one, and put it
    in its place; the damaged one is kept beside it. Raises BadInput where nothing is wrong."""
    path = folders.store
    if not path.exists() and not was_here(path):
        raise NotFound(f"There is no store at {path}, and no backup.", hint="lore init")
    _refuse_whole(path, options=options, now=now)
    files = backup.backup_paths(folders.backups)
    key = _key(path, files)
    worths = [backup.worth_of(file, key=_key_or_none(file), options=options) for file in files]
    place = backup.best(worths)
    chosen = None if place is None else files[place]
    fresh = backup.restored_of(path)
    backup.remove(fresh)
    if chosen is not None:
        backup.copy_file(chosen, fresh)
    there = path.exists() and path.stat().st_size > 0
    try:
        made = _made(fresh, path if there else None, key=key, options=options, now=now)
        found, merged = made.found, made.merged
        if chosen is None and key is not None and not any(found.rows.values()):
            raise KeyWrong(
                f"Nothing of {path} or its backups can be read with this key; nothing was changed.",
                hint="Give the right key: LOREMAP_KEY or `lore key import`; `lore key reset` "
                "starts anew where it is lost.",
            )
        aside = backup.put_in_place(fresh, path)
    finally:
        backup.remove(fresh)
        drop_presence(fresh)
    return Recovered(
        backup=None if chosen is None else int(chosen.suffix[1:]),
        backup_at=None if chosen is None else datetime.fromtimestamp(chosen.stat().st_mtime, UTC),
        memories=made.count,
        brought=merged.brought,
        lost=merged.lost,
        older=merged.older,
        said=made.said,
        unread=made.unread,
        faults=found.pages if there else -1,
        aside=aside if aside.exists() else None,
    )


def lines_of(done: Recovered) -> list[str]:
    """What a person is told of a recovery: what there is again, and every loss."""
    lines = [f"The store is back, with {done.memories:,} memories."]
    if done.backup is not None and done.backup_at is not None:
        made = f"{done.backup_at.astimezone():%Y-%m-%d %H:%M}"
        lines.append(f"From backup {done.backup} of {made}; {done.brought:,} were newer or only ")
        lines[-1] += "in the damaged store." if done.faults >= 0 else "elsewhere."
    else:
        lines.append(f"There was no good backup; {done.brought:,} could be read.")
    if done.faults < 0:
        lines.append("The store itself was gone: what was written after the backup is lost.")
    elif done.lost:
        lines.append(f"Lost: {_some([id_[:8] for id_ in done.lost])}.")
    elif done.faults:
        lines.append("What was lost beyond that cannot be told: the damaged part names no memory.")
    else:
        lines.append("No memory is known to be lost.")
    if done.older:
        told = [f"{id_[:8]} ({done.said[id_]})" if id_ in done.said else id_ for id_ in done.older]
        lines.append(f"Only an earlier version is left of {_some(told)}.")
    if done.unread:
        counts = (f"{name} {read:,} of {had:,}" for name, (had, read) in done.unread.items())
        lines.append(f"Rows read of the damaged file, of those in the backup: {', '.join(counts)}.")
    if done.faults > 0:
        lines.append(f"The damaged file has {done.faults:,} or more faults.")
    if done.aside is not None:
        lines.append(f"The damaged file is kept as {done.aside}.")
    return lines


def _some(told: Sequence[str]) -> str:
    shown = ", ".join(told[:SHOWN])
    return shown if len(told) <= SHOWN else f"{shown} and {len(told) - SHOWN:,} more"


def start_anew(folders: Folders, now: datetime) -> Path | None:
    """Let a new store be made where the one before is gone; its backups are put aside. Raises
    where there is a store."""
    if folders.store.exists() and folders.store.stat().st_size:
        raise BadInput("There is a store already.", hint="`lore status` tells of it.")
    aside = None
    if folders.backups.exists():
        aside = folders.home / f"lore.{now:%Y%m%d-%H%M%S}.gone.backups"
        folders.backups.replace(aside)
    backup.remove(folders.store)
    drop_presence(folders.store)
    return aside


def _refuse_whole(path: Path, *, options: Options, now: datetime) -> None:
    """Raise where there is nothing to bring back."""
    try:
        refuse_gone(path)
        store = open_store(path, key=key_of(path), options=options, now=now)
        try:
            with store.read() as conn:
                hurt = memories.damaged(conn) or relations.damaged_links(conn)
        finally:
            store.close()
    except LoremapError as fault:
        if not _is_damage(fault):
            raise
        return
    if not hurt:
        raise BadInput(
            "The store is whole; nothing was changed.",
            hint="`lore backup restore NUMBER` puts a backup in its place all the same.",
        )


def _is_damage(fault: Exception) -> bool:
    return "lore backup restore" in str(fault)


def _key(path: Path, files: Sequence[Path]) -> Key | None:
    """The key of the store. Where its first bytes are lost, that of its backups."""
    keys = [found for file in (path, *files) if (found := _key_or_none(file)) is not None]
    salts = {salt_of(file) for file in files}
    if not keys and path.exists() and is_encrypted(path) and files and None not in salts:
        key_of(files[0])  # raises, saying where its key was looked for
    if files and salts == {None}:
        return None  # what looks encrypted is a plain store whose first page is lost
    named = [key for key in keys if key.salt in salts]
    return next(iter(named or keys), None)


def _key_or_none(path: Path) -> Key | None:
    try:
        return key_of(path)
    except (KeyMissing, BadInput):
        return None


@dataclass(frozen=True, slots=True)
class _Made:
    """What a new store was made of."""

    count: int
    found: Salvaged
    merged: Merged
    said: Mapping[str, str]
    unread: Mapping[str, tuple[int, int]]


def _made(
    fresh: Path, damaged: Path | None, *, key: Key | None, options: Options, now: datetime
) -> _Made:
    """Fill `fresh`, which holds a backup or is not there yet, with what can be read."""
    store = open_store(fresh, key=key, options=options, now=now)
    try:
        found = Salvaged()
        if damaged is not None:
            found = _read(damaged, store, key=key)
        with store.read() as conn:
            missing = unread(conn, found)
        with store.write(now=now, actor=Actor(name="user")) as tx:
            merged = merge(tx, found)
        with store.read() as conn:
            count = memories.count(conn, memories.Filter(everywhere=True))
            whole = relations.known_whole(conn) or not count
            left = memories.by_ids(conn, merged.older[:SHOWN])
        if not whole:
            raise Damaged("What was brought back is not whole; nothing was changed.")
    finally:
        store.close()
    said = {one.id: shorten(one.summary, FIRST_LETTERS, placeholder="…") for one in left}
    return _Made(count, found, merged, said, missing)


def _read(damaged: Path, store: FileStore, *, key: Key | None) -> Salvaged:
    with store.read() as conn:
        orders = orders_of(conn)
    scratch = Path(tempfile.mkdtemp(prefix="lore.db.salvage.", dir=damaged.parent))
    try:
        return salvaged(damaged, key=key, scratch=scratch, orders=orders)
    finally:
        shutil.rmtree(scratch)
