"""Learns from a session: what it taught is kept as it goes on, and becomes memories at its end.

A session may be read again whenever it goes on: the same words are the same finding, and a finding
becomes a memory once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from loremap.clients.past import subagents_of, written_records
from loremap.clients.payloads.cleaned import name_kept
from loremap.clients.transcript import parent_of
from loremap.memory.admission.fingerprint import fingerprint
from loremap.memory.brief.render import key_of
from loremap.memory.workspace import Workspace
from loremap.model.clock import short_id
from loremap.model.finding import Finding, KeptFinding
from loremap.model.outcome import Outcome
from loremap.model.session import Injection, Session, Tier, Work
from loremap.model.text import visible
from loremap.model.turn import Turn
from loremap.safety.redaction import redacted, redacted_name
from loremap.sessions.becoming import MAX_KNOWN, become_memories, learner, of_project
from loremap.sessions.episodes.keep import keep_episodes
from loremap.sessions.episodes.work import runs
from loremap.sessions.learning.earlier import Earlier
from loremap.sessions.patterns.keeping import keep_patterns
from loremap.sessions.patterns.promoting import kept_as_memories
from loremap.sessions.subagents import with_subagents
from loremap.sessions.summary import work_of
from loremap.sessions.turns import as_lying_here, as_named, turns_of, turns_of_events
from loremap.storage import events, findings, injections, learning, memories, pauses, sessions
from loremap.storage.transaction import log

MAX_EVENTS = 20_000


@dataclass(frozen=True, slots=True)
class Known:
    """What a reader has to know beside the session itself."""

    stated: tuple[Earlier, ...] = ()
    """What this project's memories say."""
    injected: tuple[str, ...] = ()
    """What the session was told by us: it is not learned again."""


