"""The figures of sessions, projects and the whole store, gathered and counted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from loremap.agent.metrics import discovery
from loremap.agent.metrics import rules as rules
from loremap.agent.metrics.discovery import Cost, CostSource, Named, Step
from loremap.agent.metrics.rules import (
    LATENCIES,
    Measure,
    ProjectFigures,
    SessionFigures,
    Spread,
    SystemFigures,
)
from loremap.clients.payloads.tools import operation_of
from loremap.errors import BadInput, NotFound
from loremap.model import shell_steps
from loremap.model.event import Event
from loremap.model.hook import Moment, Operation
from loremap.model.memory import Memory
from loremap.model.module import Module
from loremap.model.session import Injection, Session, Tier
from loremap.model.tokens import tokens
from loremap.storage import events, injections, memories, metrics, modules, projects, sessions
from loremap.storage.store import Connection

BASELINE_SESSIONS = 10
"""Sessions without memory from which the cost of finding a file is taken."""
MAX_EVENTS = 2_000
MODULE_FILES = 12
"""Of a module no more files are told than these."""
MEMORY_FILES = 3
PROMPT_KEPT = 2_000
"""A longer prompt may have been cut before it was kept."""
CUT = "\n…\n"
"""Stands in a result of which the middle was left out."""


def session_figures(
    conn: Connection, session_id: str, *, cost: Cost | None = None
) -> SessionFigures | None:
    """The figures of a session; None if there is none of that id. What finding a file costs is
    only looked for where it matters, as a client may be waiting at the session's end."""
    session = sessions.find(conn, session_id)
    if session is None:
        return None
    steps = steps_of(conn, session_id)
    given = injections.since(conn, session_id, None)
    found = () if session.held_out else discovery.files_found(steps, named_in(conn, session, given))
    return SessionFigures(
        session_id=session.id,
        client=session.client,
        project_id=session.project_id,
        started_at=session.created_at,
        held_out=session.held_out,
        saved_files=found,
        cost=cost or (cost_in(conn, session.project_id) if found else Cost()),
        injected_tokens=sum(one.tokens for one in given),
        memories_injected=rules.memories_given(given),
        warnings=rules.warnings_given(given),
        searches=rules.asked_times(
            given, metrics.count(conn, Measure.ASKED, session_id=session_id)
        ),
        hits=rules.hits_of(given),
        rejected=rules.rejected_of(given),
        discovery_tokens=discovery.discovery_tokens(steps),
        explored=discovery.explored(steps),
    )


def session_starting(conn: Connection, start: str) -> SessionFigures:
    """The figures of the session whose id is, or starts with, `start`."""
    found = metrics.session_ids(conn, start)
    id_ = start if start in found else (found[0] if len(found) == 1 else "")
    session = sessions.find(conn, id_)
    if session is not None:
        (figures,) = _all(conn, [session])
        return figures
    if found:
        raise BadInput(f"{len(found)} sessions start with {start!r}.", hint="Give more of the id.")
    raise NotFound(f"There is no session {start!r}.", hint="`lore metrics` lists the last ones.")


def project_figures(conn: Connection, project_id: str, *, since: datetime) -> ProjectFigures:
    """The figures of a project and its sessions since then."""
    found = modules.read_map(conn, project_id).modules
    confidences = metrics.confidences(conn, project_id)
    told = _all(conn, metrics.sessions_since(conn, since=since, project_id=project_id))
    return ProjectFigures(
        name=projects.get(conn, project_id).name,
        modules=len(found),
        mapped=rules.mapped_of(found),
        total_memories=len(confidences),
        avg_confidence=rules.mean(confidences),
        comparison=rules.compared(told),
        sessions=told,
    )


def system_figures(conn: Connection, *, since: datetime) -> SystemFigures:
    """The figures of the whole store since then."""
    return SystemFigures(
        latencies=latencies(conn, since=since),
        total_memories=len(metrics.confidences(conn, None)),
        projects=metrics.project_count(conn),
        sessions=_all(conn, metrics.sessions_since(conn, since=since)),
    )


def latencies(conn: Connection, *, since: datetime) -> dict[Measure, Spread]:
    """How long things took since then, by what was measured."""
    spreads = {name: rules.spread(metrics.values(conn, name, since=since)) for name in LATENCIES}
    return {name: spread for name, spread in spreads.items() if spread is not None}


