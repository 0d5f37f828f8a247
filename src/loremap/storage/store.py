"""The store: one file, opened safely, read and written in transactions."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, delete, insert, select

from loremap.errors import Busy, Damaged, DiskFull, ReadOnly
from loremap.model.clock import new_id, to_ms
from loremap.model.memory import Actor
from loremap.storage import memories
from loremap.storage.migrate import MIGRATIONS, Migration, migrate, refuse_newer, version_of
from loremap.storage.sqlite import backup
from loremap.storage.sqlite.connect import Key, Options, engine_for, file_at, moved, our_errors
from loremap.storage.sqlite.log_loss import note_log_loss
from loremap.storage.sqlite.presence import RESTORE, gone, note_presence, refuse_gone, was_here
from loremap.storage.tables import meta, tombstones
from loremap.storage.transaction import Tx, told_stamp

INTEGRITY_LIMIT_BYTES = 100 * 1024 * 1024
"""Below this size the file is checked each time it is opened."""
SCRUB_PENDING = "scrub_pending"


class Store:
    """An open store."""

    def __init__(
        self, path: Path, engine: Engine, *, key: Key | None, options: Options, read_only: bool
    ) -> None:
        self.path = path
        self.engine = engine
        self.key = key
        self.options = options
        self.read_only = read_only
        self._file = file_at(path)
        self.written: Callable[[str], None] = lambda stamp: None
        """Called after every write that may have changed a memory, when it holds no lock, with the
        stamp of what hooks tell by themselves."""
        self.erasing: Callable[[], None] = lambda: None
        """Called before memories are erased: whoever keeps a copy of them lets go of it."""

    @property
    def backups(self) -> Path:
        """The folder of rolling backups."""
        return self.path.parent / "backups"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one state of the store throughout."""
        with our_errors(self.path, keyed=self.key is not None), self.engine.connect() as conn:
            yield conn

    @contextmanager
    def write(self, *, now: datetime, actor: Actor, change_id: str = "") -> Iterator[Tx]:
        """A transaction that holds the write lock from its start; all of it happens or nothing."""
        with self.append() as conn:
            seq = conn.exec_driver_sql(
                "UPDATE meta SET value = value + 1 WHERE key = 'change_seq' RETURNING value"
            ).scalar_one()
            yield Tx(conn, int(seq), change_id or new_id(), now, actor)
            stamp = self.told_stamp(conn)
        self.written(stamp)

    @contextmanager
    def append(self) -> Iterator[Connection]:
        """A write that changes no memory, so that no warm array or index has to be looked at
        again: events, sessions, injections, metrics."""
        if self.read_only:
            raise ReadOnly(
                f"The store {self.path} cannot be written; recall still works.",
                hint="Make the folder writable or set LOREMAP_HOME.",
            )
        keyed = self.key is not None
        with our_errors(self.path, keyed=keyed), self.engine.connect() as plain:
            conn = plain.execution_options(begin="IMMEDIATE")
            with conn.begin():
                self._refuse_moved()
                yield conn

    def change_seq(self, conn: Connection) -> int:
        """How many writes the store has seen."""
        self._refuse_moved()
        seq = conn.exec_driver_sql("SELECT value FROM meta WHERE key = 'change_seq'")
        return int(seq.scalar_one())

    def told_stamp(self, conn: Connection) -> str:
        """Which write was the last that may have changed what hooks tell by themselves."""
        self._refuse_moved()
        return told_stamp(conn)

    def _refuse_moved(self) -> None:
        """A file that was re-keyed or replaced lives on for those who have it open; what they
        would write there is lost."""
        if file_at(self.path) != self._file:
            raise moved(self.path)

    def version(self) -> int:
        """The number of the newest migration in the store."""
        return version_of(self.engine)

    def back_up(self) -> Path:
        """Make a new backup; the oldest goes."""
        return backup.back_up(self.path, self.backups, key=self.key, options=self.options)

    def rescue(self) -> Path:
        """Make a backup of a store whose file was removed, from what is still open of it."""
        with our_errors(self.path, keyed=self.key is not None), self.engine.connect() as conn:
            raw = conn.connection.driver_connection
            return backup.rescue(raw, self.path, self.backups, key=self.key, options=self.options)

    def erase(self, ids: Sequence[str], *, now: datetime, actor: Actor) -> bool:
        """Erase memories from every byte: store, log and backups. False where another process is
        in the way or there is no room; it is then finished when the store is next opened."""
        self.erasing()
        with self.write(now=now, actor=actor) as tx:
            memories.erase(tx, ids)
            tx.conn.execute(delete(meta).where(meta.c.key == SCRUB_PENDING))
            tx.conn.execute(insert(meta).values(key=SCRUB_PENDING, value=str(tx.seq)))
        return self.scrub()

    def scrub(self, *, wait: bool = True) -> bool:
        """Clean the backups, the free pages and the log of what was erased; True when it is gone.

        The file is rewritten whole, because a page that SQLite split keeps bytes of rows that
        moved on, and overwriting deleted rows does not reach those.
        """
        with self.read() as conn:
            pending = conn.execute(select(meta.c.value).where(meta.c.key == SCRUB_PENDING)).scalar()
            if pending is None:
                return True
            erased = frozenset(conn.execute(select(tombstones.c.memory_id)).scalars())
        options = self.options if wait else replace(self.options, busy_timeout_ms=0)
        try:
            with backup.locked(self.path, key=self.key, options=options):
                backup.drop_unfinished(self.backups, backup.BEING_MADE)
                for copy in backup.copies(self.path):
                    backup.purge(copy, erased, key=self.key, options=self.options)
            if not self._rewritten(options):
                return False
            with (
                our_errors(self.path, keyed=self.key is not None),
                self.engine.connect().execution_options(begin="IMMEDIATE") as conn,
                conn.begin(),
            ):
                # What was erased meanwhile is still pending.
                done = delete(meta).where(meta.c.key == SCRUB_PENDING, meta.c.value == pending)
                conn.execute(done)
        except (Busy, DiskFull):
            return False
        return True

    def _rewritten(self, options: Options) -> bool:
        """Whether the file could be written anew and its log emptied."""
        deadline = time.monotonic() + options.busy_timeout_ms / 1000
        with (
            our_errors(self.path, keyed=self.key is not None),
            backup.opened(self.path, self.key, options) as raw,
        ):
            raw.execute("VACUUM")
            while True:
                busy = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                if not busy or time.monotonic() > deadline:
                    return not busy
                time.sleep(0.05)

    def close(self) -> None:
        """Let go of the file."""
        self.engine.dispose()


