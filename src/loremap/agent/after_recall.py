"""What a recall leaves behind, in the background: it is counted, what it passed over is believed a
little less, and what it could not answer is noted as a gap."""

from __future__ import annotations

from collections.abc import Callable

from loremap.agent.prompting import Retrieved
from loremap.agent.retriever import seen_by
from loremap.memory import gaps, writing
from loremap.memory.workspace import Workspace
from loremap.memory.workspaces import Workspaces


def after_recall(workspaces: Workspaces[Workspace]) -> Callable[[Retrieved], None]:
    """The chore that tends what was retrieved."""

    def tend(retrieved: Retrieved) -> None:
        if not workspaces.engine.records:
            return
        with seen_by(workspaces, retrieved.event) as here:
            writing.note_recall(here)
            if retrieved.passed:
                writing.pass_over(here, retrieved.passed)
            if found_nothing(retrieved):
                gaps.note(here, retrieved.prompt)

    return tend


def found_nothing(retrieved: Retrieved) -> bool:
    """Whether a prompt was looked for to the end and nothing is remembered that answers it."""
    found = retrieved.found
    looked = found.trace is not None and (found.with_vectors or not found.near)
    return looked and not (found.hits or found.known or found.about or retrieved.passed)
