"""Infers tags for what is remembered here, as a pass of tending."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeVar

from loremap.memory.graph.infer import Tagged, changes_of, inferred
from loremap.memory.step import Step
from loremap.memory.workspace import Workspace
from loremap.model.memory import Scope
from loremap.model.module import Module
from loremap.storage import memories, modules, tags
from loremap.storage.memories import Filter
from loremap.storage.store import Connection

T = TypeVar("T")
AT_ONCE = 200
"""So many memories get a tag in one step, so that no write takes long."""
MAX_LOOKED_AT = 100_000


def plan_tags(here: Workspace) -> Sequence[Step]:
    """The steps that bring the inferred tags to what memories here give reason for."""
    with here.store.read() as conn:
        found = _tagged(here, conn)
        held, refused = tags.inferred_here(conn, [one.id for one in found])
        wanted = inferred(found, _modules(here, conn))
    given, taken = changes_of(wanted, held, refused)
    return [*_giving(here, given), *_taking(here, taken)]


def _giving(here: Workspace, given: dict[str, list[tuple[str, str]]]) -> Iterator[Step]:
    for tag, read in sorted(given.items()):
        for some in _portions(read):
            sources = ", ".join(sorted(Counter(why for _, why in some)))
            yield Step(
                on=f"#{tag}",
                does="tag",
                why=f"{len(some)} of the memories here, by {sources}",
                apply=partial(tags.infer, tag=tag, sources=some, project_id=here.project_id),
            )


def _taking(here: Workspace, taken: dict[str, list[str]]) -> Iterator[Step]:
    for tag, ids in sorted(taken.items()):
        for some in _portions(ids):
            yield Step(
                on=f"#{tag}",
                does="untag",
                why=f"{len(some)} of the memories here give no reason for it any more",
                apply=partial(tags.drop_inferred, tag=tag, ids=some, project_id=here.project_id),
            )


def _portions(of: Sequence[T]) -> Iterator[list[T]]:
    rest = iter(of)
    while some := list(islice(rest, AT_ONCE)):
        yield some


def _tagged(here: Workspace, conn: Connection) -> list[Tagged]:
    """What speaks here, as tags are read from it; not what was said in another project, whose map
    tells of it."""
    own = here.project_id
    every = memories.listing(conn, Filter(project_id=own), limit=MAX_LOOKED_AT)
    spoken_of: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for id_, kind, name in tags.entities_mentioned(conn, here.project_id):
        spoken_of[id_].append((kind, name))
    project = here.project
    return [
        Tagged(
            id=memory.id,
            content=memory.content,
            kind=memory.kind,
            files=memory.files,
            entities=tuple(spoken_of[memory.id]),
            project=project.name if project and memory.scope is Scope.PROJECT else None,
            own=frozenset(memory.tags),
        )
        for memory in every
        if memory.project_id == own
    ]


def _modules(here: Workspace, conn: Connection) -> Sequence[Module]:
    return () if here.project_id is None else modules.read_map(conn, here.project_id).modules
