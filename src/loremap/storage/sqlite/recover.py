"""Brings back a file that is gone or damaged: from the newest good backup and what it holds."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from textwrap import shorten

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
from loremap.storage.care import Recovered
from loremap.storage.options import Key, KeyOf, Options
from loremap.storage.sqlite import backup
from loremap.storage.sqlite.connect import is_encrypted, key_at, salt_of
from loremap.storage.sqlite.merge import Merged, merge, unread
from loremap.storage.sqlite.presence import drop_presence, refuse_gone, was_here
from loremap.storage.sqlite.salvage import Salvaged, orders_of, salvaged
from loremap.storage.sqlite.store import FileStore, open_store

SHOWN = 20
"""Ids that a list of losses names."""
FIRST_LETTERS = 48


def recover(path: Path, *, key_of: KeyOf, options: Options, now: datetime) -> Recovered:
    """Make a store of the newest good backup and what can be read of the damaged one, and put it
    in its place; the damaged one is kept beside it. Raises BadInput where nothing is wrong."""
    if not path.exists() and not was_here(path):
        raise NotFound(f"There is no store at {path}, and no backup.", hint="lore init")
    _refuse_whole(path, key_of=key_of, options=options, now=now)
    files = backup.backup_paths(backup.folder_of(path))
    key = _key(path, files, key_of)
    worths = [
        backup.worth_of(file, key=_key_or_none(file, key_of), options=options) for file in files
    ]
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


def _refuse_whole(path: Path, *, key_of: KeyOf, options: Options, now: datetime) -> None:
    """Raise where there is nothing to bring back."""
    try:
        refuse_gone(path)
        store = open_store(path, key=key_at(path, key_of), options=options, now=now)
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


def _key(path: Path, files: Sequence[Path], key_of: KeyOf) -> Key | None:
    """The key of the store. Where its first bytes are lost, that of its backups."""
    keys = [found for file in (path, *files) if (found := _key_or_none(file, key_of)) is not None]
    salts = {salt_of(file) for file in files}
    if not keys and path.exists() and is_encrypted(path) and files and None not in salts:
        key_at(files[0], key_of)  # raises, saying where its key was looked for
    if files and salts == {None}:
        return None  # what looks encrypted is a plain store whose first page is lost
    named = [key for key in keys if key.salt in salts]
    return next(iter(named or keys), None)


def _key_or_none(path: Path, key_of: KeyOf) -> Key | None:
    try:
        return key_at(path, key_of)
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
