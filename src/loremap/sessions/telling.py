"""What a person is told of what sessions taught: once, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.memory.workspace import Workspace
from loremap.model.memory import Memory, Status
from loremap.model.text import cut, one_line
from loremap.sessions.learning.framed import told_apart
from loremap.storage import learning, memories

MAX_LINES = 5
LINE_CHARACTERS = 160


def untold(here: Workspace) -> Sequence[Memory]:
    """What was learned here since a person was last told, and still waits for their word."""
    if here.project_id is None:
        return ()
    with here.store.read() as conn:
        ids = learning.untold(conn, here.project_id)
        found = {one.id: one for one in memories.by_ids(conn, ids)}
    waiting = (found[id_] for id_ in ids if id_ in found)
    return [one for one in waiting if one.status is Status.CANDIDATE and one.active]


def note_told(here: Workspace) -> None:
    """A person was told what was learned here."""
    if here.project_id is not None and not here.store.read_only:
        with here.store.append() as conn:
            learning.note_told(conn, here.project_id, here.now())


def told_of(found: Sequence[Memory]) -> str:
    """The lines a person is told; empty where nothing was learned."""
    if not found:
        return ""
    told = found if len(found) <= MAX_LINES else found[: MAX_LINES - 1]
    lines = [f"- {cut(one_line(told_apart(one.content)[0]), LINE_CHARACTERS)}" for one in told]
    more = len(found) - len(told)
    lines += [f"- and {more} more"] if more else []
    return "\n".join(["Loremap learned, for you to keep or drop (lore inbox):", *lines])
