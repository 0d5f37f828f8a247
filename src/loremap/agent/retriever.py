"""What fits a task: its files and modules and the memories that pass the gate, found in time."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from loremap.agent.metrics.meter import Noting
from loremap.agent.metrics.rules import Measure
from loremap.agent.service_level import Monitor, reach_for
from loremap.agent.task_modules import TaskModules, modules_named, modules_traced
from loremap.agent.thinking import Thinkers, Thinking
from loremap.clients.own_reading import OwnReading
from loremap.clients.registry import client_named
from loremap.code.locate.rank import FoundFile
from loremap.embedding.protocol import Vectors
from loremap.embedding.scale import GUESS, Scale, known_scale
from loremap.errors import LoremapError
from loremap.memory import anchoring, recalling
from loremap.memory.anchoring import without_unmerged
from loremap.memory.briefing import gathered, nothing_loaded
from loremap.memory.found import NEAREST, NOTHING, Found
from loremap.memory.recall.context import Limits
from loremap.memory.recall.recipes import RECIPES, Recipe
from loremap.memory.recall.run import tuned
from loremap.memory.workspaces import Workspaces
from loremap.model.hook import HookEvent
from loremap.model.module import ModuleMap
from loremap.model.recall import Hit, Recall
from loremap.model.words import words
from loremap.storage import memories

if TYPE_CHECKING:
    from loremap.memory.workspace import Workspace

MAX_CHARS = 4_000
"""Of a long prompt the beginning says what it is about."""
LOOKED_AT = 15
"""Among so many of the best answers to the new prompt a late result must be."""
MAX_NAMED = 2
Locate = Callable[[], Sequence[FoundFile]]
Opens = Callable[["Vectors | None"], bool]
"""Whether a question opens a session or a topic, by its vector."""

_NO_WORD = re.compile(r"\S{200,}")


class Verifier(Protocol):
    """A second look at what was found, by a small model for instance. Whatever goes wrong with it,
    less is injected and never more."""

    @property
    def is_on(self) -> bool:
        """Whether it looks at all now; else what was found stands as it is."""

    def relevant(self, task: str, hits: Sequence[Hit]) -> Collection[str]:
        """The ids of those that fit the task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What is asked, and where."""

    folder: Path
    session_id: str | None
    client: str
    task: str
    looked_at: int = LOOKED_AT
    kinds: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    with_code: bool = True
    """Whether the files and modules of the task are looked for."""
    with_standing: bool = False
    """Whether what holds for any work here is wanted too."""
    says_loaded: bool = False
    """Whether what the client loads by itself is said all the same."""
    late: tuple[str, ...] = ()
    """Memories that came too late for the question before."""
    stands_in: bool = False
    """Whether this is the question before: then they are its answer."""


def as_question(text: str) -> str:
    """What a text asks: its beginning, without what is no language and takes long to read as if
    it were, such as data in letters."""
    return _NO_WORD.sub(" ", text[: 4 * MAX_CHARS])[:MAX_CHARS].strip()


class Retriever:
    """Holds a folder only while it looks into it; models are asked outside."""

    def __init__(
        self,
        workspaces: Workspaces[Workspace],
        task_modules: TaskModules,
        monitor: Monitor,
        *,
        verifier: Verifier | None,
        measured: Noting,
    ) -> None:
        self._workspaces = workspaces
        self._task_modules = task_modules
        self._monitor = monitor
        self._verifier = verifier
        self._measured = measured
        self._thinkers = Thinkers(measured=measured)

    @property
    def is_cold(self) -> bool:
        """Whether a model is chosen and not loaded yet."""
        engine = self._workspaces.engine
        return engine.slot.taken is None and engine.settings.text("embedding.provider") != "none"

    @property
    def scale(self) -> Scale:
        """What a cosine of the model in use means."""
        taken = self._workspaces.engine.slot.taken
        return known_scale(None if taken is None else taken.model) or GUESS

    def thinking(self, text: str) -> Thinking:
        """The vector of a text, begun with; none while the model is not there, for nobody waits
        for it."""
        return self._thinkers.begun(text, self._workspaces.engine.slot)

    def close(self) -> None:
        """End when what is at work is done."""
        self._thinkers.close()

    def found(
        self,
        asking: Asking,
        thinking: Thinking,
        *,
        until: float | None = None,
        located_by: float | None = None,
        opens: Opens = lambda _: True,
    ) -> Found:
        """What fits. Its words are searched for while its vector is worked out, which is waited
        for `until` then; nothing is held meanwhile. Its files and modules are looked for only
        where it opens a topic, and the files told if they are `located_by` then."""
        if not words(asking.task):
            return NOTHING
        reach = reach_for(self._monitor.health)
        limits = Limits(candidates=reach.candidates, top=reach.top)
        module_map, locate = self._begun(asking)
        named = modules_named(asking.task, module_map)
        vector = thinking.vector(until=until)
        recipe = tuned(self._recipe(), vector=vector, limits=limits)
        opening = asking.with_code and opens(vector)
        coming = self._located(locate, located_by) if opening and locate is not None else ()
        located = coming or ()
        scores = [(one.path, one.score) for one in located]
        with self._at(asking) as lore:
            answer = recalling.recall(
                lore,
                asking.task,
                limit=min(asking.looked_at, reach.top),
                recipe=recipe,
                files=asking.files,
                kinds=asking.kinds,
                gate=vector is not None or not asking.late,
                count_use=False,
            )
            self._measured(Measure.SEARCH, answer.took_ms)
            map_told = module_map if opening else None
            found = self._composed(lore, asking, answer, located, map_told, opening=opening)
        return replace(
            found,
            is_whole=coming is not None,
            named=tuple(modules_traced(named, scores, most=MAX_NAMED)),
            with_vectors=vector is not None,
        )

    def _located(self, locate: Locate, until: float | None) -> Sequence[FoundFile] | None:
        """The files of a task; None where they are not found in time."""
        coming = self._thinkers.asked(locate)
        try:
            return coming.result(None if until is None else max(until - time.perf_counter(), 0.0))
        except TimeoutError:
            return None

    def _begun(self, asking: Asking) -> tuple[ModuleMap | None, Locate | None]:
        """The map, and how to ask for files."""
        with self._at(asking) as lore:
            if not asking.with_code or not lore.code.scanned:
                return None, None
            return self._task_modules.map_of(lore), self._task_modules.located(lore, asking.task)

    def _recipe(self) -> Recipe:
        return recalling.as_set(RECIPES["hybrid"], self._workspaces.engine.settings)

    def _composed(
        self,
        lore: Workspace,
        asking: Asking,
        answer: Recall,
        located: Sequence[FoundFile],
        module_map: ModuleMap | None,
        *,
        opening: bool,
    ) -> Found:
        believed = answer.trace.belief is None or answer.trace.belief >= 0
        reading = OwnReading(client_named(asking.client), lore.repository)
        is_loaded = nothing_loaded if asking.says_loaded else reading.has
        found = gathered(
            lore,
            asking.task,
            answer if believed else replace(answer, hits=()),
            located=located,
            module_map=module_map,
            is_loaded=is_loaded,
            with_standing=asking.with_standing,
            with_endings=opening,
        )
        unsure = [hit for hit in answer.hits if not believed and not is_loaded(hit.memory)]
        return replace(
            found,
            located=tuple(one.path for one in located),
            trace=answer.trace,
            gated=answer.gated or not believed,
            near=self._near(lore, asking, unsure),
            known=len(answer.hits) - len(found.hits) if believed else 0,
        )

    def _near(self, lore: Workspace, asking: Asking, unsure: Sequence[Hit]) -> tuple[Hit, ...]:
        """Where the late may be looked for: among what words could not be sure of, or all of
        them."""
        if not asking.stands_in or not asking.late:
            return tuple(unsure[:NEAREST])
        with lore.store.read() as conn:
            found = memories.by_ids(conn, asking.late)
        alive = [one for one in found if one.active and not one.voted_down]
        checks = anchoring.freshness(lore, alive)
        hits = [Hit(one, one.importance, freshness=checks.get(one.id)) for one in alive]
        return tuple(without_unmerged(lore, hits))

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
        if verifier is None or not open_to_doubt or not verifier.is_on:
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
                return found.only(certain, "not verified in time"), stood
            return found.only(certain, f"not verified: {type(fault).__name__}"), None
        return found.only(kept), None

    def _at(self, asking: Asking) -> AbstractContextManager[Workspace]:
        return seen_from(
            self._workspaces, asking.folder, session_id=asking.session_id, client=asking.client
        )


def seen_by(
    workspaces: Workspaces[Workspace], event: HookEvent
) -> AbstractContextManager[Workspace]:
    """The memory as seen from where an event happened."""
    assert event.folder is not None
    return seen_from(
        workspaces,
        event.folder,
        session_id=event.session_id,
        client=event.client,
        watched=not event.incognito,
    )


@contextmanager
def seen_from(
    workspaces: Workspaces[Workspace],
    folder: Path,
    *,
    session_id: str | None,
    client: str,
    watched: bool = False,
) -> Iterator[Workspace]:
    """The memory as seen from a folder, with the code as it was last read: here nobody scans. Only
    an event that leaves traces has the folder watched."""
    with workspaces.at(folder, session_id=session_id, agent=client, watched=watched) as lore:
        lore.code.kept = True
        yield lore
