"""Figures as people and programs read them; what is estimated says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from loremap.agent.metrics.discovery import FEWEST_SESSIONS
from loremap.agent.metrics.rules import (
    Comparison,
    Measure,
    ProjectFigures,
    SessionFigures,
    Spread,
    SystemFigures,
    compared,
    method,
)
from loremap.interfaces.cli.present import moment, plain_table
from loremap.interfaces.cli.shell import Part, console, counted, say

SHOWN_SESSIONS = 10
_NAMED = {
    Measure.EMBEDDING: "embedding",
    Measure.SEARCH: "search",
    Measure.WRITE: "write",
    Measure.HOOK: "hook, in the resident",
}
_FIELDS = {
    Measure.EMBEDDING: "embedding_latency_ms",
    Measure.SEARCH: "search_latency_ms",
    Measure.WRITE: "write_latency_ms",
    Measure.HOOK: "hook_latency_ms",
}


def session_data(one: SessionFigures) -> dict[str, Any]:
    """A session for `--json`."""
    return {
        "session": one.session_id,
        "client": one.client,
        "started_at": one.started_at.isoformat(),
        "held_out": one.held_out,
        "discovery_tokens_saved": one.saved_tokens,
        "files_found_without_search": list(one.saved_files),
        "cost_per_file_tokens": round(one.cost.tokens, 1),
        "cost_source": one.cost.source.name.lower(),
        "tokens_injected": one.injected_tokens,
        "memories_injected": one.memories_injected,
        "warnings": one.warnings,
        "search_memory_calls": one.searches,
        "memory_hits": one.hits,
        "rejected": one.rejected,
        "discovery_tokens": one.discovery_tokens,
    }


def _sums(sessions: Sequence[SessionFigures]) -> dict[str, Any]:
    return {
        "sessions": len(sessions),
        "discovery_tokens_saved": sum(one.saved_tokens for one in sessions),
        "tokens_injected": sum(one.injected_tokens for one in sessions),
        "memories_injected": sum(one.memories_injected for one in sessions),
        "warnings": sum(one.warnings for one in sessions),
        "search_memory_calls": sum(one.searches for one in sessions),
        "memory_hits": sum(one.hits for one in sessions),
        "rejected": sum(one.rejected for one in sessions),
    }


def _latency_data(latencies: Mapping[Measure, Spread]) -> dict[str, Any]:
    return {
        field: None
        if (spread := latencies.get(name)) is None
        else {"p50": round(spread.p50, 2), "p95": round(spread.p95, 2), "count": spread.count}
        for name, field in _FIELDS.items()
    }


def _compared_data(comparison: Comparison) -> dict[str, Any]:
    return {
        "with_memory": {
            "sessions": comparison.with_sessions,
            "median_discovery_tokens": comparison.with_tokens,
        },
        "held_out": {
            "sessions": comparison.without_sessions,
            "median_discovery_tokens": comparison.without_tokens,
        },
        "enough_sessions": comparison.tells,
    }


def session_told(one: SessionFigures, *, as_json: bool) -> Any:
    """One session, printed or for `--json`."""
    if as_json:
        return session_data(one) | {"method": method([one.cost])}
    say((f"Session {one.session_id}", "bold"), f"  {one.client}, {moment(one.started_at)}")
    if one.held_out:
        say("It was held out: nothing was injected, to compare with.")
    _print_sums([one])
    for path in one.saved_files:
        say((f"  found without a search: {path}", "dim"))
    say(
        f"looking for files before the first edit took about {one.discovery_tokens:,} tokens "
        "(estimated)"
    )
    _footnote([one])
    return None


def project_told(
    project: ProjectFigures, times: Mapping[Measure, Spread], *, days: int, as_json: bool
) -> Any:
    """A project, printed or for `--json`."""
    if as_json:
        return {
            "project": project.name,
            "days": days,
            "module_map_coverage": None if project.coverage is None else round(project.coverage, 4),
            "modules": project.modules,
            "total_memories": project.total_memories,
            "avg_confidence_score": None
            if project.avg_confidence is None
            else round(project.avg_confidence, 4),
            **_sums(project.sessions),
            "hold_out": _compared_data(project.comparison),
            "per_session": [session_data(one) for one in project.sessions],
            "system": _latency_data(times),
            "method": _method_of(project.sessions),
        }
    say((project.name, "bold"), f", the last {counted(days, 'day')}")
    say(_known(project))
    _print_sums(project.sessions)
    _print_sessions(project.sessions)
    _print_comparison(project.sessions, project.comparison)
    _print_latencies(times)
    _footnote(project.sessions)
    return None


def system_told(system: SystemFigures, *, days: int, as_json: bool) -> Any:
    """Everything, printed or for `--json`."""
    if as_json:
        return {
            "days": days,
            "projects": system.projects,
            "total_memories": system.total_memories,
            **_sums(system.sessions),
            "hold_out": _compared_data(compared(system.sessions)),
            **_latency_data(system.latencies),
            "method": _method_of(system.sessions),
        }
    say(("Everything", "bold"), f", the last {counted(days, 'day')}")
    say(f"{counted(system.projects, 'project')}, {_memories(system.total_memories)}")
    _print_sums(system.sessions)
    _print_sessions(system.sessions)
    _print_comparison(system.sessions, compared(system.sessions))
    _print_latencies(system.latencies)
    _footnote(system.sessions)
    return None


def _known(project: ProjectFigures) -> str:
    confidence = (
        ""
        if project.avg_confidence is None
        else (f", confidence {project.avg_confidence:.2f} on average")
    )
    told = f"{_memories(project.total_memories)}{confidence}"
    if project.coverage is None:
        return f"{told}; no map yet: lore scan"
    return (
        f"{told}; {project.mapped} of {counted(project.modules, 'module')} well known "
        f"({project.coverage:.0%} of the map)"
    )


def _memories(number: int) -> str:
    return f"{number:,} {'memory' if number == 1 else 'memories'}"


def _print_sums(sessions: Sequence[SessionFigures]) -> None:
    if not sessions:
        say("No session of an agent was seen in this time.")
        return
    held = sum(1 for one in sessions if one.held_out)
    sums = _sums(sessions)
    parts: list[Part] = [
        f"{counted(len(sessions), 'session')}{f', {held} held out' if held else ''}: about ",
        (f"{sums['discovery_tokens_saved']:,} tokens saved", "bold green"),
        f" (estimated), {sums['tokens_injected']:,} injected",
    ]
    say(*parts)
    say(
        f"{_memories(sums['memories_injected'])} injected, {sums['memory_hits']:,} used in later "
        f"output, {sums['rejected']:,} rejected; {counted(sums['warnings'], 'warning')} before a "
        f"tool; the agent asked {counted(sums['search_memory_calls'], 'time')}"
    )


def _print_sessions(sessions: Sequence[SessionFigures]) -> None:
    if not sessions:
        return
    table = plain_table("session", "when", "client", "saved ~", "injected", "memories", "used",
                        "asked", "finding ~")  # fmt: skip
    for one in sessions[:SHOWN_SESSIONS]:
        table.add_row(
            Text(one.session_id[:8], "dim"),
            moment(one.started_at),
            one.client,
            "held out" if one.held_out else f"{one.saved_tokens:,}",
            f"{one.injected_tokens:,}",
            str(one.memories_injected),
            str(one.hits),
            str(one.searches),
            f"{one.discovery_tokens:,}",
        )
    console().print(table)
    if len(sessions) > SHOWN_SESSIONS:
        say((f"and {len(sessions) - SHOWN_SESSIONS} sessions before", "dim"))


def _print_comparison(sessions: Sequence[SessionFigures], comparison: Comparison) -> None:
    """With and without, on the user's own work."""
    if not any(one.held_out for one in sessions):
        say(("To compare with and without: lore config set metrics.hold_out 0.2", "dim"))
        return
    if not comparison.tells:
        say(
            f"With and without memory: too few sessions to tell ({comparison.with_sessions} with, "
            f"{comparison.without_sessions} held out; {FEWEST_SESSIONS} of each are needed)"
        )
        return
    say(
        f"Finding files before the first edit, median: {comparison.with_tokens:,.0f} tokens with "
        f"memory ({counted(comparison.with_sessions, 'session')}), "
        f"{comparison.without_tokens:,.0f} without "
        f"({counted(comparison.without_sessions, 'session')}, held out)"
    )


def _print_latencies(latencies: Mapping[Measure, Spread]) -> None:
    told = [
        f"{_NAMED[name]} {spread.p50:.0f}/{spread.p95:.0f} ms" for name, spread in latencies.items()
    ]
    if told:
        say("Latency, middle/95 of 100: " + ", ".join(told))
    else:
        say(("No latency was measured in this time.", "dim"))


def _method_of(sessions: Sequence[SessionFigures]) -> str:
    return method([one.cost for one in sessions])


def _footnote(sessions: Sequence[SessionFigures]) -> None:
    if sessions:
        say((_method_of(sessions), "dim"))
