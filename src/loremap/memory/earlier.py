"""What earlier sessions of a project came to, as far as it concerns a task or is left open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from loremap.code.branches import TRUNKS
from loremap.memory.brief.recaps import OPEN_FOR, Subject, fitting, unfinished
from loremap.memory.brief.render import Piece
from loremap.model.session import Recap
from loremap.model.task import TaskStatus
from loremap.storage import learning, sessions, tasks

if TYPE_CHECKING:
    from loremap.memory.workspace import Workspace

RECENT = timedelta(days=90)
"""How a session went before that is in what was learned from it, or nowhere."""
MAX_LOOKED_AT = 40
OPEN = tuple(one for one in TaskStatus if one.is_open)


def earlier_sessions(
    here: Workspace, *, said: Collection[str], files: Collection[str], around: Collection[str]
) -> tuple[Piece, ...]:
    """The earlier sessions here that a task of these words, files and modules resembles."""
    branch = here.repository.branch
    task = Subject(
        said=frozenset(said),
        files=frozenset(files),
        around=frozenset(around),
        branch=None if branch in TRUNKS else branch,
    )
    return tuple(fitting(_recaps(here, RECENT), task))


def left_open(here: Workspace) -> list[Piece]:
    """What was left open on this branch, and nobody has closed since."""
    if here.project_id is None:
        return []
    branch, now = here.repository.branch, here.now()
    with here.store.read() as conn:
        waiting = tasks.of_project(conn, here.project_id, statuses=OPEN, limit=MAX_LOOKED_AT)
    own = [one for one in waiting if one.session_id != here.session_id]
    return unfinished(_recaps(here, OPEN_FOR), now, branch=branch, tasks=own)


def _recaps(here: Workspace, within: timedelta) -> Sequence[Recap]:
    """How the last sessions here went, without this one and the one it was forked from."""
    if here.project_id is None:
        return ()
    own = here.session_id
    with here.store.read() as conn:
        row = None if own is None else sessions.find(conn, own)
        kin = (own, None if row is None else row.parent_id)
        since = here.now() - within
        return learning.recaps(conn, here.project_id, since=since, but=kin, limit=MAX_LOOKED_AT)
