"""What fits a task: the modules it names and the memories that pass the gate, found in time."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from loremap.errors import LoremapError
from loremap.injection.brief import Brief, Dress, Sides, brief
from loremap.injection.pending import Pending, regated
from loremap.injection.surfaced import not_told
from loremap.injection.unasked import is_sure, near_best
from loremap.lore.briefing import core_of, is_about, sides_of, with_modules
from loremap.lore.companion.guide import Guide, modules_named, modules_traced
from loremap.lore.figures.meter import Noting
from loremap.lore.residence import Residence
from loremap.model.module import Module, ModuleMap
from loremap.model.recall import Hit, Trace
from loremap.ops.metrics import Measure
from loremap.ops.slo import Monitor, reach_for
from loremap.retrieval.context import Limits
from loremap.retrieval.gate import asked
from loremap.retrieval.recipes import RECIPES
from loremap.retrieval.run import tuned

if TYPE_CHECKING:
    from loremap.embedding.protocol import Vectors
    from loremap.lore.facade import Lore

MOST_CHARS = 4_000
"""Of a long prompt the beginning says what it is about."""
SLOW_MODEL_S = 0.05
"""A model that takes longer for the prompt is not asked for the files as well."""
SHOWN_FILES = 12
_NO_WORD = re.compile(r"\S{200,}")


class Verifier(Protocol):
    """A second look at what was found, by a small model for instance. Whatever goes wrong with it,
    less is injected and never more."""

    def relevant(self, task: str, hits: Sequence[Hit]) -> Collection[str]:
        """The ids of those that fit the task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What is asked, where, and what need not be told again."""

    folder: Path
    session_id: str | None
    client: str
    task: str
    modules_told: Collection[str] = ()
    looked_at: int = 15
    most_modules: int = 2
    kinds: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    of_modules: bool = False
    """Whether what is kept about the modules' files is told too, although the task names it not."""
    names_modules: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What fits a task."""

    hits: tuple[Hit, ...] = ()
    modules: tuple[Module, ...] = ()
    hints: Mapping[str, str] = field(default_factory=dict)
    located: tuple[str, ...] = ()
    sides: Sides = field(default_factory=dict)
    trace: Trace | None = None
    gated: bool = False
    known: int = 0
    """How much fits that was told already."""
    with_vectors: bool = False
    notes: tuple[str, ...] = ()

    def unasked(self) -> Found:
        """What of it may be told to somebody who did not ask."""
        belief = None if self.trace is None else self.trace.belief
        if not is_sure(belief, with_vectors=self.with_vectors):
            return replace(self, hits=(), gated=True)
        return replace(self, hits=tuple(near_best(self.hits)))

    def best(self, most: int, *, late: Pending | None = None) -> Found:
        """The best of it, and what waited for this question if it fits too."""
        return replace(self, hits=tuple(regated(self.hits, late, most=most)))

    def without(self, told: Collection[str]) -> Found:
        """What of it was not told yet."""
        hits = not_told(self.hits, told, ids=[hit.memory.id for hit in self.hits])
        known = self.known + len(self.hits) - len(hits)
        return replace(self, hits=tuple(hits), known=known)

    def briefed(self, dress: Dress) -> Brief:
        """As a brief."""
        core = core_of(self.modules)
        first = [path for path in self.located if path in core]
        return brief(
            self.modules,
            self.hits,
            hints=self.hints,
            first=first[:4],
            sides=self.sides,
            dress=dress,
        )


NOTHING = Found()


def as_question(text: str) -> str:
    """What a text asks: its beginning, without what is no language and takes long to read as if
    it were, such as data in letters."""
    return _NO_WORD.sub(" ", text[: 4 * MOST_CHARS])[:MOST_CHARS].strip()


class Retriever:
    """Finds under the house's lock only what needs it; models are asked outside."""

    def __init__(
        self,
        residence: Residence,
        guide: Guide,
        monitor: Monitor,
        *,
        verifier: Verifier | None,
        later: Callable[[Callable[[], None]], bool],
        measured: Noting,
    ) -> None:
        self._residence = residence
        self._guide = guide
        self._monitor = monitor
        self._verifier = verifier
        self._later = later
        self._measured = measured

    @property
    def is_cold(self) -> bool:
        """Whether a model is chosen and not loaded yet."""
        house = self._residence.house
        return house.seat.taken is None and house.settings.text("embedding.provider") != "none"

    def vector(self, text: str) -> Vectors | None:
        """The vector of a text; None while the model is not there, for nobody waits for it."""
        seat = self._residence.house.seat
        if seat.taken is None:
            return None
        began = time.perf_counter()
        made = seat.query_vector(text)
        self._measured(Measure.EMBEDDING, (time.perf_counter() - began) * 1000)
        return made

    def found(self, asking: Asking, *, vector: Vectors | None, quick: bool = True) -> Found:
        """What fits; `quick` is False where the model took so long that it is not asked again."""
        if not asked(asking.task).content:
            return NOTHING
        module_map, locate = self._map(asking) if asking.names_modules else (None, None)
        named = modules_named(asking.task, module_map)
        located = locate() if named and locate is not None and quick else ()
        modules = modules_traced(named, located, most=asking.most_modules)
        return self._recalled(asking, vector, modules, [path for path, _ in located])

    def _map(
        self, asking: Asking
    ) -> tuple[ModuleMap | None, Callable[[], Sequence[tuple[str, float]]] | None]:
        """The map, and how to ask for files where the word counts are in memory."""
        with self._at(asking) as lore:
            if not lore.code.scanned:
                return None, None
            if not self._guide.is_ready(lore):
                self._later(self._guide.make_ready(lore))
                return self._guide.map_of(lore), None
            return self._guide.map_of(lore), self._guide.located(lore, asking.task)

    def _recalled(
        self,
        asking: Asking,
        vector: Vectors | None,
        modules: Sequence[Module],
        located: Sequence[str],
    ) -> Found:
        reach = reach_for(self._monitor.health)
        limits = Limits(candidates=reach.candidates, top=reach.top)
        recipe = tuned(RECIPES["hybrid"], vector=vector, limits=limits)
        fresh = [module for module in modules if module.name not in asking.modules_told]
        core = core_of(modules)
        with self._at(asking) as lore:
            answer = lore.recall(
                asking.task,
                limit=min(asking.looked_at, reach.top),
                recipe=recipe,
                files=asking.files,
                kinds=asking.kinds,
                gate=True,
                count_use=False,
            )
            self._measured(Measure.SEARCH, answer.took_ms)
            every = with_modules(lore, answer.hits, core) if asking.of_modules else answer.hits
            return Found(
                hits=tuple(scoped(every, core)),
                modules=tuple(fresh),
                hints=_hints(lore, fresh, located),
                located=tuple(located),
                sides=sides_of(lore, answer.conflicts),
                trace=answer.trace,
                gated=answer.gated,
                known=len(modules) - len(fresh),
                with_vectors=vector is not None,
            )

    def verified(self, task: str, found: Found) -> Found:
        """What stands up to a second look; nothing where that fails."""
        if self._verifier is None or not found.hits:
            return found
        try:
            fitting = set(self._verifier.relevant(task, found.hits))
        except (LoremapError, OSError) as fault:
            why = f"not verified: {type(fault).__name__}"
            return replace(found, hits=(), notes=(*found.notes, why))
        return replace(found, hits=tuple(hit for hit in found.hits if hit.memory.id in fitting))

    def _at(self, asking: Asking) -> AbstractContextManager[Lore]:
        return seen_from(
            self._residence, asking.folder, session_id=asking.session_id, client=asking.client
        )


