"""What earlier sessions of a project came to, as far as it concerns a task or is left open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from loremap.code.branches import TRUNKS
from loremap.memory.brief.brief import FileFound
from loremap.memory.brief.recaps import OPEN_FOR, Fit, Subject, fitting, unfinished
from loremap.memory.brief.render import Piece
from loremap.model.session import Recap
from loremap.storage import learning, sessions, tasks

if TYPE_CHECKING:
    from loremap.memory.workspace import Workspace

RECENT = timedelta(days=90)
"""How a session went before that is in what was learned from it, or nowhere."""
MAX_LOOKED_AT = 40


def earlier_sessions(
    here: Workspace,
    *,
    said: Collection[str],
    files: Sequence[FileFound],
    around: Collection[str],
) -> Sequence[Fit]:
    """The earlier sessions here that a task of these words, files and modules resembles."""
    branch = here.repository.branch
    task = Subject(
        said=frozenset(said),
        files=frozenset(one.path for one in files),
        sure=frozenset(one.path for one in files if one.is_sure),
        around=frozenset(around),
        branch=None if branch in TRUNKS else branch,
    )
    return fitting(_recaps(here, RECENT), task)


def left_open(here: Workspace) -> list[Piece]:
    """What was left open on this branch, and nobody has closed since."""
    if here.project_id is None:
        return []
    branch, now = here.repository.branch, here.now()
    with here.store.read() as conn:
        but = sessions.kin(conn, here.session_id)
        waiting = tasks.left_open(conn, here.project_id, but=but, limit=MAX_LOOKED_AT)
    return unfinished(_recaps(here, OPEN_FOR), now, branch=branch, tasks=waiting)


def _recaps(here: Workspace, within: timedelta) -> Sequence[Recap]:
    """How the last sessions here went, without this one and the one it was forked from."""
    if here.project_id is None:
        return ()
    with here.store.read() as conn:
        but, since = sessions.kin(conn, here.session_id), here.now() - within
        return learning.recaps(conn, here.project_id, since=since, but=but, limit=MAX_LOOKED_AT)
