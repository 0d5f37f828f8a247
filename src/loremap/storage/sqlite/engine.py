"""Engines on a file: their connections are keyed, tuned, and begin transactions as we want."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool
from sqlcipher3 import dbapi2 as driver

from loremap.errors import RESTORE, KeyMissing
from loremap.storage.dialect import OPTION
from loremap.storage.options import Key, Options
from loremap.storage.sqlite.connect import begin_writing, connected, is_encrypted
from loremap.storage.sqlite.dialect import SQLITE


def engine_for(path: Path, *, key: Key | None, options: Options, read_only: bool = False) -> Engine:
    """An engine whose connections are keyed, tuned and in charge of their own transactions."""
    if is_encrypted(path) and key is None:
        raise KeyMissing(
            f"The store {path} is encrypted and no key was given.",
            hint="Set LOREMAP_KEY, or see `lore key status`. If it never was encrypted, it is "
            f"damaged: {RESTORE}",
        )

    def connect() -> Any:
        return connected(path, key=key, options=options, read_only=read_only)

    engine = create_engine(
        "sqlite://",
        module=driver,
        creator=connect,
        poolclass=QueuePool,
        max_overflow=20,
        execution_options={OPTION: SQLITE},
    )
    event.listen(engine, "begin", partial(_begin, timeout_ms=options.busy_timeout_ms))
    return engine


def _begin(connection: Connection, *, timeout_ms: int) -> None:
    """Writers take the lock at once, so that no transaction fails half-way for want of it."""
    if connection.get_execution_options().get("begin"):
        begin_writing(connection.connection.driver_connection, timeout_ms=timeout_ms)
    else:
        connection.exec_driver_sql("BEGIN DEFERRED")
