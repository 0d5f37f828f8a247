"""Why a memory is held back: any of its texts may speak to a model, not only what it says."""

from __future__ import annotations

from collections.abc import Iterator

from loremap.model.hostile.shapes import Suspicion, name_suspicion, suspicion
from loremap.model.kind import Kind
from loremap.model.memory import BY_GIT, FROM_USER, TAINTED, Memory, Origin

MEANT = "it reads like a request to an assistant, or says what has nothing to do with a project"
"""Why a memory is held back that only the meaning of its words gave away."""
_PREFERENCES = frozenset({Kind.PREFERENCE, Kind.HUMAN_FEEDBACK, Kind.CORRECTION})


def suspicion_of(memory: Memory) -> Suspicion | None:
    """Why the words of a memory are shaped like an order to a model; None where they are not."""
    person = is_of_person(memory)
    preference = person and memory.kind in _PREFERENCES
    said = (suspicion(one, person=person, preference=preference) for one in _texts(memory))
    names = (name_suspicion(one) for one in _names(memory))
    return next((found for found in (*said, *names) if found is not None), None)


def is_of_person(memory: Memory) -> bool:
    """Whether a person stated it."""
    return memory.origin in FROM_USER


def why_held_back(memory: Memory) -> str:
    """What a person is told of a memory that is held back; empty where it is not."""
    if not memory.held_back:
        return ""
    found = suspicion_of(memory)
    if found is not None:
        return found.why
    if memory.created_by == BY_GIT:
        return "nobody has reviewed this commit's message"
    if memory.origin is Origin.FILE:
        return f"nobody has reviewed this line of {memory.source_file or 'a file'}"
    return "it came from outside" if memory.origin in TAINTED else MEANT


def _texts(memory: Memory) -> Iterator[str]:
    yield memory.content
    if memory.summary not in memory.content:
        yield memory.summary
    yield memory.seasonal or ""
    yield from (trigger.pattern for trigger in memory.triggers)
    steps = memory.procedure
    if steps is not None:
        yield from (steps.name, steps.trigger, *steps.steps, *steps.prerequisites, *steps.warnings)


def _names(memory: Memory) -> Iterator[str]:
    yield from (*memory.tags, *memory.files)
