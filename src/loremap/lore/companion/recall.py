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
from loremap.injection.unasked import modules_worth_telling, worth_telling
from loremap.lore import recalling
from loremap.lore.briefing import core_of, is_about, sides_of, with_modules
from loremap.lore.companion.guide import Guide, modules_named, modules_traced
from loremap.lore.companion.thinking import Thinkers, Thinking
from loremap.lore.figures.meter import Noting
from loremap.lore.residence import Residence
from loremap.model.hook import HookEvent
from loremap.model.memory import ACTIVE
from loremap.model.module import Module, ModuleMap
from loremap.model.recall import Hit, Recall, Trace
from loremap.ops.metrics import Measure
from loremap.ops.slo import Monitor, reach_for
from loremap.retrieval.ahead import Ahead
from loremap.retrieval.context import Limits
from loremap.retrieval.gate import asked
from loremap.retrieval.hybrid import asked_ahead
from loremap.retrieval.recipes import RECIPES
from loremap.retrieval.run import tuned
from loremap.storage import memories

if TYPE_CHECKING:
    from loremap.lore.facade import Lore

MOST_CHARS = 4_000
"""Of a long prompt the beginning says what it is about."""
SHOWN_FILES = 12
NEAREST = 3
"""So far up among what words alone have found something may be that came late."""
Locate = Callable[[], Sequence[tuple[str, float]]]

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
    late: tuple[str, ...] = ()
    """Memories that came too late for the question before."""
    stands_in: bool = False
    """Whether this is the question before: then they are its answer."""


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
    near: tuple[Hit, ...] = ()
    """What words alone have found and the gate held back."""
    known: int = 0
    """How much fits that was told already."""
    with_vectors: bool = False
    content: frozenset[str] = frozenset()
    """The words of the task that have content."""
    notes: tuple[str, ...] = ()

    def unasked(self) -> Found:
        """What of it may be told to somebody who did not ask."""
        hits = worth_telling(
            self.content,
            self.hits,
            belief=None if self.trace is None else self.trace.belief,
            with_vectors=self.with_vectors,
        )
        modules = modules_worth_telling(self.content, self.modules, hits=hits, located=self.located)
        near = self.near if self.with_vectors else (*self.near, *self.hits[:NEAREST])
        gated = self.gated or (bool(self.hits) and not hits)
        return replace(self, hits=tuple(hits), modules=tuple(modules), near=near, gated=gated)

    def best(self, most: int, *, late: Pending | None = None) -> Found:
        """The best of it, and what waited for this question if it fits too."""
        return replace(self, hits=tuple(regated(self.hits, late, most=most, near=self.near)))

    def after(self, first: Sequence[Hit]) -> Found:
        """These first, then what was found."""
        ids = {hit.memory.id for hit in first}
        rest = [hit for hit in self.hits if hit.memory.id not in ids]
        return replace(self, hits=(*first, *rest))

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
        self._thinkers = Thinkers(measured=measured)

    @property
    def is_cold(self) -> bool:
        """Whether a model is chosen and not loaded yet."""
        house = self._residence.house
        return house.seat.taken is None and house.settings.text("embedding.provider") != "none"

    def thinking(self, text: str) -> Thinking:
        """The vector of a text, begun with; none while the model is not there, for nobody waits
        for it."""
        return self._thinkers.begun(text, self._residence.house.seat)

    def close(self) -> None:
        """End when what is at work is done."""
        self._thinkers.close()

    def found(self, asking: Asking, thinking: Thinking, *, until: float | None = None) -> Found:
        """What fits. Its words are searched for while its vector is worked out, which is waited
        for until then; the house is not held meanwhile."""
        if not asked(asking.task).content:
            return NOTHING
        reach = reach_for(self._monitor.health)
        limits = Limits(candidates=reach.candidates, top=reach.top)
        module_map, locate, ahead = self._begun(asking, limits)
        named = modules_named(asking.task, module_map)
        with self._residence.house.store.read() as conn:
            ahead = ahead.asked(conn, within_ms=limits.source_ms)
        vector = thinking.vector(until=until)
        recipe = tuned(RECIPES["hybrid"], vector=vector, limits=limits, ahead=ahead)
        located = locate() if named and locate is not None and thinking.was_quick else ()
        modules = modules_traced(named, located, most=asking.most_modules)
        with self._at(asking) as lore:
            answer = lore.recall(
                asking.task,
                limit=min(asking.looked_at, reach.top),
                recipe=recipe,
                files=asking.files,
                kinds=asking.kinds,
                gate=vector is not None or not asking.late,
                count_use=False,
            )
            self._measured(Measure.SEARCH, answer.took_ms)
            found = self._composed(lore, asking, answer, modules, [path for path, _ in located])
        return replace(found, with_vectors=vector is not None)

    def _begun(
        self, asking: Asking, limits: Limits
    ) -> tuple[ModuleMap | None, Locate | None, Ahead]:
        """The map, how to ask for files where the word counts are in memory, and what the text
        index will be asked."""
        with self._at(asking) as lore:
            house = lore.house
            query = recalling.query(lore, asking.task, kinds=asking.kinds)
            ahead = asked_ahead(query, house.warm_for(house.seat.taken), limits)
            if not asking.names_modules or not lore.code.scanned:
                return None, None, ahead
            if not self._guide.is_ready(lore):
                self._later(self._guide.make_ready(lore))
                return self._guide.map_of(lore), None, ahead
            return self._guide.map_of(lore), self._guide.located(lore, asking.task), ahead

    def _composed(
        self,
        lore: Lore,
        asking: Asking,
        answer: Recall,
        modules: Sequence[Module],
        located: Sequence[str],
    ) -> Found:
        fresh = [module for module in modules if module.name not in asking.modules_told]
        core = core_of(modules)
        believed = answer.trace.belief is None or answer.trace.belief >= 0
        hits = answer.hits if believed else ()
        every = with_modules(lore, hits, core) if asking.of_modules else hits
        return Found(
            hits=tuple(scoped(every, core)),
            modules=tuple(fresh),
            hints=_hints(lore, fresh, located),
            located=tuple(located),
            sides=sides_of(lore, answer.conflicts),
            trace=answer.trace,
            gated=answer.gated or not believed,
            near=self._near(lore, asking, () if believed else answer.hits),
            known=len(modules) - len(fresh),
            content=asked(asking.task).content,
        )

    def _near(self, lore: Lore, asking: Asking, unsure: Sequence[Hit]) -> tuple[Hit, ...]:
        """Where the late may be looked for: among what words could not be sure of, or all of
        them."""
        if not asking.stands_in or not asking.late:
            return tuple(unsure[:NEAREST])
        with lore.store.read() as conn:
            found = memories.by_ids(conn, asking.late)
        alive = [one for one in found if one.status in ACTIVE and one.deleted_at is None]
        checks = lore.freshness(alive)
        return tuple(Hit(one, one.importance, freshness=checks.get(one.id)) for one in alive)

    def verified(
        self,
        task: str,
        found: Found,
        *,
        sure: Collection[str] = (),
        until: float | None = None,
    ) -> tuple[Found, Callable[[], list[Hit]] | None]:
        """What stands up to a second look, `sure` what did so before; nothing else where that
        fails. Where it takes longer, how to wait for the rest."""
        verifier = self._verifier
        open_to_doubt = [hit for hit in found.hits if hit.memory.id not in sure]
        if verifier is None or not open_to_doubt:
            return found, None
        coming = self._thinkers.asked(lambda: set(verifier.relevant(task, open_to_doubt)))

        def stood(timeout_s: float | None = None) -> list[Hit]:
            fitting = coming.result(timeout_s)
            return [hit for hit in open_to_doubt if hit.memory.id in fitting]

        certain = {hit.memory.id for hit in found.hits} & set(sure)
        try:
            left_s = None if until is None else max(until - time.perf_counter(), 0.0)
            kept = certain | {hit.memory.id for hit in stood(left_s)}
        except (LoremapError, OSError) as fault:  # a TimeoutError is one of these
            if not coming.done():
                return _only(found, certain, "not verified in time"), stood
            return _only(found, certain, f"not verified: {type(fault).__name__}"), None
        return _only(found, kept), None

    def _at(self, asking: Asking) -> AbstractContextManager[Lore]:
        return seen_from(
            self._residence, asking.folder, session_id=asking.session_id, client=asking.client
        )


def seen_by(residence: Residence, event: HookEvent) -> AbstractContextManager[Lore]:
    """The memory as seen from where an event happened."""
    assert event.folder is not None
    return seen_from(
        residence,
        event.folder,
        session_id=event.session_id,
        client=event.client,
        watched=not event.incognito,
    )


@contextmanager
def seen_from(
    residence: Residence,
    folder: Path,
    *,
    session_id: str | None,
    client: str,
    watched: bool = False,
) -> Iterator[Lore]:
    """The memory as seen from a folder, with the code as it was last read: here nobody scans. Only
    an event that leaves traces has the folder watched."""
    with residence.at(folder, session_id=session_id, agent=client, watched=watched) as lore:
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


def _only(found: Found, ids: Collection[str], *notes: str) -> Found:
    hits = tuple(hit for hit in found.hits if hit.memory.id in ids)
    return replace(found, hits=hits, notes=(*found.notes, *notes))
