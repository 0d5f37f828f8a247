"""What the small model says of the graph: how memories that fitted one task belong together, what
they could be found by, what a cluster is called."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from loremap.errors import BadAnswer
from loremap.memory.graph.infer import BY_SIDECAR
from loremap.memory.sidecar import About
from loremap.memory.together import FIRST_WEIGHT, STRONGER
from loremap.memory.workspace import Workspace
from loremap.model.memory import Memory, Scope
from loremap.sidecar.tasks.name import MAX_SHOWN as MAX_OF_CLUSTER
from loremap.sidecar.tasks.name import naming
from loremap.sidecar.tasks.relate import MAX_SHOWN, relating
from loremap.storage import clusters, memories, relations, tags

_TAG = re.compile(r"[^\W_][\w-]{1,30}")


def relate(here: Workspace, ids: Sequence[str]) -> int:
    """Link and tag memories that fitted one task; how many links and tags that made or
    strengthened. Raises a `ModelError`."""
    with here.store.read() as conn:
        found = [one for one in memories.by_ids(conn, ids) if _may_be_shown(one)][:MAX_SHOWN]
    if len(found) < 2:
        return 0
    said = {one.id: one.content for one in found}
    told = here.engine.sidecar.ask(relating(list(said.items())), About(here.project_id))
    read = _tags_that_stand(told.tags, said)
    if not (told.pairs or read):
        return 0
    with here.store.write(now=here.now(), actor=here.actor) as tx:
        for one, other in told.pairs:
            relations.relate(tx, one, other, first=FIRST_WEIGHT, more=STRONGER)
        for tag, bearers in read.items():
            sources = [(id_, BY_SIDECAR) for id_ in bearers]
            tags.infer(tx, tag, sources, project_id=here.project_id)
    return len(told.pairs) + sum(map(len, read.values()))


def _may_be_shown(memory: Memory) -> bool:
    """Whether a memory stays what it is: one of a session alone is not linked."""
    return memory.active and memory.scope is not Scope.SESSION


def _tags_that_stand(
    offered: Iterable[tuple[str, str]], said: dict[str, str]
) -> dict[str, list[str]]:
    """By tag the memories whose own words hold it."""
    found = defaultdict[str, list[str]](list)
    for id_, tag in offered:
        tag = tag.lstrip("#").casefold()
        if _TAG.fullmatch(tag) and re.search(rf"\b{re.escape(tag)}\b", said[id_].casefold()):
            found[tag].append(id_)
    return found


def name_clusters(here: Workspace) -> int:
    """Ask once for a name of each cluster here; how many got one. Raises a `ModelError`."""
    with here.store.read() as conn:
        waiting = clusters.unnamed(conn, here.actor.owner_id, here.project_id)
    count = 0
    for one in waiting:
        nearest = sorted(one.members, key=lambda id_: -one.members[id_])[:MAX_OF_CLUSTER]
        with here.store.read() as conn:
            texts = [memory.content for memory in memories.by_ids(conn, nearest)]
        try:
            called = here.engine.sidecar.ask(naming(texts), About(here.project_id))
        except BadAnswer:
            called = ""
        with here.store.write(now=here.now(), actor=here.actor) as tx:
            clusters.name(tx, one.id, called, project_id=here.project_id)
        count += bool(called)
    return count
