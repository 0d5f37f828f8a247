"""The half of admission that needs no database: limits, redaction, taint, summary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from loremap.memory.admission.fingerprint import fingerprint
from loremap.memory.admission.limits import Limits, refusal_for
from loremap.memory.admission.quarantine import watched
from loremap.memory.admission.summary import summary_of
from loremap.memory.admission.worth import unworthy
from loremap.model.clock import new_id
from loremap.model.kind import RULES
from loremap.model.memory import (
    FROM_USER,
    TAINTED,
    Actor,
    Candidate,
    Memory,
    Origin,
    Procedure,
    Provenance,
    Scope,
    Status,
    Visibility,
    trust_in,
)
from loremap.model.outcome import Refused
from loremap.model.text import visible
from loremap.safety import patterns
from loremap.safety.echoes import NO_SECRETS, Secrets
from loremap.safety.redaction import redacted

CONFIDENCE: dict[Origin, tuple[float, str]] = {
    Origin.USER_EDIT: (0.95, "edited by the user"),
    Origin.USER_STATED: (0.9, "stated by the user"),
    Origin.USER_CORRECTED: (0.95, "the user corrected the agent"),
    Origin.FILE: (0.8, "written in the repository"),
    Origin.SYSTEM: (0.7, "recorded by the system"),
    Origin.OBSERVED: (0.7, "observed in a session"),
    Origin.CONVERSATION: (0.6, "said in a conversation"),
    Origin.EXTRACTED: (0.6, "extracted from a session"),
    Origin.INFERRED: (0.5, "inferred, not confirmed"),
    Origin.WEB: (0.4, "read on a web page"),
    Origin.TOOL_OUTPUT: (0.4, "read in a tool's output"),
}
"""How sure a memory starts, and why, when the caller says nothing."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A memory ready to be placed, and what its author is told."""

    memory: Memory
    chain: Provenance
    warnings: tuple[str, ...]
    redacted_types: tuple[str, ...]
    replaces: str | None = None
    """The id of the memory that the writer says this one replaces."""
    symbols: tuple[str, ...] = ()
    """What of the code the writer says it is about."""


def prepared(
    candidate: Candidate, *, project_id: str | None, limits: Limits, actor: Actor, now: datetime
) -> Prepared | Refused:
    """`candidate` as a memory, or why it cannot be one."""
    reason = refusal_for(candidate, limits) or unworthy(
        candidate, in_project=project_id is not None
    )
    if reason is not None:
        return Refused(reason)
    clean, found = cleaned(candidate)
    if redacted(clean.content).nothing_left:
        return Refused(
            "That is nothing but a secret, and secrets are never stored. "
            "Remember where it is kept instead, such as the name of the variable or vault."
        )
    for trigger in clean.triggers:
        why = patterns.refusal_for(trigger)
        if why is not None:
            return Refused(why)
    kinds = ", ".join(sorted(set(found)))
    warnings = (f"Left out before storing: {kinds}.",) if found else ()
    memory = watched(_memory(clean, project_id=project_id, actor=actor, now=now))
    return Prepared(
        memory,
        _provenance(clean, now),
        warnings,
        tuple(sorted(set(found))),
        clean.replaces,
        clean.symbols,
    )


def cleaned(candidate: Candidate) -> tuple[Candidate, tuple[str, ...]]:
    """`candidate` with every secret taken out of all its texts, and the types found.

    What one text gives away, the others may say without its label.
    """
    first = _Cleaning(NO_SECRETS)
    once = _cleaned(candidate, first)
    if not first.secrets:
        return once, tuple(first.found)
    again = _Cleaning(first.secrets)
    return _cleaned(candidate, again), tuple(again.found)


class _Cleaning:
    """Takes secrets out of the texts of one candidate, and notes what it took."""

    def __init__(self, known: Secrets) -> None:
        self.known = known
        self.secrets = known
        self.found: list[str] = []

    def __call__(self, text: str) -> str:
        if not text:
            return text
        result = redacted(text, self.known)
        self.found.extend(finding.type for finding in result.findings)
        self.secrets = self.secrets | result.secrets if result.secrets else self.secrets
        return result.text


