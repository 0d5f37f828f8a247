"""Where events of agents come in: counted once, recorded on disk, handed to the memory agent."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from loremap.agent.intake.event_log import EventLog
from loremap.agent.intake.recent import (
    SAID_AGAIN_AFTER,
    SPOOLED_WITHIN,
    Recent,
    turnless,
)
from loremap.agent.intake.spool import (
    Overfull,
    hook_key,
    make_room,
    put_back,
    referred,
    taken,
    twins,
)
from loremap.agent.intake.touches import Touches
from loremap.agent.metrics.meter import Noting, unnoted
from loremap.agent.switches import is_off, switched_off
from loremap.clients.hook_events import CALL
from loremap.clients.payloads.record import RECORDED, Place, recorded
from loremap.errors import LoremapError
from loremap.memory import writing
from loremap.memory.workspace import Workspace
from loremap.memory.workspaces import Workspaces
from loremap.model.clock import to_ms
from loremap.model.event import Event
from loremap.model.hook import HookEvent, Moment, Reply
from loremap.storage import events, projects
from loremap.storage.caught import caught

COMMIT_WAIT_S = 5.0
"""How long an event waits for the disk; it is written later all the same."""
PLACE_KEPT = timedelta(seconds=60)
JUST_BEGUN = timedelta(minutes=5)
MAX_PLACES = 256
ABOUT_THEN_MS = SPOOLED_WITHIN // timedelta(milliseconds=1)
TWICE_WITHIN_MS = SAID_AGAIN_AFTER // timedelta(milliseconds=1)
PROMPT_AWAITED = timedelta(seconds=30)
"""How long a reference waits for its prompt to be written into the transcript."""
NOTHING = Reply()


class Agent(Protocol):
    """Who answers events: the memory agent."""

    def handle(self, event: HookEvent) -> Reply:
        """What is said to this event; usually nothing."""

    def undelivered(self, event: HookEvent) -> None:
        """What was said to this event reached nobody."""

    def expect(self, event: HookEvent) -> None:
        """A session began when nobody was here."""


class EventIntake:
    """One for a resident; any number of threads may bring events."""

    def __init__(
        self, workspaces: Workspaces[Workspace], session_agent: Agent, *, measured: Noting = unnoted
    ) -> None:
        self._workspaces = workspaces
        self._session_agent = session_agent
        self._store = workspaces.engine.store
        self._log = EventLog(self._store, measured=measured)
        self._recent = Recent()
        self._touches = Touches(workspaces)
        self._places: dict[Path, tuple[datetime, Place]] = {}
        self._sessions: dict[str, Place] = {}
        self._lock = Lock()
        self._reading = Lock()
        """One connection is enough for small questions: each has a large cache of its own."""

    @property
    def home(self) -> Path:
        """The data folder."""
        return self._workspaces.places.home

    def receive(self, event: HookEvent, *, ticket: str = "") -> Reply:
        """The answer to an event, which is on disk when this returns, or the answer says that it
        is not; nothing to one that came before, and nothing while memory is off. By its ticket the
        event is known again in a reference that its hook left."""
        if is_off(self.home):
            return NOTHING
        if not self._recent.is_new(event):
            return NOTHING
        if event.incognito:
            return NOTHING if self._is_silent(event) else self._session_agent.handle(event)
        place = self._place(event)
        if self._is_off(place):
            return NOTHING
        kept = self._kept([(event, place)], ticket=ticket)
        written = self._log.append(kept) if kept else None
        reply = self._session_agent.handle(event)
        new = self._awaited(written, event)
        if new is None:
            self._recent.forget(event)
            return replace(reply, recorded=False)
        for one in kept:
            self._touches.note(one, place)
        return reply if new else NOTHING

    def undelivered(self, event: HookEvent) -> None:
        """The answer to this event reached nobody; it is said again when it fits."""
        self._session_agent.undelivered(event)

    def record(self, fresh: Sequence[HookEvent]) -> int:
        """Record events that want no answer; how many were new."""
        if is_off(self.home):
            return 0
        wanted = [event for event in fresh if not event.incognito and self._recent.is_new(event)]
        try:
            kept = self._kept([(event, self._place(event)) for event in wanted])
            return len(self._log.append(kept).result()) if kept else 0
        except BaseException:
            for event in wanted:  # told again, it is to be written
                self._recent.forget(event)
            raise

    def drain(self, spool: Path) -> int:
        """Record what hooks left a reference of, each once; how many were new."""
        if make_room(spool):
            caught(self.home, "spool", Overfull())
        now, keep_days = self._workspaces.now(), self._keep_days()
        oldest, off = now - timedelta(days=keep_days), is_off(self.home)
        count = 0
        for path in taken(spool):
            event = None if off else referred(path, now=now)
            if event is not None and _is_awaited(event, now):
                put_back(path)
                continue
            if event is not None and event.at >= oldest and event.moment in RECORDED:
                count += self._drained(event)
            if event is not None and event.moment is Moment.SESSION_START and _is_new(event, now):
                self._session_agent.expect(event)
            path.unlink(missing_ok=True)
        return count

    def close(self) -> None:
        """Write what waits, and end."""
        self._touches.close()
        self._log.close()

    def _drained(self, event: HookEvent) -> int:
        """Record what a reference stood for, unless it is on disk: what came in meanwhile may be
        under way and never get there."""
        place = self._place(event)
        kept = recorded(event, place)
        if not self._workspaces.engine.records or self._is_known(kept):
            return 0
        added = self._log.append([kept]).result()
        self._recent.is_new(event)  # should it still come in, it came before
        if added:
            self._touches.note(kept, place)
        return len(added)

    def _is_known(self, kept: Event) -> bool:
        """Whether the log holds what a reference stands for under another key: told by another run
        of the hook, or with a turn that the reference does not know."""
        is_call = kept.key.startswith(CALL)
        key = turnless(kept.key) if is_call else twins(kept.key)
        within_ms = ABOUT_THEN_MS if is_call else TWICE_WITHIN_MS
        if not key or (is_call and key != kept.key):
            return False  # the log itself takes no key twice
        with self._reading, self._store.read() as conn:
            return events.has_key_from(conn, key, kept, within_ms=within_ms)

    def _kept(self, wanted: Sequence[tuple[HookEvent, Place]], *, ticket: str = "") -> list[Event]:
        """What is kept of events; what has no id of its own is told apart by the run of its hook,
        or else by its time."""
        if not self._workspaces.engine.records:
            return []
        kept = [recorded(event, place) for event, place in wanted if event.moment in RECORDED]
        return [
            one
            if one.key.startswith(CALL)
            else replace(one, key=hook_key(ticket) or f"{one.key}@{to_ms(one.at)}")
            for one in kept
        ]

    def _awaited(self, written: Future[set[str]] | None, event: HookEvent) -> bool | None:
        """Whether the event is on disk and was not there before; None where it could not be
        written, which costs no answer."""
        if written is None:
            return True
        try:
            return bool(written.result(timeout=COMMIT_WAIT_S))
        except (LoremapError, RuntimeError, Late) as fault:
            caught(self.home, f"record {event.moment}", fault)
            return None

    def _keep_days(self) -> int:
        return self._workspaces.engine.settings.whole("events.keep_days")

    def _is_off(self, place: Place) -> bool:
        if place.project_id is None:
            return False
        with self._reading, self._store.read() as conn:
            return not projects.is_enabled(conn, place.project_id)

    def _is_silent(self, event: HookEvent) -> bool:
        """Whether the project of an incognito event is off; asking leaves no trace of it."""
        if event.folder is None:
            return False
        with self._workspaces.at(event.folder, watched=False) as lore:
            return switched_off(lore)

    def _place(self, event: HookEvent) -> Place:
        """The project of an event; where its folder has gone, that of the session before."""
        if event.folder is None:
            return self._sessions.get(event.session_id, Place())
        now = self._workspaces.now()
        with self._lock:
            known = self._places.get(event.folder)
        if known is None or now - known[0] > PLACE_KEPT:
            known = (now, self._found(event.folder))
        with self._lock:
            _make_room(self._places)
            _make_room(self._sessions)
            self._places[event.folder] = known
            self._sessions[event.session_id] = known[1]
        return known[1]

    def _found(self, folder: Path) -> Place:
        with self._workspaces.at(folder) as lore:
            project = writing.settled_project(lore)
            root = lore.repository.root
        return Place(None if project is None else project.id, root, folder)


def _is_awaited(event: HookEvent, now: datetime) -> bool:
    """Whether the transcript may still tell what was asked."""
    silent = event.moment is Moment.PROMPT and event.transcript is not None and not event.prompt
    return silent and timedelta(0) <= now - event.at < PROMPT_AWAITED


def _is_new(event: HookEvent, now: datetime) -> bool:
    """Whether somebody may be about to type."""
    return now - event.at <= JUST_BEGUN


def _make_room(kept: dict[Any, Any]) -> None:
    while len(kept) >= MAX_PLACES:
        del kept[next(iter(kept))]
