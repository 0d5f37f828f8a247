"""Chooses the database by where a store is: with it the two dialects are reached, and only here."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from loremap.errors import StoreError
from loremap.storage.care import Care
from loremap.storage.options import KeyOf, Options
from loremap.storage.store import Store


def open_store(
    file: Path, address: str, *, tenant_id: str, key_of: KeyOf, options: Options, now: datetime
) -> Store:
    """The store at `address`, or in `file` if there is none; made or migrated as needed."""
    if address:
        try:
            from loremap.storage.postgres.store import open_server
        except ModuleNotFoundError as fault:
            raise StoreError(
                "LOREMAP_DATABASE names a PostgreSQL, and its driver is not installed.",
                hint="pip install 'loremap[postgres]', or unset LOREMAP_DATABASE.",
            ) from fault
        wait_ms = options.busy_timeout_ms
        return open_server(address, tenant_id=tenant_id, now=now, busy_timeout_ms=wait_ms)
    from loremap.storage.sqlite.connect import key_at
    from loremap.storage.sqlite.store import open_store as open_file

    return open_file(file, key=key_at(file, key_of), options=options, now=now)


def care_of(file: Path, address: str) -> Care:
    """What can be done to the store at `address`, or in `file`, as a whole."""
    if address:
        return Care(address.partition("?")[0].rpartition("@")[2])
    from loremap.storage.sqlite.care import FileCare

    return FileCare(file)
