"""The terms of a memory as the text index holds them, by column."""

from __future__ import annotations

from loremap.model.memory import Memory
from loremap.model.text import opening
from loremap.model.words import words
from loremap.storage.bm25 import COLUMNS as SEARCHED

COLUMNS = (*SEARCHED, "place")
"""`place` holds the project, so that a small project in a large store is searched alone; it never
adds to a score."""
EVERYWHERE = "everywhere"


def indexed(memory: Memory) -> dict[str, list[str]]:
    """The terms of a memory, by column."""
    head, rest = opening(memory.content)
    return {
        "head": words(head),
        "rest": words(rest),
        "tags": words(" ".join(memory.tags)),
        "files": words(" ".join(memory.files)),
        "kind": words(memory.kind.value),
        "place": [place_of(memory.project_id)],
    }


def place_of(project_id: str | None) -> str:
    """The term that stands for a project in the index."""
    return project_id or EVERYWHERE


def places_of(project_id: str | None) -> list[str]:
    """The terms of a project and of what holds everywhere."""
    return sorted({EVERYWHERE, place_of(project_id)})
