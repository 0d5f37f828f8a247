"""What the resident asks the small model for, in a thread of its own: an answer takes seconds, and
nothing else waits for it."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from loremap.agent.switches import is_off
from loremap.errors import ModelError
from loremap.interfaces.resident.watch import step_back
from loremap.memory.workspaces import is_there
from loremap.sidecar.ask import Task
from loremap.storage import learning

if TYPE_CHECKING:
    from loremap.agent.session_agent import Retrieved
    from loremap.app.lore import Lore
    from loremap.memory.workspaces import Workspaces
    from loremap.model.session import Session

log = logging.getLogger("loremap.resident")

LOOK_S = 5.0
MAX_WAITING, MAX_RELATED = 16, 500
LATER_S = 600.0
"""How long a session that could not be looked at is left alone."""


class SidecarWork:
    """Has the small model look at sessions that are over, at memories that fitted one prompt, at
    clusters without a name."""

    is_busy = False
    """Nothing is lost if the resident ends meanwhile: the next one goes on."""

    def __init__(self, workspaces: Workspaces[Lore]) -> None:
        self._workspaces = workspaces
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="sidecar", daemon=True)
        self._failed: dict[str, tuple[int, float]] = {}
        """Sessions that could not be looked at: how far they had gone, and since when."""
        self._fitted: deque[tuple[Path, tuple[str, ...]]] = deque(maxlen=MAX_WAITING)
        self._related: deque[frozenset[str]] = deque(maxlen=MAX_RELATED)
        """What was asked about already."""

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def note_fitted(self, retrieved: Retrieved) -> None:
        """Take note of what fitted one prompt; a chore of the memory agent, which waits for
        nothing."""
        folder, together = retrieved.event.folder, frozenset(retrieved.given)
        sidecar = self._workspaces.engine.sidecar_is_chosen
        if not sidecar or folder is None or len(together) < 2 or together in self._related:
            return
        self._related.append(together)
        self._fitted.append((folder, tuple(retrieved.given)))

    def close(self) -> None:
        """End; an answer that is awaited is not waited for."""
        self._stop.set()

    def _work(self) -> None:
        step_back()
        while not self._stop.wait(LOOK_S):
            try:
                self.look()
            except Exception as fault:  # noqa: BLE001  one look that fails must not end the others
                log.error("sidecar: %s", type(fault).__name__)

    def look(self) -> None:
        """Do what is due."""
        engine = self._workspaces.engine
        if not engine.sidecar_is_chosen or is_off(self._workspaces.places.home):
            return
        due: dict[Task, Callable[[], None]] = {
            Task.EXTRACT: self._show_sessions,
            Task.RELATE: self._relate,
            Task.NAME: self._name_clusters,
        }
        for task, work in due.items():
            if engine.sidecar.does(task) and not self._stop.is_set():
                with suppress(ModelError):  # noted by the sidecar itself
                    work()

    def _relate(self) -> None:
        from loremap.memory.graph.asked import relate

        while self._fitted and not self._stop.is_set():
            folder, ids = self._fitted.popleft()
            if is_there(folder):
                with self._workspaces.aside(folder) as lore:
                    relate(lore, ids)

    def _name_clusters(self) -> None:
        from loremap.memory.graph.asked import name_clusters

        for folder in self._workspaces.folders():
            with self._workspaces.aside(folder) as lore:
                name_clusters(lore)

    def _show_sessions(self) -> None:
        from loremap.sessions.session_memory import SHOWN_WITHIN

        now = self._workspaces.now()
        with self._workspaces.engine.store.read() as conn:
            waiting = learning.unshown(conn, since=now - SHOWN_WITHIN)
        for session, seq in waiting:
            if self._stop.is_set():
                return
            if not self._rests(session.id, seq):
                self._show(session, seq)

    def _show(self, session: Session, seq: int) -> None:
        folder = self._workspaces.folder_of(session)
        if folder is None:
            self._failed[session.id] = (seq, self._workspaces.now().timestamp())
            return
        try:
            with self._workspaces.aside(folder) as lore:
                learned = lore.sessions.show_to_sidecar(session, seq=seq)
        except Exception as fault:  # noqa: BLE001  one session that cannot be read is passed over
            log.error("sidecar, a session: %s", type(fault).__name__)
            learned = None
        if learned is None:
            self._failed[session.id] = (seq, self._workspaces.now().timestamp())
        elif learned.outcomes:
            log.info("the sidecar found %d more things in a session", len(learned.outcomes))

    def _rests(self, session_id: str, seq: int) -> bool:
        failed = self._failed.get(session_id)
        if failed is None or failed[0] != seq:
            return False
        since = self._workspaces.now().timestamp() - failed[1]
        return since < LATER_S
