"""Learns from sessions of the past: each becomes a session of the store with its real dates, and
what it taught waits as candidates.

A session is imported by itself, and then noted as read as far as it goes: whatever interrupts an
import, the next one goes on behind the last that was noted, and one that was not noted is learned
from again, which adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from loremap.clients.payloads.cleaned import name_kept
from loremap.clients.payloads.record import Place
from loremap.clients.transcripts.past import PastSession, opening
from loremap.errors import BadInput, LoremapError
from loremap.memory.brief.ours import MARKDOWN_OPEN, TEXT_OPEN, XML_OPEN
from loremap.memory.workspace import Workspace
from loremap.memory.writing import settled_project
from loremap.model.finding import KeptFinding
from loremap.model.memory import Memory
from loremap.model.outcome import Stored, Superseded
from loremap.model.session import Session
from loremap.model.turn import Speaker, Turn
from loremap.sessions.finishing import Learned, Reader, adopt, finish, looked_through, to_learn_from
from loremap.sessions.past import past_sessions, turns_of_past
from loremap.sessions.past_events import missing_events
from loremap.sessions.turns import as_lying_here
from loremap.storage import events, learning, past_reads, sessions

MAX_SESSIONS = 500
"""Sessions that one import reads; the next goes on."""
MAX_FINDINGS = 500
"""An import ends with the session by which it taught so much: somebody is to look it through."""
LATELY = timedelta(minutes=10)
"""A session that hooks tell of is left to them, unless nothing was heard of it for so long."""
_SERVED = (
    *(mark.partition('"')[0].encode() for mark in (XML_OPEN, MARKDOWN_OPEN, TEXT_OPEN)),
    b"lore-agent",
)
"""Signs of Loremap in what a client wrote down, in JSON as well."""

Tell = Callable[[str, int, int], None]


class Fate(StrEnum):
    """What an import made of a session."""

    LEARNED = "learned"
    EMPTY = "empty"
    """Nobody typed anything in it."""
    UNRECORDED = "unrecorded"
    """Loremap took part and kept no record: learning was off, or it was incognito; or its row is so
    old that it has gone."""
    GOES_ON = "goes on"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A session of the past, and what an import made of it."""

    session: PastSession
    fate: Fate
    turns: int = 0
    findings: tuple[KeptFinding, ...] = ()
    memories: tuple[Memory, ...] = ()
    """What is new in the store."""
    trouble: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """What an import has done."""

    sessions: tuple[Imported, ...]
    known: int
    """Sessions that had been read before and in which nothing happened since."""
    left: int
    """Sessions for the next import."""
    unreadable: tuple[Path, ...] = ()

    @property
    def memories(self) -> tuple[Memory, ...]:
        """What is new in the store, in the order in which it was learned."""
        return tuple(memory for one in self.sessions for memory in one.memories)


def import_past(
    here: Workspace,
    read: Reader,
    *,
    clients: Sequence[str] = (),
    since: datetime | None = None,
    dry_run: bool = False,
    tell: Tell = lambda stage, done, total: None,
) -> Import:
    """Learn from this project's sessions of the past, in the order of time; with `dry_run` nothing
    is kept."""
    if not here.engine.records:
        raise BadInput(
            "events.keep_days is 0, so no session is recorded; nothing was imported.",
            hint="lore config set events.keep_days 90",
        )
    if not dry_run:
        settled_project(here)
    found = past_sessions(here, clients=clients, since=since)
    with here.store.read() as conn:
        read_before = past_reads.marks(conn)
    new = [one for one in found.sessions if read_before.get((one.client, one.id)) != mark(one)]
    done: list[Imported] = []
    taught = 0
    for one in new[:MAX_SESSIONS]:
        if taught >= MAX_FINDINGS:
            break
        tell("Reading sessions", len(done), min(len(new), MAX_SESSIONS))
        done.append(_taken(here, read, one, dry_run=dry_run))
        taught += len(done[-1].findings)
    return Import(
        sessions=tuple(done),
        known=len(found.sessions) - len(new),
        left=len(new) - len(done),
        unreadable=found.unreadable,
    )


def mark(one: PastSession) -> str:
    """How far a session goes: another mark, and it went on."""
    return f"{one.bytes}:{int(one.last.timestamp() * 1000)}"


