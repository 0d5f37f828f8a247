"""The store: read and written in transactions, whatever database it is in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError as DatabaseError

from loremap.errors import ReadOnly
from loremap.model.clock import new_id
from loremap.model.memory import Actor
from loremap.storage import memories, tombstones
from loremap.storage.dialect import version_of
from loremap.storage.facts import CHANGE_SEQ, fact, set_fact
from loremap.storage.transaction import Tx, told_stamp

__all__ = ["Connection", "DatabaseError", "Store"]

SCRUB_PENDING = "scrub_pending"
_COUNT_ON = text(
    "UPDATE meta SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT) "
    f"WHERE key = '{CHANGE_SEQ}' RETURNING value"
)


class Store(ABC):
    """An open store."""

    def __init__(self, engine: Engine, *, name: str, read_only: bool) -> None:
        self.engine = engine
        self.name = name
        """What messages call it."""
        self.read_only = read_only
        self.written: Callable[[str], None] = lambda stamp: None
        """Called after every write that may have changed a memory, when it holds no lock, with the
        stamp of what hooks tell by themselves."""
        self.erasing: Callable[[], None] = lambda: None
        """Called before memories are erased: whoever keeps a copy of them lets go of it."""

    @abstractmethod
    def errors(self) -> AbstractContextManager[None]:
        """Raises what the driver says in our words."""

    @abstractmethod
    def refuse_moved(self) -> None:
        """Raise where what is open is no longer the store."""

    @abstractmethod
    def scrub(self, *, wait: bool = True) -> bool:
        """Clean what is left of erased memories from where the database keeps it; True when it is
        gone."""

    @property
    def encrypted(self) -> bool:
        """Whether what is stored can be read with a key only."""
        return False

    @abstractmethod
    def size_bytes(self) -> int:
        """How much room the store takes."""

    on_server = True
    """Whether others see to its disks: their health, their encryption, their backups."""
    erased_from = "row, index, vector and history"
    """Where nothing is left of a memory after it was erased and what was left was cleaned."""
    kept_of_erased = (
        "The server's disk keeps the deleted rows until its next vacuum; its logs and backups are "
        "in the hands of whoever runs it."
    )
    """Where something may be left all the same."""

    def back_up(self) -> Path | None:
        """Make a new backup; None where whoever runs the server makes them."""
        return None

    def is_lost(self) -> bool:
        """Whether the store was removed while it is open here."""
        return False

    def rescue(self) -> Path | None:
        """Make a backup of a store that was removed, from what is still open of it; None where all
        of it was removed, on purpose."""
        return None

    def check(self) -> bool | None:
        """Raise where the file is damaged; False where it is too large for that, None where a
        server looks after it."""
        return None

    def log_loss(self) -> tuple[datetime, int] | None:
        """When a part of the log was found to be lost, and how many transactions."""
        return None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one state of the store throughout."""
        with self.errors(), self.engine.connect() as conn:
            yield conn

    @contextmanager
    def write(self, *, now: datetime, actor: Actor, change_id: str = "") -> Iterator[Tx]:
        """A transaction that holds the write lock from its start; all of it happens or nothing."""
        with self.append() as conn:
            seq = int(conn.execute(_COUNT_ON).scalar_one())
            yield Tx(conn, seq, change_id or new_id(), now, actor)
            stamp = self.told_stamp(conn)
        self.written(stamp)

    @contextmanager
    def append(self) -> Iterator[Connection]:
        """A write that changes no memory, so that no warm array or index has to be looked at
        again: events, sessions, injections, metrics."""
        if self.read_only:
            raise ReadOnly(
                f"The store {self.name} cannot be written; recall still works.",
                hint="Make the folder writable or set LOREMAP_HOME.",
            )
        with self.errors(), self.engine.connect() as plain:
            conn = plain.execution_options(begin="IMMEDIATE")
            with conn.begin():
                self.refuse_moved()
                yield conn

    def change_seq(self, conn: Connection) -> int:
        """How many writes the store has seen."""
        self.refuse_moved()
        return int(fact(conn, CHANGE_SEQ) or 0)

    def told_stamp(self, conn: Connection) -> str:
        """Which write was the last that may have changed what hooks tell by themselves."""
        self.refuse_moved()
        return told_stamp(conn)

    def version(self) -> int:
        """The number of the newest migration in the store."""
        return version_of(self.engine)

    def erase(
        self,
        ids: Sequence[str],
        *,
        now: datetime,
        actor: Actor,
        unlearn: bool = False,
        scrub: bool = True,
    ) -> bool:
        """Erase memories for good, and where `unlearn` keep agents and files from teaching them
        again. False where what is left of them could not be cleaned yet; it is then finished when
        the store is next opened, or by who erases more and lets only the last one `scrub`."""
        self.erasing()
        with self.write(now=now, actor=actor) as tx:
            if unlearn:
                tombstones.lay_over(tx, ids)
            memories.erase(tx, ids)
            set_fact(tx.conn, SCRUB_PENDING, str(tx.seq))
        return self.scrub() if scrub else False

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()
