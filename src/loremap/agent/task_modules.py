"""The modules of a task, found beside the hooks' way: by a graph of its own, never by a scan."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from loremap.code.checkout import Code
from loremap.code.locate.rank import FoundFile
from loremap.embedding.protocol import Embedder
from loremap.memory.recall.match_modules import modules_for
from loremap.model.module import Module, ModuleMap
from loremap.storage import modules

if TYPE_CHECKING:
    from loremap.memory.workspace import Workspace

MAX_CHECKOUTS = 4
"""Word counts of so many checkouts are kept in memory."""
LOCATED_FILES = 8
SURELY_NAMED = 1.8
"""Words must score this much before a module is told unasked: a name said, or several weaker signs.
Over the modules of a large project, tasks of it lie above and turns such as "revert that" below."""
FILES_COUNT = 4.0
"""What all the files found for a task count, beside the words that name a module."""
BESIDE_BEST = 0.4


@dataclass(slots=True, eq=False)
class _Checkout:
    code: Code
    lock: Lock = field(default_factory=Lock)
    ready: int = -1
    """The state of the graph whose word counts are in memory."""


class TaskModules:
    """Says which modules a task is about, and which files of them, as far as it is ready to."""

    def __init__(self, graphs: Path, embedder: Callable[[], Embedder | None]) -> None:
        self._graphs = graphs
        self._embedder = embedder
        self._checkouts: OrderedDict[Path, _Checkout] = OrderedDict()
        self._maps: OrderedDict[str, tuple[int, ModuleMap]] = OrderedDict()
        self._lock = Lock()

    def map_of(self, lore: Workspace) -> ModuleMap | None:
        """The project's map as it is stored; None where it was never scanned."""
        project_id = lore.project_id
        if project_id is None:
            return None
        with lore.store.read() as conn:
            seq = lore.store.change_seq(conn)
            with self._lock:
                known = self._maps.get(project_id)
            if known is None or known[0] != seq:
                known = (seq, modules.read_map(conn, project_id))
                with self._lock:
                    self._maps[project_id] = known
                    while len(self._maps) > MAX_CHECKOUTS:
                        self._maps.popitem(last=False)
        return known[1] if known[1].modules else None

    def is_ready(self, lore: Workspace) -> bool:
        """Whether files can be located at once."""
        checkout = self._of(lore)
        return checkout.ready >= 0 and checkout.ready == lore.code.graph.seq

    def make_ready(self, lore: Workspace) -> Callable[[], None]:
        """Reads the word counts of a checkout, which takes a while; to be called by nobody who
        waits."""
        checkout = self._of(lore)

        def read() -> None:
            with checkout.lock:
                seq = checkout.code.graph.seq
                if checkout.ready != seq:
                    checkout.code.locate("the first question reads the word counts", limit=1)
                    checkout.ready = seq

        return read

    def located(self, lore: Workspace, task: str) -> Callable[[], Sequence[FoundFile]]:
        """Asks for the files of a task, best first, once the word counts are read."""
        checkout, make_ready = self._of(lore), self.make_ready(lore)

        def ask() -> Sequence[FoundFile]:
            make_ready()
            with checkout.lock:
                return checkout.code.locate(task, limit=LOCATED_FILES).files

        return ask

    def close(self) -> None:
        """Let go of the graphs."""
        with self._lock:
            for checkout in self._checkouts.values():
                _close(checkout)
            self._checkouts.clear()

    def _of(self, lore: Workspace) -> _Checkout:
        root = lore.repository.root
        with self._lock:
            checkout = self._checkouts.pop(root, None)
            if checkout is None:
                code = Code(
                    lore.repository,
                    graphs=self._graphs,
                    embedder=self._embedder,
                    memory_mb=lore.settings.whole("scan.memory_mb"),
                )
                code.kept = True
                checkout = _Checkout(code)
            self._checkouts[root] = checkout
            while len(self._checkouts) > MAX_CHECKOUTS:
                _close(self._checkouts.popitem(last=False)[1])
            return checkout


def _close(checkout: _Checkout) -> None:
    with checkout.lock:  # somebody may be asking still
        checkout.code.close()


def modules_named(task: str, module_map: ModuleMap | None) -> list[tuple[Module, float]]:
    """The modules that the words of a task name by themselves, with their scores; none where its
    words name them only by chance."""
    if module_map is None:
        return []
    found = modules_for(task, module_map)
    return found if found and found[0][1] >= SURELY_NAMED else []


def modules_traced(
    named: Sequence[tuple[Module, float]], located: Sequence[tuple[str, float]], *, most: int
) -> list[Module]:
    """The surest of the modules that were named, by name and by the files found for the task."""
    best = max((score for _, score in located), default=0.0)
    found = {path: score / best / (1 + rank) for rank, (path, score) in enumerate(located) if best}
    total = sum(found.values()) or 1.0
    scores = [
        (
            module,
            score + FILES_COUNT * sum(found.get(path, 0.0) for path in module.core_files) / total,
        )
        for module, score in named
    ]
    floor = BESIDE_BEST * max((score for _, score in scores), default=0.0)
    ordered = sorted(scores, key=lambda one: -one[1])
    return [module for module, score in ordered if score >= floor][:most]
