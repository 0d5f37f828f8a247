"""What memory was worth, in figures: pure rules over what sessions did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from statistics import fmean, median

from loremap.agent.metrics.discovery import FEWEST_SESSIONS, Cost
from loremap.agent.service_level import p95
from loremap.model.module import MapConfidence, Module
from loremap.model.session import Injection, Tier

METHOD = (
    "Tokens saved are an estimate: files that the session opened after memory had named them, that "
    "neither a search of the session nor the person had named before, times what finding one file "
    "costs ({cost} tokens of search results per file, {source}). Tokens injected are not "
    "subtracted; they stand beside it."
)


class Measure(StrEnum):
    """Names under which the service notes what it measures; times in milliseconds."""

    EMBEDDING = "embedding_ms"
    SEARCH = "search_ms"
    WRITE = "write_ms"
    HOOK = "hook_ms"
    ASKED = "asked"
    """One for each time an agent asked for memories, whether it got any."""
    LATE = "late"
    """One for each answer that came when nobody waited for it any more."""


LATENCIES = (Measure.EMBEDDING, Measure.SEARCH, Measure.WRITE, Measure.HOOK)


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle and the slow end of some times."""

    p50: float
    p95: float
    count: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Sessions with memory beside sessions held out; a median is None of no session."""

    with_tokens: float | None
    without_tokens: float | None
    with_sessions: int
    without_sessions: int

    @property
    def tells(self) -> bool:
        """Whether there are enough of both to conclude anything."""
        return min(self.with_sessions, self.without_sessions) >= FEWEST_SESSIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFigures:
    """What one session was given and what came of it."""

    session_id: str
    client: str
    project_id: str | None
    started_at: datetime
    held_out: bool = False
    saved_files: tuple[str, ...] = ()
    cost: Cost = field(default_factory=Cost)
    injected_tokens: int = 0
    memories_injected: int = 0
    warnings: int = 0
    searches: int = 0
    hits: int = 0
    rejected: int = 0
    discovery_tokens: int = 0
    explored: bool = False
    """Whether it searched or opened anything, so that it can be compared."""

    @property
    def saved_tokens(self) -> int:
        """About how many tokens of looking for files were not spent."""
        return round(len(self.saved_files) * self.cost.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFigures:
    """What is known of one project, and how its sessions did."""

    name: str
    modules: int
    mapped: int
    total_memories: int
    avg_confidence: float | None
    comparison: Comparison
    sessions: tuple[SessionFigures, ...] = ()

    @property
    def coverage(self) -> float | None:
        """The share of modules that are well known; None where there is no map."""
        return self.mapped / self.modules if self.modules else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFigures:
    """How the service does, over all projects."""

    latencies: Mapping[Measure, Spread] = field(default_factory=dict)
    total_memories: int = 0
    projects: int = 0
    sessions: tuple[SessionFigures, ...] = ()


def compared(sessions: Sequence[SessionFigures]) -> Comparison:
    """The sessions that were given something beside those held out, by what finding took."""
    told = [
        one.discovery_tokens
        for one in sessions
        if one.explored and not one.held_out and one.injected_tokens
    ]
    held = [one.discovery_tokens for one in sessions if one.explored and one.held_out]
    return Comparison(
        median(told) if told else None, median(held) if held else None, len(told), len(held)
    )


def spread(times_ms: Sequence[float]) -> Spread | None:
    """The middle and the slow end; None of nothing."""
    slow = p95(times_ms)
    return None if slow is None else Spread(median(times_ms), slow, len(times_ms))


def mapped_of(modules: Sequence[Module]) -> int:
    """How many modules are well known."""
    return sum(1 for module in modules if module.confidence is MapConfidence.MAPPED)


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return fmean(values) if values else None


def memories_given(given: Iterable[Injection]) -> int:
    """How many memories a session was given unasked, but for warnings before a tool."""
    return len(_ids(given, Tier.ALWAYS, Tier.TASK, Tier.BRIDGE))


def warnings_given(given: Iterable[Injection]) -> int:
    """How many memories spoke up before a tool ran."""
    return len(_ids(given, Tier.TOOL))


def hits_of(given: Iterable[Injection]) -> int:
    """How many memories later output was seen to use."""
    return len({one.memory_id for one in given if one.memory_id and one.referenced_at})


def rejected_of(given: Iterable[Injection]) -> int:
    """How many memories a person rejected."""
    return len({one.memory_id for one in given if one.memory_id and one.rejected_at})


def asked_times(given: Iterable[Injection], noted: int) -> int:
    """How often the agent asked: as noted, or at least as often as it was answered."""
    return max(noted, len({one.at for one in given if one.tier is Tier.ASKED}))


def _ids(given: Iterable[Injection], *tiers: Tier) -> set[str]:
    return {one.memory_id for one in given if one.memory_id and one.tier in tiers}


def notice(figures: SessionFigures) -> str:
    """The line at a session's end; empty where nothing was saved that can be told."""
    if not figures.saved_tokens:
        return ""
    count = len(figures.saved_files)
    files = f"{count} file{'' if count == 1 else 's'}"
    return (
        f"Memory saved about {figures.saved_tokens:,} tokens this session: {files} found without "
        f"a search ({figures.injected_tokens:,} tokens injected)."
    )


def notice_before(figures: SessionFigures) -> str:
    """The line at a session's start about the one before it; empty where nothing was saved."""
    if not figures.saved_tokens:
        return ""
    return (
        f"Loremap: memory saved about {figures.saved_tokens:,} tokens in the last session here "
        f"({figures.injected_tokens:,} injected)."
    )


def method(costs: Sequence[Cost]) -> str:
    """How the saved tokens are estimated, in a footnote; empty where there is nothing to say."""
    if not costs:
        return ""
    low, high = min(one.tokens for one in costs), max(one.tokens for one in costs)
    shown = f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"
    sources = dict.fromkeys(one.source.value for one in costs)
    return METHOD.format(cost=shown, source="; or ".join(sources))