def cost_in(conn: Connection, project_id: str | None) -> Cost:
    """What finding a file costs in a project, by the sessions that had to do without memory."""
    hold_out = metrics.held_out(conn, project_id, limit=BASELINE_SESSIONS)
    known = discovery.cost_from(_explored(conn, hold_out), ())
    if known.source is not CostSource.DEFAULT:
        return known
    without = metrics.given_nothing(conn, limit=BASELINE_SESSIONS)
    return discovery.cost_from((), _explored(conn, without))


def _explored(conn: Connection, ids: Iterable[str]) -> list[list[Step]]:
    """The steps of sessions in which anything was looked for."""
    return [steps for id_ in ids if discovery.explored(steps := steps_of(conn, id_))]


def _all(conn: Connection, found: Sequence[Session]) -> tuple[SessionFigures, ...]:
    """The figures of sessions; what finding costs is counted once per project."""
    costs: dict[str | None, Cost] = {}
    figures = []
    for session in found:
        if session.project_id not in costs:
            costs[session.project_id] = cost_in(conn, session.project_id)
        one = session_figures(conn, session.id, cost=costs[session.project_id])
        figures += [] if one is None else [one]
    return tuple(figures)


def steps_of(conn: Connection, session_id: str) -> list[Step]:
    """What a session did, oldest first, as far as finding files goes."""
    found = events.of_session(conn, session_id, limit=MAX_EVENTS)
    return [step for event in found if (step := step_of(event)) is not None]


def step_of(event: Event) -> Step | None:
    """An event as a step; None where it says nothing about finding files."""
    if event.moment is Moment.PROMPT:
        return Step(at=event.at, told=event.text, whole=len(event.text) < PROMPT_KEPT)
    if event.moment is not Moment.AFTER_TOOL or not event.tool:
        return None
    spent = event.result_tokens
    step = Step(at=event.at, tokens=tokens(event.result) if spent is None else spent)
    does = operation_of(event.tool)
    if does is Operation.RUN:
        return _of_command(step, event)
    if does is Operation.SEARCH:
        return _searching(step, event)
    opened = tuple(use.path for use in event.files if use.operation is not Operation.SEARCH)
    edited = any(use.operation in (Operation.EDIT, Operation.WRITE) for use in event.files)
    return replace(step, opened=opened, edited=edited) if opened else None


def _of_command(step: Step, event: Event) -> Step | None:
    line = command_of(event)
    if shell_steps.searches(line):
        return _searching(step, event)
    read = shell_steps.reads(line)
    return replace(step, opened=read) if read else None


def _searching(step: Step, event: Event) -> Step:
    """A search; one of which nothing was kept may have found anything."""
    whole = bool(event.result) and CUT not in event.result
    return replace(step, searched=True, told=event.result, whole=whole)


def command_of(event: Event) -> str:
    """The command line an event ran, as far as it was kept."""
    try:
        given = json.loads(event.parameters)
    except ValueError:
        return ""
    line = next((given[name] for name in ("command", "cmd", "script") if name in given), "")
    if isinstance(line, list):
        words = [str(word) for word in line]
        return words[2] if len(words) == 3 and words[1] in ("-lc", "-c") else " ".join(words)
    return line if isinstance(line, str) else ""


def named_in(conn: Connection, session: Session, given: Sequence[Injection]) -> list[Named]:
    """Which files the injections of a session named, and when."""
    ids = list(dict.fromkeys(one.memory_id for one in given if one.memory_id))
    known = {memory.id: memory for memory in memories.by_ids(conn, ids)}
    found = _modules(conn, session.project_id)
    return [Named(one.at, _files(one, session, known, found)) for one in given]


def _modules(conn: Connection, project_id: str | None) -> dict[str, Module]:
    if project_id is None:
        return {}
    return {module.name: module for module in modules.read_map(conn, project_id).modules}


def _files(
    one: Injection, session: Session, known: dict[str, Memory], found: dict[str, Module]
) -> frozenset[str]:
    """The files one injection named: what its line shows, and no more."""
    if one.tier in (Tier.TOOL, Tier.SUMMARY):
        return frozenset()  # the file is at hand already, or where another session was
    if one.memory_id is not None:
        memory = known.get(one.memory_id)
        shown = 1 if one.tier is Tier.ASKED else MEMORY_FILES
        return frozenset() if memory is None else frozenset(memory.files[:shown])
    if one.tier is Tier.ALWAYS:
        core = (path for module in found.values() for path in module.core_files)
        return frozenset(path for path in core if _stands_in(path, session.always_on))
    module = found.get(one.why.removeprefix("module "))
    return frozenset() if module is None else frozenset(module.core_files[:MODULE_FILES])


def _stands_in(path: str, text: str) -> bool:
    return re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w/-])", text) is not None