@contextmanager
def seen_from(
    residence: Residence, folder: Path, *, session_id: str | None, client: str
) -> Iterator[Lore]:
    """The memory as seen from a folder, with the code as it was last read: here nobody scans."""
    with residence.at(folder, session_id=session_id, agent=client) as lore:
        lore.code.kept = True
        yield lore


def scoped(hits: Sequence[Hit], core: Set[str]) -> list[Hit]:
    """What belongs to the modules concerned, then the rest (seed-003 §3). What names only files of
    other modules is left out, unless nothing fits better: the modules may be the wrong ones."""
    if not core:
        return list(hits)
    fitting = [
        hit
        for rank, hit in enumerate(hits)
        if rank == 0 or not hit.memory.files or is_about(hit, core)
    ]
    return sorted(fitting, key=lambda hit: not is_about(hit, core))


def _hints(lore: Lore, modules: Sequence[Module], located: Sequence[str]) -> Mapping[str, str]:
    if not modules:
        return {}
    shown = {path for module in modules for path in module.core_files[:SHOWN_FILES]}
    return lore.atlas.hints(shown | (core_of(modules) & set(located)))


def timed(make: Callable[[], Vectors | None]) -> tuple[Vectors | None, bool]:
    """A vector, and whether it came quickly."""
    began = time.perf_counter()
    vector = make()
    return vector, time.perf_counter() - began < SLOW_MODEL_S
