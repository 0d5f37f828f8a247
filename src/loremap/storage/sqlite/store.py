"""The store as one file: opened safely, backed up, cleaned of what was erased."""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from sqlalchemy import Engine, select

from loremap.errors import RESTORE, Busy, Damaged, DiskFull, ReadOnly
from loremap.model.clock import to_ms
from loremap.storage.dialect import version_of
from loremap.storage.facts import drop_fact, fact
from loremap.storage.migrate import MIGRATIONS, Migration, migrate, refuse_newer
from loremap.storage.options import Key, Options
from loremap.storage.sqlite import backup
from loremap.storage.sqlite.connect import file_at, moved, our_errors
from loremap.storage.sqlite.engine import engine_for
from loremap.storage.sqlite.log_loss import log_loss, note_log_loss
from loremap.storage.sqlite.presence import gone, note_presence, refuse_gone, was_here
from loremap.storage.store import SCRUB_PENDING, Store
from loremap.storage.tables import erasures

INTEGRITY_LIMIT_BYTES = 100 * 1024 * 1024
"""Below this size the file is checked each time it is opened."""

WHOLE_CHECK_BYTES = 20 * 1024 * 1024
"""A file up to this size can be checked to its last index."""


class FileStore(Store):
    """An open store in a file."""

    on_server = False
    erased_from = "row, index, vector, history, log and backups"
    kept_of_erased = ""

    def __init__(
        self, path: Path, engine: Engine, *, key: Key | None, options: Options, read_only: bool
    ) -> None:
        super().__init__(engine, name=str(path), read_only=read_only)
        self.path = path
        self.key = key
        self.options = options
        self._file = file_at(path)

    @property
    def backups(self) -> Path:
        """The folder of rolling backups."""
        return backup.folder_of(self.path)

    @property
    def encrypted(self) -> bool:
        """Whether the file can be read with its key only."""
        return self.key is not None

    def size_bytes(self) -> int:
        """The size of the file."""
        return self.path.stat().st_size

    def errors(self) -> AbstractContextManager[None]:
        """Raises what the driver says in our words."""
        return our_errors(self.path, keyed=self.key is not None)

    def refuse_moved(self) -> None:
        """A file that was re-keyed or replaced lives on for those who have it open; what they
        would write there is lost."""
        if file_at(self.path) != self._file:
            raise moved(self.path)

    def back_up(self) -> Path:
        """Make a new backup; the oldest goes."""
        return backup.back_up(self.path, self.backups, key=self.key, options=self.options)

    def is_lost(self) -> bool:
        """Whether the file was removed while it is open here."""
        return not self.path.exists()

    def rescue(self) -> Path | None:
        """Make a backup of a store whose file was removed, from what is still open of it; None
        where the whole folder was removed, on purpose."""
        if not self.path.parent.is_dir():
            return None
        with self.errors(), self.engine.connect() as conn:
            raw = conn.connection.driver_connection
            return backup.rescue(raw, self.path, self.backups, key=self.key, options=self.options)

    def check(self) -> bool:
        """Raise where the file is damaged, a small one to its last index; whether it was checked,
        now or when it was opened."""
        size = self.size_bytes()
        if size < WHOLE_CHECK_BYTES:
            check_integrity(self, whole=True)
        return size < INTEGRITY_LIMIT_BYTES

    def log_loss(self) -> tuple[datetime, int] | None:
        """When a part of the log was found to be lost, and how many transactions."""
        with self.read() as conn:
            return log_loss(conn)

    def scrub(self, *, wait: bool = True) -> bool:
        """Clean the backups, the free pages and the log of what was erased; True when it is gone.

        The file is rewritten whole, because a page that SQLite split keeps bytes of rows that
        moved on, and overwriting deleted rows does not reach those.
        """
        with self.read() as conn:
            pending = fact(conn, SCRUB_PENDING)
            if pending is None:
                return True
            erased = frozenset(conn.execute(select(erasures.c.memory_id)).scalars())
        options = self.options if wait else replace(self.options, busy_timeout_ms=0)
        try:
            with backup.locked(self.path, key=self.key, options=options):
                backup.drop_unfinished(self.backups, backup.BEING_MADE)
                for copy in backup.copies(self.path):
                    backup.purge(copy, erased, key=self.key, options=self.options)
            if not self._rewritten(options):
                return False
            with self.append() as conn:  # what was erased meanwhile is still pending
                drop_fact(conn, SCRUB_PENDING, value=pending)
        except (Busy, DiskFull):
            return False
        return True

    def _rewritten(self, options: Options) -> bool:
        """Whether the file could be written anew and its log emptied."""
        deadline = time.monotonic() + options.busy_timeout_ms / 1000
        with (
            self.errors(),
            backup.opened(self.path, self.key, options) as raw,
        ):
            raw.execute("VACUUM")
            while True:
                busy = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                if not busy or time.monotonic() > deadline:
                    return not busy
                time.sleep(0.05)


def open_store(
    path: Path,
    *,
    key: Key | None = None,
    options: Options | None = None,
    now: datetime,
    migrations: tuple[Migration, ...] = MIGRATIONS,
) -> FileStore:
    """Open the store at `path`, making or migrating it as needed."""
    options = options or Options()
    refuse_gone(path)
    read_only = path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
    if not read_only:
        _make_private(path)
    engine = engine_for(path, key=key, options=options, read_only=read_only)
    store = FileStore(path, engine, key=key, options=options, read_only=read_only)
    try:
        with our_errors(path, keyed=key is not None):
            made = version_of(engine) != 0
            if not made and was_here(path):
                raise gone(path)
            if made and not read_only:
                note_log_loss(engine, path, now_ms=to_ms(now))
            if read_only:
                refuse_newer(engine, str(path))
            else:
                migrate(
                    engine,
                    name=str(path),
                    now_ms=to_ms(now),
                    back_up=store.back_up,
                    migrations=migrations,
                )
            if path.stat().st_size < INTEGRITY_LIMIT_BYTES:
                check_integrity(store)
        if not read_only:
            note_presence(path)
            for folder in (path.parent, store.backups):  # nobody re-keys while we have it open
                backup.drop_unfinished(folder, backup.BEING_REKEYED)
            store.scrub(wait=False)
    except BaseException:
        store.close()
        raise
    return store


def _make_private(path: Path) -> None:
    """See that the file is there and only its owner can read it; its logs take the same rights."""
    try:
        if not path.exists():
            path.touch(mode=0o600)
    except OSError as fault:
        raise ReadOnly(
            f"The store {path} cannot be made: {fault.strerror}.",
            hint="Make the folder writable or set LOREMAP_HOME.",
        ) from fault
    if path.stat().st_mode & 0o077:
        with suppress(PermissionError):  # another's file, shared on purpose
            path.chmod(0o600)


def check_integrity(store: FileStore, *, whole: bool = False) -> None:
    """Raise where the file is damaged; `whole` also compares indexes with their tables."""
    with store.read() as conn:
        pragma = "integrity_check" if whole else "quick_check"
        said = conn.exec_driver_sql(f"PRAGMA {pragma}(1)").scalars().all()
    if said != ["ok"]:
        raise Damaged(
            f"The store {store.path} is damaged: {' '.join(str(said[0]).split())}.",
            hint=RESTORE,
        )
