"""Opens what everything stands on: the store that the settings and the environment name, the engine
over it, and the folders in use."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from loremap.app.encryption import key_of
from loremap.config import settings as config
from loremap.config.folders import Folders, database, ensure_private, refuse_network_folder
from loremap.memory.engine import Engine
from loremap.memory.workspace import utc_now
from loremap.memory.workspaces import Workspaces
from loremap.model.memory import Actor
from loremap.storage.open import open_store
from loremap.storage.options import Options
from loremap.storage.store import Store

if TYPE_CHECKING:
    from loremap.app.lore import Lore


def open_workspaces(places: Folders, *, now: Callable[[], datetime] = utc_now) -> Workspaces[Lore]:
    """The memory of one user as a long-lived process holds it for every session."""
    from loremap.app.lore import Lore  # it opens an engine of its own where it is given none

    engine = open_engine(places, config.load(places.settings), now=now)

    def opened(folder: Path) -> Lore:
        return Lore(folder, places=places, settings=engine.settings, now=now, engine=engine)

    return Workspaces(engine, opened)


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
