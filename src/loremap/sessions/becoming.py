"""What a session taught becomes memories: candidates, through admission like everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace

from loremap.memory import gaps, remembering
from loremap.memory.admission.fingerprint import fingerprint
from loremap.memory.workspace import Workspace
from loremap.model.finding import Finding, KeptFinding
from loremap.model.kind import RULES
from loremap.model.memory import ACTIVE, BY_RULE, Actor, Candidate, Origin
from loremap.model.outcome import Outcome, Refused
from loremap.model.session import Session
from loremap.model.turn import Speaker
from loremap.sessions.learning.framed import paired, spoken
from loremap.storage import findings, memories
from loremap.storage.learning import LEARNING

MAX_KNOWN = 3_000
MIN_TITLE, MAX_TITLE = 40, 160
"""Characters of a person's words that are understood without what they answer, and short enough
for a list."""
ORIGINS: dict[Speaker, Origin] = {
    Speaker.PERSON: Origin.CONVERSATION,
    Speaker.AGENT: Origin.EXTRACTED,
    Speaker.TOOL: Origin.OBSERVED,
}
"""How what each speaker taught came to be known."""
WRITER = f"{BY_RULE}session"


def become_memories(here: Workspace, session: Session, own: Sequence[KeptFinding]) -> list[Outcome]:
    """The findings as candidates; a question that one of them answers is open no more."""
    most = here.settings.whole("limits.per_session")
    first = worthiest(own, most)
    known = _said_before(here) if first else {}
    outcomes = [_remembered(here, session, one, known) for one in first]
    outcomes += _too_many(here, [one for one in own if one not in first], most)
    gaps.close_answered(here, {one.memory.id for one in outcomes if not isinstance(one, Refused)})
    return outcomes


def worthiest(of: Sequence[KeptFinding], most: int) -> list[KeptFinding]:
    """As many findings as a session may teach, in the order in which they were said: those that
    matter most and are surest."""
    worth = sorted(of, key=_worth, reverse=True)
    taken = {one.fingerprint for one in worth[:most]}
    return [one for one in of if one.fingerprint in taken]


def _worth(one: KeptFinding) -> tuple[float, bool, float]:
    its = one.finding
    importance = RULES[its.kind].importance if its.importance is None else its.importance
    return importance, its.said_by is Speaker.PERSON, its.confidence or 0.0


def _too_many(here: Workspace, others: Sequence[KeptFinding], most: int) -> list[Outcome]:
    refused = Refused(f"A session teaches at most {most} things; others of it mattered more.")
    with here.store.append() as conn:
        findings.settle_refused(conn, others, refused.reason)
    return [refused] * len(others)


def learner(here: Workspace) -> Actor:
    """Who writes what a session taught."""
    return Actor(here.actor.tenant_id, here.actor.owner_id, LEARNING)


def speaking_for(here: Workspace, session_id: str, client: str) -> Workspace:
    """The memory as one speaks to it who lets what a session taught become memories."""
    speaker = copy(here)
    speaker.session_id, speaker.agent = session_id, client
    speaker.actor = learner(here)
    return speaker


def of_project(here: Workspace) -> memories.Filter:
    """The memories of this project that speak."""
    return memories.Filter(project_id=here.project_id, statuses=ACTIVE)


def _said_before(here: Workspace) -> dict[str, str]:
    """By what a person said in a session: how the memory has it, with what it answered then."""
    with here.store.read() as conn:
        known = memories.listing(conn, of_project(here), limit=MAX_KNOWN)
    own = (one for one in known if one.created_by == WRITER and one.origin is Origin.CONVERSATION)
    return {fingerprint(spoken(one.content)): one.content for one in own}


def _remembered(
    here: Workspace, session: Session, one: KeptFinding, known: Mapping[str, str]
) -> Outcome:
    """The memory that a finding becomes, as a candidate; a person's word is not put into their
    mouth by a rule."""
    speaker = speaking_for(here, session.id, session.client)
    outcome = remembering.admit(speaker, _candidate(here, session, one.finding, known))
    with here.store.append() as conn:
        if isinstance(outcome, Refused):
            findings.settle(conn, one, refused=outcome.reason)
        else:
            findings.settle(conn, one, memory_id=outcome.memory.id)
    return outcome


def _candidate(
    here: Workspace, session: Session, one: Finding, known: Mapping[str, str]
) -> Candidate:
    on_branch = session.branch is not None and session.branch == here.repository.branch
    is_typed = one.said_by is Speaker.PERSON
    again = known.get(fingerprint(one.quote)) if is_typed and not one.amends else None
    return Candidate(
        content=again or one.content,
        kind=one.kind,
        summary=one.quote if is_typed and MIN_TITLE <= len(one.quote) <= MAX_TITLE else None,
        origin=ORIGINS[one.said_by],
        created_by=WRITER,
        importance=one.importance,
        confidence=one.confidence,
        session_id=session.id,
        message_start=one.first,
        message_end=one.last,
        agent=session.client,
        role=one.agent or None,
        branch=session.branch,
        commit_id=here.branches.commit_now() if on_branch else None,
        snippet=paired(one.quote, one.rejected),
        confidence_reason=one.because,
        files=one.files,
        tags=one.tags,
        created_at=min(one.at or session.last_at or session.created_at, here.now()),
        replaces=_amended(here, one),
    )


def _amended(here: Workspace, one: Finding) -> str | None:
    """The memory that holds the words which a finding amends."""
    if not one.amends or here.project_id is None:
        return None
    wanted = replace(of_project(here), fingerprint=fingerprint(one.amends))
    with here.store.read() as conn:
        known = memories.listing(conn, wanted, limit=1)
    return known[0].id if known else None
