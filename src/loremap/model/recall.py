"""A question to the memory, its answer, and the trace of how it was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, overload

from loremap.model.anchor import Checked
from loremap.model.kind import Kind
from loremap.model.memory import Conflict, Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked, by whom, and where they stand."""

    text: str
    now: datetime
    project_id: str | None = None
    tenant_id: str = "local"
    owner_id: str = "me"
    session_id: str | None = None
    branch: str | None = None
    files: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    tags: tuple[str, ...] = ()
    limit: int = 10
    user_search: bool = False
    """A person's own search: sees tainted candidates, passes no gate, never counts as use."""
    include_inactive: bool = False
    seasons: tuple[str, ...] = ()
    """The labels of seasonal memories that are in season whatever is asked."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers, and how well."""

    memory: Memory
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    pinned_lane: bool = False
    conflict_with: tuple[str, ...] = ()
    freshness: Checked | None = None
    """What became of the code it speaks of; None where it speaks of none."""
    unmerged: str | None = None
    """The branch it was written on, where that work is not merged here."""
    older: str = ""
    """The id of the newer or surer statement on the same subject that stands above it."""
    belief: float | None = None
    """Log-odds that it answers, by its own evidence alone; None where no gate was asked."""


class Verdict(NamedTuple):
    """Why one candidate was kept or dropped at one step."""

    memory_id: str
    step: str
    kept: bool
    why: str
    score: float


@dataclass(frozen=True, slots=True)
class Trace:
    """How an answer was found: what each step did, for every candidate."""

    recipe: str
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    took_ms: Mapping[str, float] = field(default_factory=dict)
    belief: float | None = None
    """The gate's log-odds that the store can answer; None where no gate was asked."""
    evidence: Mapping[str, float] = field(default_factory=dict)
    """What the gate went by."""


@dataclass(frozen=True, slots=True)
class Recall(Sequence[Hit]):
    """The answer to a query: its hits in order, and how they were found."""

    hits: tuple[Hit, ...]
    trace: Trace
    took_ms: float
    conflicts: tuple[Conflict, ...] = ()
    gated: bool = False
    """Candidates were there, but none fits: the answer is nothing."""
    narrative: str = ""
    """What the recipe says in lines of its own, such as facts; empty for most."""

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, at: int) -> Hit: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Hit]: ...
    def __getitem__(self, at: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[at]


@dataclass(frozen=True, slots=True)
class Alert:
    """A warning that fires on what is about to be done."""

    memory: Memory
    on: str
    matched: str
    pattern: str
    freshness: Checked | None = None
    unmerged: str | None = None
    """The branch it was written on, where that work is not merged here."""
