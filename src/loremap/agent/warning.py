"""What warns of a step that is about to be taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from loremap.agent.events import Tasked
from loremap.agent.retriever import as_question, seen_by
from loremap.agent.sessions import Sessions
from loremap.agent.state import State
from loremap.agent.usage import CHANGES
from loremap.clients.own_reading import OwnReading
from loremap.clients.registry import client_named
from loremap.memory import recalling
from loremap.memory.bridge import before_edit
from loremap.memory.brief.render import Piece
from loremap.memory.brief.said import Fired, remarks_of
from loremap.memory.workspace import Workspace
from loremap.memory.workspaces import Workspaces
from loremap.model.hook import HookEvent
from loremap.sessions.patterns import telling
from loremap.storage import injections, relations
from loremap.storage.store import Store

MAX_ALERTS = 10
MAX_TEXT = 100_000
"""Letters of a text about to be written that triggers look at."""
Failed = Callable[[BaseException], None]
"""Told what went wrong where only something beside a warning was to be said."""


def fired(
    workspaces: Workspaces[Workspace], sessions: Sessions, event: HookEvent, failed: Failed
) -> Fired:
    """The warnings that fire on a tool's call, without what the client loads by itself, and what
    past sessions have to say of it; the task of a subagent it starts is noted."""
    tool = event.tool
    assert tool is not None
    with seen_by(workspaces, event) as lore:
        state = sessions.known(event, lore)
        if tool.task:
            kind = str(tool.input.get("subagent_type", ""))
            sessions.apply(event, Tasked(kind, as_question(tool.task)))
        found = recalling.alerts(
            lore,
            command=tool.command,
            files=[use.path for use in tool.files],
            text=None if tool.text is None else tool.text[:MAX_TEXT],
            limit=MAX_ALERTS,
        )
        reading = OwnReading(client_named(event.client), lore.repository)
        found = [alert for alert in found if not reading.has(alert.memory)]
        with lore.store.read() as conn:
            ids = [alert.memory.id for alert in found]
            torn = relations.open_conflicts(conn, ids, spoken=True) if ids else []
            tell = partial(telling.of_call, lore, conn, tool, state.session.id)
            noticed = _told(tell, failed)
        changed = {lore.path_as_named(use.path) for use in tool.files if use.operation in CHANGES}
        others = _told(partial(before_edit, lore, changed), failed)
    said = Fired(tuple(found), remarks_of(found, torn), (*others, *noticed))
    return _wanted(workspaces.engine.store, state, said)


def met_before(
    workspaces: Workspaces[Workspace], sessions: Sessions, event: HookEvent, failed: Failed
) -> Fired:
    """What past sessions have to say of a command that failed."""
    assert event.tool is not None
    with seen_by(workspaces, event) as lore, lore.store.read() as conn:
        noticed = _told(partial(telling.of_failure, lore, conn, event.tool), failed)
        state = sessions.known(event, lore) if noticed else None
    if state is None:
        return Fired(())
    return _wanted(workspaces.engine.store, state, Fired((), others=tuple(noticed)))


def _told(tell: Callable[[], Sequence[Piece]], failed: Failed) -> Sequence[Piece]:
    """What is to be said beside the warnings; a fault of it is noted, and costs none of them."""
    try:
        return tell()
    except Exception as fault:  # noqa: BLE001  a warning must be heard, whatever is told beside it
        failed(fault)
        return ()


def _wanted(store: Store, state: State, fired: Fired) -> Fired:
    """What fires, without what a person did not want in this session."""
    about = any(one.memory_id for one in fired.others)
    unwanted = rejected(store, state) if fired.alerts or about else frozenset()
    return replace(
        fired,
        alerts=tuple(one for one in fired.alerts if one.memory.id not in unwanted),
        others=tuple(one for one in fired.others if one.memory_id not in unwanted),
    )


def rejected(store: Store, state: State) -> frozenset[str]:
    """The memories that a person did not want in this session."""
    with store.read() as conn:
        return frozenset(injections.rejected_in(conn, state.session.id))
