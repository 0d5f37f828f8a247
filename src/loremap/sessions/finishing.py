"""Learns from a session: what it taught is kept as it goes on, and becomes memories at its end.

A session may be read again whenever it goes on: the same words are the same finding, and a finding
becomes a memory once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from loremap.clients.transcript import records
from loremap.memory import remembering
from loremap.memory.admission.fingerprint import fingerprint
from loremap.memory.workspace import Workspace
from loremap.model.finding import Finding, KeptFinding
from loremap.model.memory import ACTIVE, Candidate, Origin
from loremap.model.outcome import Outcome, Refused
from loremap.model.session import Session
from loremap.model.turn import Speaker, Turn
from loremap.safety.redaction import redacted
from loremap.sessions.episodes.keep import keep_episodes
from loremap.sessions.patterns.keeping import keep_patterns
from loremap.sessions.patterns.promoting import kept_as_memories
from loremap.sessions.speaking import WRITER, speaking_for
from loremap.sessions.summary import summary_of
from loremap.sessions.turns import as_named, turns_of, turns_of_events
from loremap.storage import events, findings, injections, learning, memories

MAX_EVENTS = 20_000
MAX_KNOWN = 3_000
ORIGINS: dict[Speaker, Origin] = {
    Speaker.PERSON: Origin.CONVERSATION,
    Speaker.AGENT: Origin.EXTRACTED,
    Speaker.TOOL: Origin.OBSERVED,
}
"""How what each speaker taught came to be known."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a reader has to know beside the session itself."""

    stated: tuple[str, ...] = ()
    """What this project's memories say."""
    injected: tuple[str, ...] = ()
    """What the session was told by us: it is not learned again."""


Reader = Callable[[Sequence[Turn], Known], Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class Learned:
    """What a session has taught."""

    session: Session
    findings: tuple[KeptFinding, ...]
    summary: str
    outcomes: tuple[Outcome, ...] = ()


def session_turns(here: Workspace, session: Session) -> list[Turn]:
    """What was said and done in a session: by its transcript, or else by the log."""
    if session.transcript is not None:
        turns = turns_of(records(Path(session.transcript), session.client))
        if turns:
            return turns
    with here.store.read() as conn:
        return turns_of_events(events.of_session(conn, session.id, limit=MAX_EVENTS))


def looked_through(
    here: Workspace, session: Session, turns: Sequence[Turn], read: Reader
) -> Learned:
    """What a session's turns teach and come to; nothing is written."""
    turns = as_named(here, turns)
    found = [_clean(one) for one in read(turns, _known(here, session))]
    kept = {
        key: KeptFinding(session_id=session.id, finding=one, fingerprint=key)
        for one in found
        if (key := fingerprint(one.content))
    }
    of_session = [one.finding for one in kept.values()]
    summary = redacted(summary_of(turns, of_session)).text
    return Learned(session, tuple(kept.values()), summary)


def checkpoint(
    here: Workspace,
    session: Session,
    turns: Sequence[Turn],
    read: Reader,
    *,
    seq: int,
    is_over: bool = False,
) -> Learned:
    """Keep what a session has done and taught so far, `seq` being the last of its events."""
    seen = looked_through(here, session, turns, read)
    seq = max(seq, keep_episodes(here, session, turns, is_over=is_over))
    with here.store.append() as conn:
        findings.put(conn, session.id, seen.findings, here.now())
        learning.note_read(conn, session.id, seq=seq, summary=seen.summary, learned_at=None)
        kept = findings.of_session(conn, session.id)
    return replace(seen, findings=tuple(kept))


def finish(
    here: Workspace, session: Session, turns: Sequence[Turn], read: Reader, *, seq: int
) -> Learned:
    """Keep what a session has taught and what it shows again, and let what is new of it become
    memories."""
    seen = checkpoint(here, session, turns, read, seq=seq, is_over=True)
    outcomes = [_remembered(here, session, one) for one in seen.findings if one.is_open]
    keep_patterns(here, session, turns, injected=_known(here, session).injected)
    outcomes += kept_as_memories(here)
    with here.store.append() as conn:
        learned_at = here.now() if outcomes else None
        learning.note_read(conn, session.id, seq=seq, summary=seen.summary, learned_at=learned_at)
        kept = findings.of_session(conn, session.id)
    return replace(seen, findings=tuple(kept), outcomes=tuple(outcomes))


def _remembered(here: Workspace, session: Session, one: KeptFinding) -> Outcome:
    """The memory that a finding becomes, as a candidate."""
    speaker = speaking_for(here, session.id, session.client)
    outcome = remembering.admit(speaker, _candidate(here, session, one.finding))
    with here.store.append() as conn:
        if isinstance(outcome, Refused):
            findings.settle(conn, one, refused=outcome.reason)
        else:
            findings.settle(conn, one, memory_id=outcome.memory.id)
    return outcome


def _candidate(here: Workspace, session: Session, one: Finding) -> Candidate:
    on_branch = session.branch is not None and session.branch == here.repository.branch
    return Candidate(
        content=one.content,
        kind=one.kind,
        origin=ORIGINS[one.said_by],
        created_by=WRITER,
        importance=one.importance,
        confidence=one.confidence,
        session_id=session.id,
        message_start=one.first,
        message_end=one.last,
        agent=session.client,
        branch=session.branch,
        commit_id=here.branches.commit_now() if on_branch else None,
        snippet=one.quote,
        confidence_reason=one.because,
        files=one.files,
        tags=one.tags,
        created_at=one.at or session.last_at or session.created_at,
        replaces=_amended(here, one),
    )


def _amended(here: Workspace, one: Finding) -> str | None:
    """The memory that holds the words which a finding amends."""
    if not one.amends or here.project_id is None:
        return None
    wanted = fingerprint(one.amends)
    with here.store.read() as conn:
        known = memories.listing(conn, _active(here), limit=MAX_KNOWN)
    return next((each.id for each in known if each.fingerprint == wanted), None)


def _active(here: Workspace) -> memories.Filter:
    return memories.Filter(project_id=here.project_id, statuses=ACTIVE)


def _known(here: Workspace, session: Session) -> Known:
    with here.store.read() as conn:
        known = memories.listing(conn, _active(here), limit=MAX_KNOWN)
        given = injections.since(conn, session.id, None)
        ids = sorted({one.memory_id for one in given if one.memory_id is not None})
        told = memories.by_ids(conn, ids)
    own = [one for one in known if one.session_id != session.id]
    said = [text for one in told for text in (one.content, one.summary)]
    return Known(
        stated=tuple(one.content for one in reversed(own)),
        injected=tuple(filter(None, (session.always_on, *dict.fromkeys(said)))),
    )


def _clean(one: Finding) -> Finding:
    """A finding without secrets and without files of elsewhere."""
    return replace(
        one,
        content=redacted(one.content).text.strip(),
        quote=redacted(one.quote).text,
        amends=redacted(one.amends).text,
        rejected=tuple(redacted(text).text for text in one.rejected),
        files=tuple(dict.fromkeys(path for path in one.files if not Path(path).is_absolute())),
    )
