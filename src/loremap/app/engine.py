"""Opens what everything stands on: the store that the settings and the environment name, the engine
over it, and the folders in use."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from loremap.app.encryption import key_of
from loremap.config import settings as config
from loremap.config.folders import Folders, database, ensure_private, refuse_network_folder
from loremap.memory.engine import Engine
from loremap.model.memory import Actor
from loremap.storage.open import open_store
from loremap.storage.options import Options
from loremap.storage.store import Store


def open_engine(
    places: Folders, settings: config.Settings, *, now: Callable[[], datetime]
) -> Engine:
    """The store of one user, and what is kept warm of it."""
    return Engine(places, settings, store=_opened(places, settings, now()), now=now)


def _opened(places: Folders, settings: config.Settings, now: datetime) -> Store:
    address = database()
    if not address:
        refuse_network_folder(places.home)
    if address or not places.store.exists():
        ensure_private(places.home)
    return open_store(
        places.store,
        address,
        tenant_id=Actor().tenant_id,
        key_of=key_of,
        options=store_options(settings),
        now=now,
    )


def store_options(settings: config.Settings) -> Options:
    """How the store is opened, by the user's settings."""
    return Options(
        synchronous=settings.text("storage.synchronous"),
        busy_timeout_ms=settings.whole("storage.busy_timeout_ms"),
        backups=settings.whole("storage.backups"),
    )
