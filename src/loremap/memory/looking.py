"""Looks: the memory a person means, lists of them, and all that is known of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loremap.errors import Ambiguous, NotFound
from loremap.memory.anchoring import anchors_checked
from loremap.memory.recalling import answer, query
from loremap.memory.workspace import Workspace
from loremap.model.clock import short_id
from loremap.model.memory import BY_RULE, Change, Conflict, Memory, Status
from loremap.model.runner import BY_RUNNER
from loremap.model.state import Shown
from loremap.model.words import words
from loremap.storage import changes, memories, relations, tags
from loremap.storage.changes import Event
from loremap.storage.memories import Filter

MAX_BY_KEYWORD = 50
"""How many memories a keyword is held against."""


def find(
    here: Workspace, reference: str, *, by_keyword: bool = False, inactive: bool = False
) -> Memory:
    """The memory a person means by an id, the end of one, or (where allowed) a keyword;
    with `inactive` a keyword also finds what was replaced or withdrawn."""
    with here.store.read() as conn:
        found = memories.ending_with(conn, reference)
        if len(found) == 1:
            return memories.get(conn, found[0][0])
    if len(found) > 1:
        raise Ambiguous(
            f"{len(found)} memories end with {reference!r}.",
            hint="Give more of the id: " + ", ".join(id_[-12:] for id_, _ in found[:4]) + ".",
            candidates=tuple(found),
        )
    if not by_keyword:
        raise NotFound(
            f"There is no memory {reference!r}.", hint="`lore list` shows the ids there are."
        )
    return _by_keyword(here, reference, inactive=inactive)


def _by_keyword(here: Workspace, keyword: str, *, inactive: bool) -> Memory:
    asked = query(here, keyword, limit=MAX_BY_KEYWORD, user_search=True, include_inactive=inactive)
    hits = answer(here, asked, recipe="words", gate=False).hits
    found = [hit.memory for hit in hits if hit.memory.deleted_at is None]
    fitting = [memory for memory in found if _says(memory, keyword)] or found
    if not fitting:
        raise NotFound(
            f"No memory here has the id or the words {keyword!r}.",
            hint="`lore list` shows the ids there are.",
        )
    if len(fitting) > 1:
        raise Ambiguous(
            f"{len(fitting)} memories fit {keyword!r}.",
            hint="Give an id: "
            + ", ".join(f"{short_id(memory.id)} ({memory.summary[:30]})" for memory in fitting[:3]),
            candidates=tuple((memory.id, memory.summary) for memory in fitting),
        )
    return fitting[0]


def _says(memory: Memory, keyword: str) -> bool:
    """Whether every word of `keyword` is in what is indexed of `memory`."""
    said = words(" ".join((memory.content, *memory.tags, *memory.files)))
    return set(words(keyword)) <= set(said)


def listed(here: Workspace, wanted: Filter, *, limit: int, offset: int = 0) -> Sequence[Memory]:
    """The memories a filter lets through, newest first."""
    with here.store.read() as conn:
        found, hurt = memories.page(conn, wanted, limit=limit, offset=offset)
    if hurt:
        here.engine.checkup.note(hurt)
    return found


def in_inbox(project_id: str | None) -> Filter:
    """What sessions, commits and runners taught a project and nobody has kept or dropped."""
    return Filter(
        project_id=project_id, statuses=(Status.CANDIDATE,), written_by=(BY_RULE, BY_RUNNER)
    )


def withheld(here: Workspace) -> int:
    """How many memories and links of the store are known to be not what was written."""
    checked = here.engine.checkup.last()
    return len(checked.damaged) + checked.links


def shown(here: Workspace, memory: Memory) -> Shown:
    """A memory with its sources, links, conflicts and anchors."""
    with here.store.read() as conn:
        return Shown(
            memory,
            tuple(memories.provenance_of(conn, memory.id)),
            tuple(relations.links_of(conn, memory.id)),
            tuple(relations.open_conflicts(conn, [memory.id])),
            tuple(anchors_checked(here, conn, memory)),
            tuple(tags.inferred_of(conn, memory.id)),
        )


def summaries(here: Workspace, ids: Sequence[str]) -> Mapping[str, str]:
    """The summaries of some memories, by id."""
    with here.store.read() as conn:
        return {memory.id: memory.summary for memory in memories.by_ids(conn, ids)}


def history(here: Workspace, memory_id: str) -> Sequence[Change]:
    """What happened to a memory, oldest first."""
    with here.store.read() as conn:
        return changes.history_of(conn, memory_id)


def trail(here: Workspace, *, limit: int, memory_id: str | None) -> Sequence[Event]:
    """The audit trail, newest first; of all, or of one memory."""
    with here.store.read() as conn:
        return changes.trail(conn, limit=limit, memory_id=memory_id)


def conflicts(here: Workspace) -> Sequence[tuple[Conflict, Memory, Memory]]:
    """Open conflicts of this project and the global ones, each with its two sides, the newer
    first."""
    with here.store.read() as conn:
        found = relations.open_conflicts(conn)
        ids = [id_ for one in found for id_ in (one.memory_a, one.memory_b)]
        sides = {memory.id: memory for memory in memories.by_ids(conn, ids)}
    return [
        (one, sides[one.memory_a], sides[one.memory_b])
        for one in found
        if _speaks_here(here, sides.get(one.memory_a))
        and _speaks_here(here, sides.get(one.memory_b))
    ]


def _speaks_here(here: Workspace, memory: Memory | None) -> bool:
    return memory is not None and memory.active and memory.project_id in (None, here.project_id)
