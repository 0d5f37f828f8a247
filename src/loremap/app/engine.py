"""Opens what everything stands on: the store that the settings and the environment name, the engine
over it, and the folders in use."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from loremap.app.encryption import key_of
from loremap.config import settings as config
from loremap.config.folders import Folders, database, ensure_private, refuse_network_folder
from loremap.errors import StoreError
from loremap.memory.engine import Engine
from loremap.model.memory import Actor
from loremap.storage.sqlite.connect import Options
from loremap.storage.sqlite.store import open_store
from loremap.storage.store import Store


def open_engine(
    places: Folders, settings: config.Settings, *, now: Callable[[], datetime]
) -> Engine:
    """The store of one user, and what is kept warm of it."""
    return Engine(places, settings, store=_opened(places, settings, now()), now=now)


def _opened(places: Folders, settings: config.Settings, now: datetime) -> Store:
    if address := database():
        ensure_private(places.home)
        return _server(address, settings, now)
    refuse_network_folder(places.home)
    if not places.store.exists():
        ensure_private(places.home)
    return open_store(
        places.store, key=key_of(places.store), options=store_options(settings), now=now
    )


def _server(address: str, settings: config.Settings, now: datetime) -> Store:
    try:
        from loremap.storage.postgres.store import open_server
    except ModuleNotFoundError as fault:
        raise StoreError(
            "LOREMAP_DATABASE names a PostgreSQL, and its driver is not installed.",
            hint="pip install 'loremap[postgres]', or unset LOREMAP_DATABASE.",
        ) from fault
    wait_ms = settings.whole("storage.busy_timeout_ms")
    return open_server(address, tenant_id=Actor().tenant_id, now=now, busy_timeout_ms=wait_ms)


def store_options(settings: config.Settings) -> Options:
    """How the store is opened, by the user's settings."""
    return Options(
        synchronous=settings.text("storage.synchronous"),
        busy_timeout_ms=settings.whole("storage.busy_timeout_ms"),
        backups=settings.whole("storage.backups"),
    )
