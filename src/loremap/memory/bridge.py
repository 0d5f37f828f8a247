"""The bridge: what other agents find that are at work in this project now, and which files they
change. It is read off what is on disk, so that it holds for any number of processes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from loremap.clients.registry import client_named
from loremap.memory.anchoring import told_here
from loremap.memory.brief.render import Piece
from loremap.memory.brief.said import (
    LONGEST,
    UNVERIFIED,
    branch_mark,
    indented,
    memory_piece,
    name_said,
)
from loremap.memory.recall.context import visible
from loremap.memory.standing import seen_here
from loremap.model.clock import short_id, to_ms
from loremap.model.finding import KeptFinding
from loremap.model.hostile import speaks_to_a_model
from loremap.model.memory import Memory
from loremap.model.recall import Hit
from loremap.model.session import Session, Tier
from loremap.model.text import cut
from loremap.storage import at_work, memories
from loremap.storage.at_work import SEES, Used
from loremap.storage.store import Connection

if TYPE_CHECKING:
    from loremap.memory.workspace import Workspace

AT_WORK = timedelta(minutes=10)
"""Who was not heard of for so long is taken for gone, and what it changed before for settled."""
MAX_NOTED = 6
MAX_HELD = 6
"""Findings and files of others that one prompt is told, the last first."""


def bridge(here: Workspace, told: Collection[str]) -> tuple[Piece, ...]:
    """What others at work here found and change that was not `told`, by its keys."""
    since = here.now() - AT_WORK
    with here.store.read() as conn:
        sessions = _others(here, conn, since)
        if not sessions:
            return ()
        found = at_work.found(conn, list(sessions))
        files = at_work.used(conn, list(sessions), since=since)
    noted = chain(
        (_noted(one, sessions) for one in _remembered(here, list(sessions))),
        (
            _found(one, sessions[one.session_id])
            for one in found
            if not speaks_to_a_model(one.finding.content)
        ),
    )
    held = (_held(one, sessions[one.session_id]) for one in files)
    return (*_fresh(noted, told, MAX_NOTED), *_fresh(held, told, MAX_HELD))


def before_edit(here: Workspace, paths: Collection[str]) -> tuple[Piece, ...]:
    """A line for each of these files that another session changes right now, but for those that
    this one has looked at since."""
    if not paths:
        return ()
    since = here.now() - AT_WORK
    with here.store.read() as conn:
        sessions = _others(here, conn, since)
        if not sessions:
            return ()
        files = at_work.used(conn, list(sessions), since=since, paths=paths)
        own = [here.session_id] if files and here.session_id else []
        seen = at_work.used(conn, own, since=since, paths=paths, by=SEES)
    known = {one.path: one.at for one in seen}
    return tuple(
        _collides(one, session, is_elsewhere=elsewhere)
        for one in files
        for session in (sessions[one.session_id],)
        for elsewhere in (_is_elsewhere(here, session),)
        if elsewhere or one.path not in known or known[one.path] < one.at
    )


def _others(here: Workspace, conn: Connection, since: datetime) -> dict[str, Session]:
    """The others at work here, by their ids."""
    if here.project_id is None:
        return {}
    found = at_work.others(conn, here.project_id, here.session_id, since=since)
    return {one.id: one for one in found}


def _fresh(pieces: Iterable[Piece], told: Collection[str], most: int) -> Iterator[Piece]:
    """The first that were not told; those after them are not even put into words."""
    return islice((piece for piece in pieces if piece.key not in told), most)


def _remembered(here: Workspace, session_ids: Sequence[str]) -> list[Memory]:
    """What these sessions have remembered lately and this one may see, the last first."""
    query = seen_here(here)
    since_ms = to_ms(query.now - AT_WORK)
    with here.engine.arrays() as (conn, warm):
        lately = np.flatnonzero(warm["created_at"] >= since_ms)
        if not lately.size:
            return []
        theirs = [warm.code("session_id", id_) for id_ in session_ids]
        wanted = np.isin(warm["session_id"][lately], theirs) & visible(warm, query)[lately]
        rows = warm["row"][lately[wanted]].tolist()
        found = list(memories.by_rows(conn, rows).values()) if rows else []
    told = {hit.memory.id for hit in told_here(here, found)}
    return sorted((one for one in found if one.id in told), key=lambda one: one.id, reverse=True)


def _noted(memory: Memory, sessions: Mapping[str, Session]) -> Piece:
    session = sessions[memory.session_id or ""]
    said = memory_piece(Hit(memory, memory.importance), titled=False)
    return Piece(
        text=f"{said.text} ({_who(session)})",
        memory_id=memory.id,
        tier=Tier.BRIDGE,
        why=f"#{short_id(memory.id)} of {_named(session)}: at work here now",
    )


def _found(one: KeptFinding, session: Session) -> Piece:
    said = indented(cut(one.finding.content, LONGEST))
    return Piece(
        text=f"- {one.finding.kind.value} {UNVERIFIED}: {said} ({_who(session)})",
        tier=Tier.BRIDGE,
        why=f"finding {one.fingerprint[:12]} of {_named(session)}: at work here now",
    )


def _held(one: Used, session: Session) -> Piece:
    path = name_said(one.path)
    return Piece(
        text=f"- {path}: changed at {one.at:%H:%M} UTC by {_who(session)}",
        file=one.path,
        tier=Tier.BRIDGE,
        why=f"{path} held by {_named(session)}: at work here now",
    )


def _collides(one: Used, session: Session, *, is_elsewhere: bool) -> Piece:
    path = name_said(one.path)
    advice = (
        "in another worktree: your changes will meet at a merge"
        if is_elsewhere
        else "and is still at work: read it again before you change it"
    )
    return Piece(
        text=f"- {path} was changed at {one.at:%H:%M} UTC by {_who(session)}, {advice}.",
        file=one.path,
        tier=Tier.BRIDGE,
        why=f"{path} about to be changed beside {_named(session)}: it changes it too",
    )


def _is_elsewhere(here: Workspace, session: Session) -> bool:
    """Whether a session works in another checkout; one may lie inside this one."""
    root, folder = here.repository.root, Path(session.folder or here.repository.root)
    if not folder.is_relative_to(root):
        return True
    between = (folder, *folder.parents)[: len(folder.relative_to(root).parts)]
    return any((place / ".git").exists() for place in between)


def _who(session: Session) -> str:
    mark = f" {branch_mark(session.branch)}" if session.branch else ""
    return f"{client_named(session.client).title}{mark}"


def _named(session: Session) -> str:
    return f"{session.client} {short_id(session.id)}"
