"""The neighbourhood of a memory as a tree: what it is joined with, and what that leads on to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from loremap.memory.workspace import Workspace
from loremap.model.graph import PROJECT_TAG, Edge, Node, Sort
from loremap.model.memory import Memory, Scope, Visibility
from loremap.model.neighbourhood import Branch
from loremap.storage import memories
from loremap.storage.neighbours import around_hubs, around_memories
from loremap.storage.store import Connection

MAX_SHOWN = 12
"""So many neighbours of a node are shown."""


def neighbourhood(here: Workspace, memory: Memory, *, depth: int) -> Branch:
    """A memory with what lies within `depth` edges of it; what stands above is not told again."""
    with here.store.read() as conn:
        root = Node(Sort.MEMORY, memory.id)
        around = _around(here, conn, root, depth)
        nodes = {edge.end for edges in around.values() for edge in edges} | {root}
        texts = _texts(here, conn, nodes)
    around = {
        node: [edge for edge in edges if edge.end.id in texts or not edge.end.is_memory]
        for node, edges in around.items()
    }
    return _branch(root, None, around, texts, {root}, depth)


def _texts(here: Workspace, conn: Connection, nodes: Collection[Node]) -> dict[str, str]:
    """What the memories among `nodes` say that may be seen from here, by id."""
    found = memories.by_ids(conn, [node.id for node in nodes if node.is_memory])
    return {one.id: one.summary for one in found if _is_seen(here, one)}


def _is_seen(here: Workspace, memory: Memory) -> bool:
    mine = memory.owner_id == here.actor.owner_id or memory.visibility is not Visibility.PRIVATE
    placed = memory.project_id == here.project_id or memory.scope is Scope.GLOBAL
    return mine and placed and memory.deleted_at is None


def _around(here: Workspace, conn: Connection, root: Node, depth: int) -> dict[Node, list[Edge]]:
    """The edges out of every node within reach."""
    found: dict[Node, list[Edge]] = {}
    level = [root]
    for _ in range(depth):
        hubs = [node for node in level if not node.is_memory]
        edges = [
            *around_memories(conn, [node.id for node in level if node.is_memory]),
            *around_hubs(conn, hubs, project_id=here.project_id),
        ]
        found |= {node: [] for node in level}
        for edge in edges:
            found[edge.start].append(edge)
        ends = (edge.end for node in level for edge in found[node][:MAX_SHOWN])
        level = [node for node in dict.fromkeys(ends) if node not in found and _leads_on(node)]
    return found


def _leads_on(node: Node) -> bool:
    """Whether it is worth telling what else a node is joined with: not what is everywhere here."""
    return node.sort is not Sort.TAG or not node.id.startswith(PROJECT_TAG)


def _branch(
    node: Node,
    edge: Edge | None,
    around: Mapping[Node, Sequence[Edge]],
    texts: Mapping[str, str],
    above: set[Node],
    depth: int,
) -> Branch:
    text = texts.get(node.id, "") if node.is_memory else node.name
    edges = around.get(node, ()) if depth else ()
    onward = [one for one in edges if edge is None or one.end != edge.start]
    below = []
    for one in onward[:MAX_SHOWN]:
        if one.end in above:
            said = texts.get(one.end.id, "") if one.end.is_memory else one.end.name
            below.append(Branch(one.end, said, one, again=True))
            continue
        above.add(one.end)
        below.append(_branch(one.end, one, around, texts, above, depth - 1))
    return Branch(node, text, edge, tuple(below), len(onward) - len(below))