def _cleaned(candidate: Candidate, clean: _Cleaning) -> Candidate:
    """`candidate` with all its texts cleaned."""

    def cleaned_all(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(clean(text) for text in texts)

    steps = candidate.procedure
    procedure = None if steps is None else Procedure(
        clean(steps.name), clean(steps.trigger), cleaned_all(steps.steps),
        cleaned_all(steps.prerequisites), cleaned_all(steps.warnings),
    )  # fmt: skip
    return replace(
        candidate,
        content=clean(candidate.content),
        summary=None if candidate.summary is None else clean(candidate.summary),
        snippet=clean(candidate.snippet),
        session_id=None if candidate.session_id is None else clean(candidate.session_id),
        agent=None if candidate.agent is None else clean(candidate.agent),
        role=None if candidate.role is None else clean(candidate.role),
        source_file=None if candidate.source_file is None else clean(candidate.source_file),
        confidence_reason=clean(candidate.confidence_reason),
        seasonal=None if candidate.seasonal is None else clean(candidate.seasonal),
        tags=tuple(dict.fromkeys(filter(None, map(_tag, cleaned_all(candidate.tags))))),
        files=tuple(dict.fromkeys(cleaned_all(candidate.files))),
        symbols=tuple(dict.fromkeys(cleaned_all(candidate.symbols))),
        triggers=tuple(
            replace(trigger, pattern=clean(trigger.pattern)) for trigger in candidate.triggers
        ),
        procedure=procedure,
    )


def _tag(text: str) -> str:
    """A tag on one line, without signs that nobody sees."""
    return " ".join(visible(text).split()).lstrip("#")


def _memory(candidate: Candidate, *, project_id: str | None, actor: Actor, now: datetime) -> Memory:
    from_user = candidate.origin in FROM_USER
    tainted = candidate.origin in TAINTED and not candidate.confirmed
    scope = candidate.scope if project_id is not None else _without_project(candidate.scope)
    session_bound = candidate.session_id if scope is Scope.SESSION else None
    confidence = CONFIDENCE[candidate.origin][0]
    at = candidate.created_at or now
    return Memory(
        id=new_id(),
        kind=candidate.kind,
        content=candidate.content.strip(),
        summary=(candidate.summary or summary_of(candidate.content)).strip(),
        status=Status.CONFIRMED if from_user or candidate.confirmed else Status.CANDIDATE,
        scope=scope,
        project_id=None if scope is Scope.GLOBAL else project_id,
        created_at=at,
        updated_at=now,
        last_accessed_at=at,
        origin=candidate.origin,
        fingerprint=fingerprint(candidate.content, session_id=session_bound),
        tenant_id=actor.tenant_id,
        owner_id=actor.owner_id,
        created_by=candidate.created_by,
        visibility=candidate.visibility
        or (Visibility.PRIVATE if from_user else Visibility.PROJECT),
        confidence=confidence if candidate.confidence is None else candidate.confidence,
        importance=RULES[candidate.kind].importance
        if candidate.importance is None
        else candidate.importance,
        trust=trust_in(candidate.origin, confirmed=candidate.confirmed),
        pinned=candidate.pinned,
        tainted=tainted,
        session_id=candidate.session_id,
        message_start=candidate.message_start,
        message_end=candidate.message_end,
        agent=candidate.role or candidate.agent,
        branch=candidate.branch,
        commit_id=candidate.commit_id,
        source_file=candidate.source_file,
        seasonal=candidate.seasonal,
        files=candidate.files,
        tags=candidate.tags,
        triggers=candidate.triggers,
        procedure=candidate.procedure,
    )


def _without_project(scope: Scope) -> Scope:
    """Where there is no project, what was meant for one holds everywhere."""
    return Scope.GLOBAL if scope is Scope.PROJECT else scope


def _provenance(candidate: Candidate, now: datetime) -> Provenance:
    return Provenance(
        source=candidate.origin,
        at=candidate.created_at or now,
        session_id=candidate.session_id,
        snippet=candidate.snippet,
        confidence_reason=candidate.confidence_reason or CONFIDENCE[candidate.origin][1],
        file=candidate.source_file,
        line=candidate.source_line,
        actor=candidate.created_by,
        agent=candidate.agent,
        branch=candidate.branch,
        commit_id=candidate.commit_id,
    )
