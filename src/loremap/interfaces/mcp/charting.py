"""The first scan of a project, made aside: nobody who waits for the memory waits for it."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from loremap.errors import LoremapError

if TYPE_CHECKING:
    from loremap.app.lore import Lore
    from loremap.memory.workspaces import Workspaces

WAIT_SECONDS = 20.0
"""Clients give a tool about a minute."""


class Charting:
    """The scans under way, one for each folder."""

    def __init__(self, wait_seconds: float = WAIT_SECONDS) -> None:
        self.wait_seconds = wait_seconds
        self._lock = Lock()
        self._under_way: dict[Path, tuple[Thread, Future[None]]] = {}

    def is_charted(self, workspaces: Workspaces[Lore], folder: Path) -> bool:
        """Whether the folder's project has a map; waits a while for the first one."""
        with workspaces.at(folder) as lore:
            if lore.code.scanned:
                return True
        try:
            self._started(workspaces, folder).result(self.wait_seconds)
        except TimeoutError:
            return False
        return True

    def _started(self, workspaces: Workspaces[Lore], folder: Path) -> Future[None]:
        with self._lock:
            under_way = self._under_way.get(folder)
            if under_way is not None and under_way[0].is_alive():
                return under_way[1]
            done: Future[None] = Future()
            thread = Thread(target=_chart, args=(workspaces, folder, done), daemon=True)
            self._under_way[folder] = (thread, done)
            thread.start()
            return done


def _chart(workspaces: Workspaces[Lore], folder: Path, done: Future[None]) -> None:
    """Scan and map with a store of its own, so that the engine is free meanwhile."""
    from loremap.app.lore import Lore

    settings = workspaces.engine.settings
    try:
        with Lore(folder, places=workspaces.places, settings=settings, now=workspaces.now) as lore:
            lore.modules.map()
    except LoremapError as fault:
        done.set_exception(fault)
    else:
        done.set_result(None)