def _taken(here: Workspace, read: Reader, one: PastSession, *, dry_run: bool) -> Imported:
    """What became of a session. Of one in which something is broken nothing is noted, so that it is
    tried again by the next import."""
    try:
        return _imported(here, read, one, dry_run=dry_run)
    except LoremapError:
        raise  # of the store or a model: it would be the same with every session
    except Exception as fault:  # noqa: BLE001  one broken session must not keep the others out
        return Imported(session=one, fate=Fate.UNREADABLE, trouble=type(fault).__name__)


def _imported(here: Workspace, read: Reader, one: PastSession, *, dry_run: bool) -> Imported:
    with here.store.read() as conn:
        row = sessions.find(conn, one.id)
    if row is None and _was_served(one):
        return Imported(session=one, fate=Fate.UNRECORDED)
    if row is not None and row.ended_at is None and here.now() - one.last < LATELY:
        return Imported(session=one, fate=Fate.GOES_ON)
    try:
        turns = as_lying_here(here, turns_of_past(one), one.folder)
    except OSError as fault:
        said = fault.strerror or str(fault)
        return Imported(session=one, fate=Fate.UNREADABLE, trouble=said)
    if not any(turn.speaker is Speaker.PERSON for turn in turns):
        return _noted(here, Imported(session=one, fate=Fate.EMPTY), dry_run=dry_run)
    session = _session(here, one, turns, row)
    heard = to_learn_from(here, session, turns)
    if not any(turn.speaker is Speaker.PERSON for turn in heard):
        return Imported(session=one, fate=Fate.UNRECORDED)
    if row is None:
        turns = heard  # nor is it recorded
    if dry_run:
        seen = looked_through(here, session, turns, read)
    else:
        seen = _learned(here, read, session, turns)
    return _noted(here, _told(one, turns, seen), dry_run=dry_run)


def _noted(here: Workspace, done: Imported, *, dry_run: bool) -> Imported:
    """Note a session as read, once all that came of it is kept."""
    if not dry_run:
        one = done.session
        with here.store.append() as conn:
            past_reads.note(conn, one.client, one.id, mark(one), here.now())
    return done


def _learned(here: Workspace, read: Reader, session: Session, turns: Sequence[Turn]) -> Learned:
    place = Place(here.project_id, here.repository.root, Path(session.folder or here.folder))
    oldest = here.now() - timedelta(days=here.settings.whole("events.keep_days"))
    with here.store.read() as conn:
        keys, logged = events.keys_of(conn, session.id), events.times_of(conn, session.id)
    missing = missing_events(turns, session, place, keys=keys, logged=logged, since=oldest)
    with here.store.append() as conn:
        sessions.upsert(conn, session, told=None)
        events.append(conn, missing)
        seq = learning.last_event(conn, session.id)
    session = adopt(here, session, read)
    return finish(here, session, turns, read, seq=seq)


def _session(
    here: Workspace, one: PastSession, turns: Sequence[Turn], row: Session | None
) -> Session:
    """The session as the store is to know it, with the times at which it was."""
    times = [turn.at for turn in turns if turn.at is not None]
    began = min(one.began or min(times, default=one.last), here.now())
    last = min(max(times, default=one.last), here.now())
    if row is not None:
        heard = max(filter(None, (row.last_at, last)))
        return replace(row, last_at=heard, ended_at=heard)
    return Session(
        id=one.id,
        client=one.client,
        created_at=began,
        project_id=here.project_id,
        branch=one.branch and name_kept(one.branch),
        transcript=str(one.paths[-1]),
        folder=None if one.folder is None else str(one.folder),
        last_at=last,
        ended_at=last,
    )


def _told(one: PastSession, turns: Sequence[Turn], seen: Learned) -> Imported:
    return Imported(
        session=one,
        fate=Fate.LEARNED,
        turns=len(turns),
        findings=seen.findings,
        memories=tuple(
            outcome.memory for outcome in seen.outcomes if isinstance(outcome, Stored | Superseded)
        ),
    )


def _was_served(one: PastSession) -> bool:
    """Whether Loremap spoke in a session: then it was learned from at that time, or was not to
    be."""
    try:
        begins = opening(one.paths[0])
    except OSError:
        return False
    return any(sign in begins for sign in _SERVED)