Reader = Callable[[Sequence[Turn], Known], Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class Learned:
    """What a session has taught."""

    session: Session
    findings: tuple[KeptFinding, ...]
    work: Work
    outcomes: tuple[Outcome, ...] = ()

    @property
    def summary(self) -> str:
        """What it comes to, in two to five lines."""
        return self.work.summary


def session_turns(here: Workspace, session: Session) -> Sequence[Turn]:
    """What was said and done in a session and by its subagents: by its transcripts, or else by the
    log."""
    path = None if session.transcript is None else Path(session.transcript)
    own = turns_of(written_records(here.places.home, session.client, session.id, path))
    with here.store.read() as conn:
        if not own:
            return turns_of_events(events.of_session(conn, session.id, limit=MAX_EVENTS))
        logged = events.of_subagents(conn, session.id, limit=MAX_EVENTS)
    inner = subagents_of(session.client, session.id, () if path is None else (path,))
    turns = with_subagents(own, inner, logged=logged)
    return as_lying_here(here, turns, None if session.folder is None else Path(session.folder))


def adopt(here: Workspace, session: Session, read: Reader) -> Session:
    """Give a session that was forked from another what that had found by then, once, and say so of
    it; which one it was, its transcript tells."""
    if session.parent_id is not None or session.transcript is None:
        return session
    parent_id = redacted_name(parent_of(Path(session.transcript), session.client))
    if parent_id in ("", session.id):
        return session
    with here.store.read() as conn:
        parent = sessions.find(conn, parent_id)
        seq = learning.last_event(conn, parent_id)
    if parent is not None:
        checkpoint(here, parent, session_turns(here, parent), read, seq=seq)
    with here.store.append() as conn:
        sessions.note_parent(conn, session.id, parent_id)
        findings.copy(conn, parent_id, session.id)
    return replace(session, parent_id=parent_id)


def to_learn_from(here: Workspace, session: Session, turns: Sequence[Turn]) -> Sequence[Turn]:
    """The turns of a session but those of times at which nothing was to be learned. Of a turn
    without a time nobody knows: it is left out where such a time lies in the session."""
    with here.store.read() as conn:
        off = pauses.of_project(conn, session.project_id)
    if not off:
        return turns
    last = session.last_at or here.now()
    is_touched = any(one.began <= last and (one.ended or last) >= session.created_at for one in off)
    return [
        turn
        for turn in turns
        if not (is_touched if turn.at is None else any(one.holds(turn.at) for one in off))
    ]


def looked_through(
    here: Workspace, session: Session, turns: Sequence[Turn], read: Reader
) -> Learned:
    """What a session's turns teach and come to; nothing is written."""
    heard = to_learn_from(here, session, turns)
    return _seen(here, session, heard, read, _known(here, session))


def _seen(
    here: Workspace, session: Session, turns: Sequence[Turn], read: Reader, known: Known
) -> Learned:
    standing = [turn for turn in turns if not turn.taken_back]
    found = [_clean(one) for one in read(as_named(here, standing), known)]
    kept = {
        key: KeptFinding(session_id=session.id, finding=one, fingerprint=key)
        for one in found
        if (key := fingerprint(one.content))
    }
    of_session = [one.finding for one in kept.values()]
    work = work_of(turns, of_session, ran=runs(turns), named=partial(_named, here))
    return Learned(session, tuple(kept.values()), work)


def checkpoint(
    here: Workspace, session: Session, turns: Sequence[Turn], read: Reader, *, seq: int
) -> Learned:
    """Keep what a session has done and taught so far, `seq` being the last of its events."""
    keep_episodes(here, session, turns, is_over=False)
    seen = looked_through(here, session, turns, read)
    return _keep(here, seen, seq=seq)


def _keep(here: Workspace, seen: Learned, *, seq: int) -> Learned:
    session_id = seen.session.id
    with here.store.append() as conn:
        findings.put(conn, session_id, seen.findings, here.now())
        learning.note_read(conn, session_id, seq=seq, work=seen.work)
        kept = findings.of_session(conn, session_id)
    return replace(seen, findings=tuple(kept))


def finish(
    here: Workspace, session: Session, turns: Sequence[Turn], read: Reader, *, seq: int
) -> Learned:
    """Keep what a session has taught and what it shows again, and let what is new of it become
    memories."""
    keep_episodes(here, session, turns, is_over=True)
    turns = to_learn_from(here, session, turns)
    known = _known(here, session)
    seen = _keep(here, _seen(here, session, turns, read, known), seq=seq)
    _settle_of_kin(here, session)
    with here.store.read() as conn:
        own = [one for one in findings.of_session(conn, session.id) if one.is_open]
    outcomes = become_memories(here, session, own)
    standing = [turn for turn in turns if not turn.taken_back]
    keep_patterns(here, session, standing, injected=known.injected)
    outcomes += kept_as_memories(here)
    learned_at = here.now() if outcomes else None
    with here.store.write(now=here.now(), actor=learner(here)) as tx:
        taught = f"session {short_id(session.id)} {len(outcomes)}"
        log(tx, "finalize", project_id=session.project_id, detail=taught)
        learning.note_finished(tx.conn, session.id, seq=seq, learned_at=learned_at)
        kept = findings.of_session(tx.conn, session.id)
    return replace(seen, findings=tuple(kept), outcomes=tuple(outcomes))


def _settle_of_kin(here: Workspace, session: Session) -> None:
    """Settle what the session that this one was forked from, or a fork of it, has made a memory of:
    what was said before the fork was said once."""
    with here.store.append() as conn:
        for one, memory_id in findings.of_kin(conn, session.id):
            findings.settle(conn, one, memory_id=memory_id)


def _known(here: Workspace, session: Session) -> Known:
    with here.store.read() as conn:
        known = memories.listing(conn, of_project(here), limit=MAX_KNOWN)
        given = injections.since(conn, session.id, None)
        ids = sorted({one.memory_id for one in given if one.memory_id is not None})
        told = memories.by_ids(conn, ids)
        beside = learning.told_beside(
            conn,
            session.project_id,
            sessions_named=_named_in(given, Tier.SUMMARY),
            prints=_named_in(given, Tier.BRIDGE),
        )
    # What was said after a session of the past is nothing that the session could amend.
    own = [
        one
        for one in known
        if one.session_id != session.id
        and (session.ended_at is None or one.created_at <= session.ended_at)
    ]
    said = [text for one in told for text in (one.content, one.summary)]
    return Known(
        stated=tuple(Earlier(one.content, one.files) for one in reversed(own)),
        injected=tuple(filter(None, (session.always_on, *dict.fromkeys((*said, *beside))))),
    )


def _named_in(given: Sequence[Injection], tier: Tier) -> set[str]:
    """Which sessions, or findings, a session was told of: the second word of the reason."""
    keys = (key_of(one.why).split() for one in given if one.tier is tier and not one.memory_id)
    return {words[1] for words in keys if len(words) > 1 and words[0] in ("session", "finding")}


def _clean(one: Finding) -> Finding:
    """A finding without secrets, signs that steer or hide, and files of elsewhere."""
    return replace(
        one,
        content=redacted(visible(one.content)).text.strip(),
        quote=redacted(visible(one.quote)).text,
        amends=redacted(visible(one.amends)).text,
        agent=name_kept(one.agent),
        rejected=tuple(redacted(visible(text)).text for text in one.rejected),
        files=tuple(dict.fromkeys(path for path in one.files if not Path(path).is_absolute())),
    )


def _named(here: Workspace, path: str) -> str:
    """A file as the project names it; empty where it lies outside."""
    named = here.path_as_named(path)
    return "" if Path(named).is_absolute() else name_kept(named)
