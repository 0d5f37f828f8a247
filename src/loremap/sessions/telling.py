"""What a person is told of what sessions taught: once, in a few lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from loremap.memory.workspace import Workspace
from loremap.model.memory import Memory
from loremap.model.text import cut, one_line
from loremap.sessions.becoming import WRITER
from loremap.sessions.learning.framed import told_apart
from loremap.storage import learning, memories

MAX_LINES = 5
LINE_CHARACTERS = 160


def untold(here: Workspace) -> Sequence[Memory]:
    """What was learned from sessions here, waits for a person's word, and no person was told of."""
    if here.project_id is None:
        return ()
    with here.store.read() as conn:
        ids = learning.untold(conn, here.project_id, written_by=WRITER)
        found = {one.id: one for one in memories.by_ids(conn, ids)}
    return [found[id_] for id_ in ids if id_ in found]


def note_told(here: Workspace, told: Iterable[Memory], *, at: datetime | None = None) -> None:
    """A person was told of these, at that moment."""
    ids = [one.id for one in told]
    if ids and not here.store.read_only:
        with here.store.append() as conn:
            learning.note_told(conn, ids, at or here.now())


def note_unheard(here: Workspace, at: datetime) -> None:
    """What was told at that moment reached nobody."""
    if here.store.read_only:
        return
    with here.store.append() as conn:
        learning.note_unheard(conn, at)


def told_of(found: Sequence[Memory]) -> str:
    """The lines a person is told; empty where nothing was learned."""
    if not found:
        return ""
    told = found if len(found) <= MAX_LINES else found[: MAX_LINES - 1]
    lines = [f"- {cut(one_line(told_apart(one.content)[0]), LINE_CHARACTERS)}" for one in told]
    more = len(found) - len(told)
    lines += [f"- and {more} more"] if more else []
    return "\n".join(["Loremap learned, for you to keep or drop (lore inbox):", *lines])
