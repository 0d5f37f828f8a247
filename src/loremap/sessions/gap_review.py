"""Looks whether what a session taught answers what was asked in vain."""

from __future__ import annotations

from loremap.memory.gaps import open_gaps
from loremap.memory.sidecar import About
from loremap.memory.workspace import Workspace
from loremap.sessions.finishing import Learned
from loremap.sidecar.ask import Task
from loremap.sidecar.tasks.gaps import MAX_QUESTIONS, answering
from loremap.storage import gaps


def review_gaps(here: Workspace, learned: Learned) -> int:
    """Close the gaps that something answers which the session taught and which was remembered; how
    many those are. Raises a `ModelError`."""
    known = [one.finding.content for one in learned.findings if one.memory_id is not None]
    asked = list(open_gaps(here))[:MAX_QUESTIONS]
    if not (known and asked and here.engine.sidecar.does(Task.GAPS)):
        return 0
    about = About(learned.session.project_id, learned.session.id)
    answered = here.engine.sidecar.ask(answering([one.asked for one in asked], known), about)
    if answered:
        with here.store.append() as conn:
            for place in answered:
                gaps.close(conn, asked[place].id, here.now())
    return len(answered)
