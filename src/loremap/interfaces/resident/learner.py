"""Reads what sessions taught, beside answering: as they go on, and when they are over. What one
finds that works beside others is looked for at once, so that these know it."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from loremap.agent.switches import is_off
from loremap.interfaces.resident.watch import step_back
from loremap.storage import learning, pauses
from loremap.storage.pauses import Cause

if TYPE_CHECKING:
    from loremap.app.lore import Lore
    from loremap.memory.workspaces import Workspaces
    from loremap.storage.learning import Unread

log = logging.getLogger("loremap.resident")

LOOK_S = 0.5
LEARN_S = 5.0
MAX_WAIT_S = 3_600.0
RESTS = 5
"""A session that goes on is left alone so many times as long as reading it kept the processor
busy."""


class Learner:
    """One thread that reads sessions."""

    def __init__(self, workspaces: Workspaces[Lore]) -> None:
        self._workspaces = workspaces
        self._stop = threading.Event()
        self.is_busy = False
        """Whether it reads a session."""
        self._thread = threading.Thread(target=self._work, name="learner", daemon=True)
        self._failed: dict[str, tuple[float, float]] = {}
        """Sessions that could not be read: when that is tried again, and how long it waited."""
        self._learns: bool | None = None
        """Whether anything was to be learned when the settings were last looked at."""
        self._rests: dict[str, float] = {}
        """Until when a session is left alone."""

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End after the session at hand."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(5.0)

    def _work(self) -> None:
        step_back()
        due = 0.0
        while not self._stop.is_set():
            is_due = time.monotonic() >= due
            due = time.monotonic() + LEARN_S if is_due else due
            try:
                self.look(at_all=is_due)
            except Exception as fault:  # noqa: BLE001  the next look may go well
                log.error("learn: %s", type(fault).__name__)
            self._stop.wait(LOOK_S)

    def look(self, *, at_all: bool) -> None:
        """Read the sessions that are due; else those alone that work beside others. One that a
        crash cut off, or a resident that was killed, is taken up by the next."""
        from loremap.sessions.session_memory import SILENT, WINDOW, Due, due

        workspaces, now = self._workspaces, self._workspaces.now()
        if workspaces.engine.store.read_only or is_off(workspaces.places.home):
            return
        self._note_setting()
        with workspaces.engine.store.read() as conn:
            waiting = learning.unread(conn, since=now - (WINDOW if at_all else SILENT))
        beside = beside_others([one for one in waiting if now - one.last_at < SILENT])
        for one in waiting:
            at_once = one.session.id in beside
            what = due(one, now, at_once=at_once)
            waits = time.monotonic() < self._failed.get(one.session.id, (0.0, 0.0))[0]
            rests = what is Due.CHECKPOINT and not self._is_rested(one)
            if self._stop.is_set():
                return
            if what is not Due.NOTHING and not waits and not rests:
                self._read(one, at_once=at_once)

    def _note_setting(self) -> None:
        """Note from when until when the settings say that nothing is to be learned."""
        engine = self._workspaces.engine
        learns = engine.settings.flag("learn.sessions")
        if learns is self._learns:
            return
        note = pauses.end if learns else pauses.begin
        with engine.store.append() as conn:
            note(conn, Cause.SETTING, None, self._workspaces.now())
        self._learns = learns

    def _is_rested(self, one: Unread) -> bool:
        return time.monotonic() >= self._rests.get(one.session.id, 0.0)

    def _read(self, one: Unread, *, at_once: bool) -> None:
        folder, began_s = self._workspaces.folder_of(one.session), time.thread_time()
        if folder is None:
            if one.session.id not in self._failed:
                log.warning("learn: a session is left, for no folder of its project is there")
            self._put_off(one.session.id)
            return
        self.is_busy = True
        try:
            with self._workspaces.aside(folder) as lore:
                learned = lore.sessions.take_up(one, at_once=at_once)
        except Exception as fault:  # noqa: BLE001  one session that cannot be read is passed over
            log.error("learn: %s", type(fault).__name__)
            self._put_off(one.session.id)
            return
        finally:
            self.is_busy = False
        self._failed.pop(one.session.id, None)
        now_s, worked_s = time.monotonic(), time.thread_time() - began_s
        self._rests = {id_: at for id_, at in self._rests.items() if at > now_s}
        self._rests[one.session.id] = now_s + worked_s * RESTS
        if learned is not None and learned.outcomes:
            log.info("a session taught %d things", len(learned.outcomes))

    def _put_off(self, session_id: str) -> None:
        """Try a session again later, each time after twice as long: the store may have been busy,
        or what it holds cannot be read at all."""
        wait_s = min(2 * self._failed.get(session_id, (0.0, LEARN_S / 2))[1], MAX_WAIT_S)
        self._failed[session_id] = (time.monotonic() + wait_s, wait_s)


def beside_others(waiting: Sequence[Unread]) -> frozenset[str]:
    """Of the sessions that were heard of lately, those that are not alone in their project."""
    going_on = [one.session for one in waiting if one.session.ended_at is None]
    count = Counter(session.project_id for session in going_on)
    return frozenset(
        one.id for one in going_on if one.project_id is not None and count[one.project_id] > 1
    )
