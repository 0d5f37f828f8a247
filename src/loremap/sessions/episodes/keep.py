"""Keeps the tasks of a session and says of its events for which each was done. Whatever was kept
before is found again: reading a session twice, or after a crash, changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from loremap.clients.payloads.cleaned import name_kept
from loremap.errors import ModelError
from loremap.memory.workspace import Workspace
from loremap.model.hook import FileUse
from loremap.model.session import Session
from loremap.model.task import Task
from loremap.model.text import one_line
from loremap.model.turn import Speaker, Turn
from loremap.safety.redaction import redacted
from loremap.sessions.episodes.snapshots import snapshots as seen
from loremap.sessions.episodes.tasks import Episode, episodes
from loremap.storage import injections, snapshots, tasks

_VECTORS_AT_ONCE = 16
_KNOWN_BY = 60
"""Letters by which a prompt in the log is known again in the transcript."""


def keep_episodes(
    here: Workspace, session: Session, turns: Sequence[Turn], *, is_over: bool
) -> None:
    """Keep the tasks that these turns tell of, and say of the events of the log for which each was
    done."""
    clean = _clean(here, turns)
    with here.store.read() as conn:
        named = tasks.begun_by_person(conn, session.project_id)
        stops = tasks.stops(conn, session.id)
    made = episodes(clean, session, is_over=is_over, named=named)
    own = [
        _without_secrets(one.task)
        for one in made
        if not (one.task.spans or _is_of_parent(session, one))
    ]
    wanted = changed_links(stops, made)
    now = here.now()
    with here.store.append() as conn:
        tasks.put(conn, session.id, own, now)
        tasks.link(conn, wanted)
        for one in made:
            if one.task.spans:
                tasks.note_done(conn, one.task.id, now)
    _keep_snapshots(here, session)
    _note_vectors(here, session)


def _keep_snapshots(here: Workspace, session: Session) -> None:
    """Keep what lay in the context when it changed, now that its events say for which task."""
    with here.store.read() as conn:
        given = injections.since(conn, session.id, None)
        points = snapshots.points(conn, session.id)
    made = list(seen(session.id, points, given))
    with here.store.append() as conn:
        snapshots.put(conn, made)


def _is_of_parent(session: Session, one: Episode) -> bool:
    """Whether a task was done before its session was forked: a fork's transcript tells what its
    parent did."""
    at = [turn.at for turn in one.turns if turn.at is not None]
    return session.parent_id is not None and bool(at) and max(at) < session.created_at


def _note_vectors(here: Workspace, session: Session) -> None:
    """Make vectors of what was asked, a few at a time, where a model is at hand."""
    embedder = here.engine.slot.taken
    if embedder is None:
        return
    with here.store.read() as conn:
        waiting = tasks.without_vector(
            conn, session.project_id, embedder.model, limit=_VECTORS_AT_ONCE
        )
    if not waiting:
        return
    try:
        made = embedder.embed([said for _, said in waiting])
    except ModelError as fault:
        here.engine.slot.failed(fault)
        return
    with here.store.append() as conn:
        for (id_, said), vector in zip(waiting, made, strict=True):
            tasks.put_vector(conn, id_, said, embedder.model, vector.tobytes())


def changed_links(stops: Sequence[tasks.Stop], made: Sequence[Episode]) -> dict[int, str | None]:
    """For which task each event was done, where the log does not say so yet: that of the prompt
    before it, which the log holds in the same words."""
    asked = sorted(
        (turn.number, _known_by(turn.text), one.task.id)
        for one in made
        for turn in one.turns
        if turn.speaker is Speaker.PERSON and not turn.in_subagent
    )
    wanted: dict[int, str | None] = {}
    current: str | None = None
    place = 0
    for seq, said, held in stops:
        if said:
            known = _known_by(said)
            found = next((at for at in range(place, len(asked)) if asked[at][1] == known), None)
            if found is not None:
                current, place = asked[found][2], found + 1
        if current != held:
            wanted[seq] = current
    return wanted


def _known_by(text: str) -> str:
    return one_line(text)[:_KNOWN_BY]


def _clean(here: Workspace, turns: Sequence[Turn]) -> list[Turn]:
    """The turns, what was typed without secrets, and files as the project names them."""
    names: dict[str, str] = {}

    def named(use: FileUse) -> FileUse:
        if use.path not in names:
            names[use.path] = name_kept(here.path_as_named(use.path))
        return replace(use, path=names[use.path])

    def cleaned(turn: Turn) -> Turn:
        if turn.speaker is Speaker.PERSON:
            return replace(turn, text=redacted(turn.text).text)
        if turn.call is None or not turn.call.files:
            return turn
        files = tuple(map(named, turn.call.files))
        return replace(turn, call=replace(turn.call, files=files))

    return [cleaned(turn) for turn in turns]


def _without_secrets(one: Task) -> Task:
    """A task without secrets in its commands, and without files of elsewhere."""
    inside = tuple(path for path in one.files_touched if not Path(path).is_absolute())
    return replace(one, outcome=redacted(one.outcome).text, files_touched=inside)
