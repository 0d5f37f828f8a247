"""What is known for a task: the hits, files and modules found for it, and what of it is told."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from loremap.memory.brief.brief import Brief, Dress, FileFound, brief
from loremap.memory.brief.budget import modules_worth_telling, worth_telling
from loremap.memory.brief.recaps import resembled
from loremap.memory.brief.render import Piece
from loremap.memory.brief.said import Remarks
from loremap.model.kind import RULES
from loremap.model.module import Module
from loremap.model.recall import Hit, Trace

NEAREST = 3
"""So far up among what words alone have found something may be that came late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All that is known for a task, and how sure that is."""

    said: frozenset[str] = frozenset()
    """The words of the task."""
    hits: tuple[Hit, ...] = ()
    endings: tuple[Hit, ...] = ()
    """What came of the sessions that the task resembles."""
    about: tuple[Hit, ...] = ()
    """What is kept about the files of the task, although the task does not name it."""
    standing: tuple[Hit, ...] = ()
    """What holds for any work here."""
    files: tuple[FileFound, ...] = ()
    modules: tuple[Module, ...] = ()
    bridge: tuple[Piece, ...] = ()
    """What others find who are at work here now, and which files they change."""
    earlier: tuple[Piece, ...] = ()
    """How sessions went that the task resembles."""
    remarks: Remarks = field(default_factory=dict)
    named: tuple[Module, ...] = ()
    """The modules that the words of the task name by themselves."""
    located: tuple[str, ...] = ()
    is_whole: bool = True
    """Whether the files were found in time; else they come with the next question."""
    trace: Trace | None = None
    gated: bool = False
    near: tuple[Hit, ...] = ()
    """What words alone have found and the gate held back."""
    known: int = 0
    """How much fits that was told already."""
    with_vectors: bool = False
    notes: tuple[str, ...] = ()

    @property
    def is_any(self) -> bool:
        """Whether anything is known of the task itself, and not only what holds for any work."""
        known = self.hits or self.about or self.files or self.modules
        return bool(known) or resembled(self.earlier)

    @property
    def concerns_code(self) -> bool:
        """Whether the task is surely about code of the project."""
        return any(one.is_sure for one in self.files)

    @property
    def ids(self) -> tuple[str, ...]:
        """The memories that answer, best first."""
        return tuple(hit.memory.id for hit in self.hits)

    def unasked(self) -> Found:
        """What of it may be told to somebody who did not ask."""
        hits = worth_telling(self.hits, belief=None if self.trace is None else self.trace.belief)
        modules = modules_worth_telling(self.said, self.named, hits=hits, located=self.located)
        near = self.near if self.with_vectors else (*self.near, *self.hits[:NEAREST])
        gated = self.gated or (bool(self.hits) and not hits)
        endings = self.endings if hits else ()
        bare = replace(self, endings=endings, about=(), standing=(), files=(), earlier=())
        return replace(bare, hits=tuple(hits), modules=tuple(modules), near=near, gated=gated)

    def best(self, most: int, *, late: Collection[str] = ()) -> Found:
        """The `most` best hits, and of those that came too late for the question before what passed
        the gate of this one too; of what words alone have found and could not be sure of, what a
        better judge has chosen before."""
        best = [hit for rank, hit in enumerate(self.hits) if rank < most or hit.memory.id in late]
        known = {hit.memory.id for hit in best}
        near = [hit for hit in self.near if hit.memory.id in late and hit.memory.id not in known]
        return replace(self, hits=(*best, *near))

    def without(self, told: Collection[str]) -> Found:
        """What of it was not told yet."""
        hits = _untold(self.hits, told)
        return replace(
            self,
            hits=hits,
            endings=_untold(self.endings, told),
            about=_untold(self.about, told),
            standing=_untold(self.standing, told),
            known=self.known + len(self.hits) - len(hits),
        )

    def only(self, ids: Collection[str], *notes: str) -> Found:
        """What stood up to a second look."""
        hits = tuple(hit for hit in self.hits if hit.memory.id in ids)
        endings = self.endings if hits else ()
        return replace(self, hits=hits, endings=endings, notes=(*self.notes, *notes))

    def briefed(self, dress: Dress) -> Brief:
        """As a brief: what the task asks for, then what its files and any work call for."""
        stated = [hit for hit in self.hits if not RULES[hit.memory.kind].episodic]
        told = (*stated, *self.endings, *self.hits, *self.about, *self.standing)
        every = {hit.memory.id: hit for hit in (*told, *self.hits)}
        return brief(
            [every[id_] for id_ in dict.fromkeys(hit.memory.id for hit in told)],
            files=self.files,
            modules=self.modules,
            remarks=self.remarks,
            asked=self.said,
            reasons=dict.fromkeys(
                {hit.memory.id for hit in self.endings} - set(self.ids),
                "how a session ended that fits",
            ),
            bridge=self.bridge,
            earlier=self.earlier,
            answers=frozenset(self.ids),
            dress=dress,
        )


NOTHING = Found()


def _untold(hits: Sequence[Hit], told: Collection[str]) -> tuple[Hit, ...]:
    return tuple(hit for hit in hits if hit.memory.id not in told)
