"""The memory of sessions: which wait to be read, what they taught, what waits for a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum

from loremap.errors import BadAnswer, BadInput, ModelError
from loremap.memory import changing
from loremap.memory.looking import find, in_inbox
from loremap.memory.workspace import Workspace
from loremap.memory.writing import settled_project
from loremap.model.finding import Finding
from loremap.model.memory import BY_GIT, Memory
from loremap.model.session import Session
from loremap.model.turn import Turn
from loremap.sessions.by_sidecar import also_by_sidecar
from loremap.sessions.episodes.keep import keep_episodes
from loremap.sessions.finishing import (
    MAX_EVENTS,
    Known,
    Learned,
    Reader,
    adopt,
    checkpoint,
    finish,
    looked_through,
    session_turns,
)
from loremap.sessions.gap_review import review_gaps
from loremap.sessions.importing import Import, import_past
from loremap.sessions.learning.learn import findings_of
from loremap.sessions.named import session_named
from loremap.sessions.turns import turns_of_events
from loremap.storage import events, learning, memories, projects
from loremap.storage.learning import Unread

CHECKPOINT_EVENTS = 10
"""After so many messages and calls what a session has taught is kept."""
SILENT = timedelta(minutes=10)
"""A session that nothing was heard of for so long is taken for over; it may still go on."""
WINDOW = timedelta(days=14)
"""Sessions in which nothing happened since are no longer looked at by themselves."""
SHOWN_WITHIN = timedelta(days=3)
"""Only sessions of so lately are shown to the small model: who switches it on does not pay for what
lies behind."""
MAX_INBOX = 500
DECLINED = "declined"
"""Why what a person did not want to keep was withdrawn."""


class Due(StrEnum):
    """What is to be done with a session now."""

    NOTHING = "nothing"
    CHECKPOINT = "checkpoint"
    FINISH = "finish"


def due(one: Unread, now: datetime, *, at_once: bool = False) -> Due:
    """What is to be done with a session in which something happened since it was read; `at_once`
    is for one whose findings others wait for."""
    if one.session.ended_at is not None or now - one.last_at >= SILENT:
        return Due.FINISH
    enough = 1 if at_once else CHECKPOINT_EVENTS
    if one.fresh >= enough or one.is_compacted:
        return Due.CHECKPOINT
    return Due.NOTHING


def read_by_rules(turns: Sequence[Turn], known: Known) -> Sequence[Finding]:
    """What rules find in the turns of a session."""
    return findings_of(turns, known=known.stated, injected=known.injected)


class SessionMemory:
    """What sessions have taught, as whoever speaks in this folder may have it."""

    def __init__(self, here: Workspace, read: Reader = read_by_rules) -> None:
        self._here = here
        self._read = read

    # Reading sessions

    def take_up(self, one: Unread, *, at_once: bool = False) -> Learned | None:
        """Read a session as far as it is due; None where nothing was to be done."""
        what = due(one, self._here.now(), at_once=at_once)
        if what is Due.NOTHING:
            return None
        if not self.is_on:
            self._keep_logged(one.session, is_over=what is Due.FINISH)
            with self._here.store.append() as conn:
                learning.pass_over(conn, one.session.id)
            return None
        session = adopt(self._here, one.session, self._read)
        turns = session_turns(self._here, session)
        learn = finish if what is Due.FINISH else checkpoint
        return learn(self._here, session, turns, self._read, seq=one.seq)

    def _keep_logged(self, session: Session, *, is_over: bool) -> None:
        """Keep what was done as the log tells it, where sessions are not read."""
        with self._here.store.read() as conn:
            logged = events.of_session(conn, session.id, limit=MAX_EVENTS)
        keep_episodes(self._here, session, turns_of_events(logged), is_over=is_over)

    def learn(self, session_id: str | None = None) -> Learned:
        """Read one session now, by its id or the beginning of it, or the last one here, and keep
        what it taught."""
        session = self._session(session_id)
        with self._here.store.read() as conn:
            seq = learning.last_event(conn, session.id)
        session = adopt(self._here, session, self._read)
        turns = session_turns(self._here, session)
        return finish(self._here, session, turns, self._read, seq=seq)

    def show_to_sidecar(self, session: Session, *, seq: int) -> Learned | None:
        """Have the small model look for what rules missed in a session that is over, once; None
        where it does not answer now. An answer that cannot be used is not asked for again."""
        if not self.is_on or session.held_out:
            return None
        read = also_by_sidecar(self._here.engine.sidecar, session, self._read)
        turns = session_turns(self._here, session)
        try:
            learned = finish(self._here, session, turns, read, seq=seq)
        except BadAnswer:
            learned = None
        except ModelError:  # noted by the sidecar itself; it is asked again later
            return None
        with self._here.store.append() as conn:
            learning.note_shown(conn, session.id)
        if learned is not None:
            with suppress(ModelError):  # noted too; a gap stays open then
                review_gaps(self._here, learned)
        return learned

    def preview(self, session_id: str | None = None) -> Learned:
        """What one session would teach; nothing is kept."""
        session = self._session(session_id)
        turns = session_turns(self._here, session)
        return looked_through(self._here, session, turns, self._read)

    def import_past(
        self,
        *,
        clients: Sequence[str] = (),
        since: datetime | None = None,
        dry_run: bool = False,
        tell: Callable[[str, int, int], None] = lambda stage, done, total: None,
    ) -> Import:
        """Learn from the sessions of the past that clients have written down here; with `dry_run`
        nothing is kept. `tell` hears how far it is."""
        if self._here.repository.kind == "global":
            raise BadInput(
                "There is no project here; nothing was imported.",
                hint="Run this in a repository, or give --all-projects.",
            )
        if not self.may_import:
            raise BadInput(
                "Sessions of this project are not learned from; nothing was imported.",
                hint="lore learn --on, and lore config set learn.sessions true",
            )
        return import_past(
            self._here, self._read, clients=clients, since=since, dry_run=dry_run, tell=tell
        )

    def _session(self, session_id: str | None) -> Session:
        with self._here.store.read() as conn:
            return session_named(self._here, conn, session_id)

    # Whether

    @property
    def is_on(self) -> bool:
        """Whether sessions here are learned from by themselves."""
        if not self._here.settings.flag("learn.sessions"):
            return False
        if self._here.project_id is None:
            return True
        with self._here.store.read() as conn:
            listened_to = projects.is_enabled(conn, self._here.project_id)
            return listened_to and projects.learns(conn, self._here.project_id)

    @property
    def may_import(self) -> bool:
        """Whether sessions of the past can be learned from here."""
        return self.is_on and self._here.repository.kind != "global"

    def switch_project(self, *, on: bool) -> None:
        """Learn from this project's sessions, or do not."""
        project = settled_project(self._here)
        if project is None:
            raise BadInput("There is no project here.", hint="Run this in a repository.")
        with self._here.store.write(now=self._here.now(), actor=self._here.actor) as tx:
            projects.let_learn(tx, project.id, on=on)

    # What waits for a person

    def inbox(self) -> Sequence[Memory]:
        """What sessions taught here and nobody has kept or dropped, the oldest first; after it what
        commits did."""
        with self._here.store.read() as conn:
            found = memories.listing(conn, in_inbox(self._here.project_id), limit=MAX_INBOX)
        oldest_first = found[::-1]
        return sorted(oldest_first, key=lambda one: one.created_by == BY_GIT)

    def keep(self, reference: str) -> Memory:
        """Keep what a session taught: from then on a person stands behind it."""
        self._refuse_agent()
        return changing.confirm(self._here, find(self._here, reference).id)

    def drop(self, reference: str) -> Memory:
        """Drop what a session taught; it is not learned again."""
        self._refuse_agent()
        return changing.retract(self._here, find(self._here, reference).id, reason=DECLINED)

    def _refuse_agent(self) -> None:
        if self._here.agent is not None:
            raise BadInput("Only a person keeps or drops what was learned; nothing was changed.")
