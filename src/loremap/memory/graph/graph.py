"""What belongs together here: tags, clusters, what is similar, what stands around a memory."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence

from loremap.errors import BadInput, NotFound
from loremap.memory.admission.limits import Limits, refusal_for
from loremap.memory.graph import clustering, tagging
from loremap.memory.graph.around import neighbourhood
from loremap.memory.graph.grouping import is_installed
from loremap.memory.graph.similar import similar
from loremap.memory.looking import find
from loremap.memory.step import Step
from loremap.memory.workspace import Workspace
from loremap.memory.writing import settled_project
from loremap.model.clock import new_id
from loremap.model.graph import Cluster, TagEntry
from loremap.model.memory import Candidate
from loremap.model.neighbourhood import Branch, Similar
from loremap.model.text import visible
from loremap.safety.redaction import redacted
from loremap.storage import clusters, tags

NEEDS_EXTRA = "Clusters need the extra: pip install 'loremap[clusters]'."
DEEPEST = 4
WRITE_S = 0.015
"""After so long no further step is added to a write."""


class Graph:
    """The graph of what is remembered, as seen from one folder."""

    def __init__(self, here: Workspace) -> None:
        self._here = here

    def tags(self) -> Sequence[TagEntry]:
        """The tags that memories bear here, the most borne first."""
        with self._here.store.read() as conn:
            return tags.tags_here(conn, self._here.project_id, session_id=self._here.session_id)

    def describe(self, name: str, description: str) -> None:
        """Say what a tag means."""
        name = name.removeprefix("#")
        if name not in {one.name for one in self.tags()}:
            raise NotFound(
                f"No memory here bears the tag {name!r}.", hint="`lore tags` lists them."
            )
        said = Candidate(content=description or name)
        if refusal := refusal_for(said, Limits()):
            raise BadInput(refusal)
        with self._here.store.write(now=self._here.now(), actor=self._here.actor) as tx:
            tags.describe(tx, name, redacted(visible(description)).text.strip())

    def infer_tags(self) -> int:
        """Bring the tags that nobody set to what memories here give reason for; how many changes
        that took."""
        return self._do(tagging.plan_tags(self._here))

    @property
    def has_clusters(self) -> bool:
        """Whether clusters can be found: the extra `clusters` is installed."""
        return is_installed()

    def clusters(self) -> Sequence[Cluster]:
        """The clusters here, the largest first."""
        with self._here.store.read() as conn:
            found = clusters.clusters_of(conn, self._here.actor.owner_id, self._here.project_id)
        return [Cluster(one.id, one.name, len(one.members)) for one in found]

    def members(self, reference: str) -> tuple[Cluster, Sequence[str]]:
        """A cluster by the end of its id or by its name, and the ids of its memories, the nearest
        to its middle first."""
        with self._here.store.read() as conn:
            found = clusters.clusters_of(conn, self._here.actor.owner_id, self._here.project_id)
        fit = [
            one for one in found if reference in (one.name, one.id) or one.id.endswith(reference)
        ]
        if len(fit) != 1:
            raise NotFound(
                f"{len(fit) or 'No'} clusters here are called {reference!r}.",
                hint="`lore clusters` lists them with their ids.",
            )
        near = fit[0].members
        return Cluster(fit[0].id, fit[0].name, len(near)), sorted(near, key=lambda id_: -near[id_])

    def refresh_clusters(self) -> Sequence[Cluster]:
        """Find the clusters anew; raises where the extra is missing."""
        if not is_installed():
            raise BadInput(NEEDS_EXTRA)
        settled_project(self._here)
        self._do(clustering.plan_clusters_now(self._here))
        return self.clusters()

    def similar(self, reference: str, *, limit: int = 10) -> Sequence[Similar]:
        """What stands nearest to a memory: by vectors, by words where it has none."""
        return similar(self._here, find(self._here, reference, by_keyword=True), limit=limit)

    def around(self, reference: str, *, depth: int = 2) -> Branch:
        """A memory with what lies within `depth` edges of it."""
        if not 1 <= depth <= DEEPEST:
            raise BadInput(f"The depth is a number from 1 to {DEEPEST}.")
        memory = find(self._here, reference, by_keyword=True)
        return neighbourhood(self._here, memory, depth=depth)

    def _do(self, steps: Sequence[Step]) -> int:
        done_in_small_writes(self._here, steps)
        return len(steps)


def done_in_small_writes(here: Workspace, steps: Sequence[Step]) -> list[float]:
    """Do the steps of a plan, in writes so short that nobody waits long, and together one act; how
    many milliseconds each write took."""
    change, rest, took = new_id(), deque(steps), list[float]()
    while rest:
        with here.store.write(now=here.now(), actor=here.actor, change_id=change) as tx:
            began = time.perf_counter()
            while rest and time.perf_counter() - began < WRITE_S:
                rest.popleft().apply(tx)
        took.append(1_000 * (time.perf_counter() - began))
    return took
