"""Which memories fit a task, by the small model."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from loremap.errors import ModelError
from loremap.memory.sidecar import CeilingMet, Sidecar
from loremap.memory.workspace import Workspace
from loremap.model.memory import Memory
from loremap.model.recall import Hit
from loremap.sidecar.ask import Task
from loremap.sidecar.tasks.verify import MAX_SHOWN, verifying


def fitting(sidecar: Sidecar, task: str, found: Sequence[Memory]) -> Collection[str]:
    """The ids of those that fit; more than can be shown at once do not. All of them where the
    ceiling is met just now: from then on rules stand alone."""
    shown = [(memory.id, memory.content) for memory in found[:MAX_SHOWN]]
    try:
        return sidecar.ask(verifying(task, shown))
    except CeilingMet:
        return [memory.id for memory in found]


def second_look(here: Workspace, question: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """What a person asked for, without what does not fit: they wait for it, and are shown all of
    it where that fails."""
    sidecar = here.engine.sidecar
    if not hits or not sidecar.does(Task.VERIFY):
        return tuple(hits)
    try:
        fits = fitting(sidecar, question, [hit.memory for hit in hits])
    except ModelError:  # noted by the sidecar itself
        return tuple(hits)
    return tuple(hit for hit in hits if hit.memory.id in fits)