def open_store(
    path: Path,
    *,
    key: Key | None = None,
    options: Options | None = None,
    now: datetime,
    migrations: tuple[Migration, ...] = MIGRATIONS,
) -> Store:
    """Open the store at `path`, making or migrating it as needed."""
    options = options or Options()
    refuse_gone(path)
    read_only = path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
    if not read_only:
        _make_private(path)
    engine = engine_for(path, key=key, options=options, read_only=read_only)
    store = Store(path, engine, key=key, options=options, read_only=read_only)
    try:
        with our_errors(path, keyed=key is not None):
            made = version_of(engine) != 0
            if not made and was_here(path):
                raise gone(path)
            if made and not read_only:
                note_log_loss(engine, path, now_ms=to_ms(now))
            if read_only:
                refuse_newer(engine, path)
            else:
                migrate(
                    engine,
                    path=path,
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


def check_integrity(store: Store, *, whole: bool = False) -> None:
    """Raise where the file is damaged; `whole` also compares indexes with their tables."""
    with store.read() as conn:
        pragma = "integrity_check" if whole else "quick_check"
        said = conn.exec_driver_sql(f"PRAGMA {pragma}(1)").scalars().all()
    if said != ["ok"]:
        raise Damaged(
            f"The store {store.path} is damaged: {' '.join(str(said[0]).split())}.",
            hint=RESTORE,
        )
