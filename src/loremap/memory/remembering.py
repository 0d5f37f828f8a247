"""Remembers: a candidate goes over the desk of the lifecycle into this folder's project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loremap.errors import BadInput, NotFound
from loremap.memory.admission import admit as lifecycle
from loremap.memory.admission.admit import Desk
from loremap.memory.admission.limits import Limits
from loremap.memory.graph.clustering import join_nearest
from loremap.memory.looking import find
from loremap.memory.workspace import Workspace
from loremap.memory.writing import after_write, settled_project
from loremap.model.clock import short_id
from loremap.model.memory import Candidate, Scope, Status
from loremap.model.outcome import Outcome, Stored, Superseded
from loremap.storage import tombstones


def admit(here: Workspace, candidate: Candidate) -> Outcome:
    """Remember one candidate."""
    if candidate.scope is Scope.SESSION and candidate.session_id is None:
        raise BadInput(
            "A session's memory needs a session.",
            hint="Give --session ID, or set LOREMAP_SESSION.",
        )
    if candidate.replaces is not None:
        candidate = replace(candidate, replaces=_replaceable(here, candidate.replaces))
    project_id = _project_for(here, candidate.scope)
    outcome = lifecycle.admit(desk(here), candidate, project_id=project_id, now=here.now())
    after_write(here)
    join_nearest(here, _stored([outcome]))
    return outcome


def _replaceable(here: Workspace, reference: str) -> str:
    """The id of the memory that is to be replaced, or that was withdrawn and is to be corrected,
    erased since or not; raises where another has its place already."""
    try:
        memory = find(here, reference)
    except NotFound:
        with here.store.read() as conn:
            erased = tombstones.memory_under(conn, here.actor.owner_id, reference)
        if erased is None:
            raise
        return erased
    if not memory.active and memory.status is not Status.RETRACTED:
        raise BadInput(
            f"Memory {short_id(memory.id)} no longer speaks, so it cannot be replaced; nothing was "
            "stored.",
            hint=f"See what became of it: lore show {short_id(memory.id)}.",
        )
    return memory.id


def admit_all(
    here: Workspace, candidates: Sequence[Candidate], *, limits: Limits | None = None
) -> Sequence[Outcome]:
    """Remember many candidates in one transaction."""
    project_id = _project_for(here, Scope.PROJECT)
    outcomes = lifecycle.admit_all(
        desk(here, limits), candidates, project_id=project_id, now=here.now()
    )
    join_nearest(here, _stored(outcomes))
    return outcomes


def _stored(outcomes: Sequence[Outcome]) -> list[str]:
    """The ids of what is new."""
    return [one.memory.id for one in outcomes if isinstance(one, Stored | Superseded)]


def desk(here: Workspace, limits: Limits | None = None) -> Desk:
    """What the lifecycle works with: the store, the model, the limits, who asks, the code."""
    embedder = here.embedder()
    return Desk(
        here.store,
        here.engine.warm_for(embedder),
        embedder,
        limits or _limits(here),
        here.actor,
        here.checkout.look(),
    )


def _limits(here: Workspace) -> Limits:
    return Limits(
        content_bytes=here.settings.whole("limits.content_bytes"),
        per_session=here.settings.whole("limits.per_session"),
    )


def _project_for(here: Workspace, scope: Scope) -> str | None:
    if scope is Scope.GLOBAL:
        return here.project_id
    project = settled_project(here)
    return None if project is None else project.id
