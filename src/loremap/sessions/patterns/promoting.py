"""Lets patterns that were seen often enough, in enough sessions, become memories: candidates, once
each, with every session that showed them as a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from loremap.memory import remembering
from loremap.memory.workspace import Workspace
from loremap.model.clock import short_id
from loremap.model.kind import Kind
from loremap.model.memory import Candidate, Memory, Origin
from loremap.model.outcome import Outcome, Refused, Stored
from loremap.model.pattern import Pattern, PatternType, Shown, may_be_kept
from loremap.sessions.becoming import WRITER, speaking_for
from loremap.sessions.learning.repairs import lesson
from loremap.storage import memories, pattern_sightings, patterns

MAX_LOOKED_AT = 1_000
MAX_TOLD = 20
"""So many admissions at once; the end of the next session goes on."""
MAX_NAMED = 5
"""Sessions that are named beside a memory; each has a source of its own."""


def kept_as_memories(here: Workspace) -> list[Outcome]:
    """Let the established patterns of the project become memories, and tell those that are memories
    already which sessions showed them since; what came of each that is new."""
    if here.project_id is None:
        return []
    with here.store.read() as conn:
        found = patterns.of_project(conn, here.project_id, limit=MAX_LOOKED_AT)
    established = (pattern for pattern in found if may_be_kept(pattern))
    told = (one for pattern in established for one in _kept(here, pattern))
    return [one for one in islice(told, MAX_TOLD) if isinstance(one, Stored)]


def _kept(here: Workspace, pattern: Pattern) -> Iterator[Outcome]:
    with here.store.read() as conn:
        shown = pattern_sightings.of_pattern(conn, pattern.id)
        known = memories.by_ids(conn, [pattern.memory_id] if pattern.memory_id else [])
    if known and not known[0].active:
        return  # somebody did not want it
    showing = [one for one in shown if one.supports]
    said = known[0].content if known else _said(pattern, showing)
    for one in showing:
        if said and not one.remembered:
            yield _told(here, pattern, one, showing, said, known)


def _told(
    here: Workspace,
    pattern: Pattern,
    one: Shown,
    showing: Sequence[Shown],
    said: str,
    known: Sequence[Memory],
) -> Outcome:
    named = ", ".join(short_id(each.session_id) for each in showing[:MAX_NAMED])
    candidate = Candidate(
        content=said,
        kind=known[0].kind if known else KINDS[pattern.type],
        origin=Origin.OBSERVED,
        created_by=WRITER,
        confidence=pattern.confidence,
        session_id=one.session_id,
        agent=one.client,
        role=one.data.get("agent"),
        confidence_reason=f"{pattern.type.value}, seen {pattern.observed} times in "
        f"{pattern.sessions} sessions: {named}",
        files=_files(pattern),
        created_at=one.last,
    )
    outcome = remembering.admit(speaking_for(here, one.session_id, one.client), candidate)
    memory_id = None if isinstance(outcome, Refused) else outcome.memory.id
    with here.store.append() as conn:
        pattern_sightings.note_remembered(conn, pattern.id, one.session_id, memory_id)
    return outcome


KINDS = {
    PatternType.CO_EDIT: Kind.DEPENDENCY_RELATION,
    PatternType.ERROR_FIX: Kind.ERROR_PATTERN,
    PatternType.REFACTOR: Kind.PROCEDURE,
    PatternType.REPEATED_SEARCH: Kind.CODEBASE_DISCOVERY,
}


def _files(pattern: Pattern) -> tuple[str, ...]:
    data = pattern.data
    one = data.get("updated") or data.get("found")
    return (one,) if isinstance(one, str) else tuple(data.get("files", ()))


def _said(pattern: Pattern, showing: Sequence[Shown]) -> str:
    """What the memory says; empty where there is nothing to say. Of an error the words of the first
    session that mended it so: its finding may be a memory already, and is that one then."""
    data = pattern.data
    match pattern.type:
        case PatternType.CO_EDIT:
            first, second = data["files"]
            return f"`{first}` and `{second}` are mostly changed together."
        case PatternType.ERROR_FIX:
            first_so = next((one.data for one in showing if _is_same(one.data, data)), data)
            said = (str(first_so[name]) for name in ("command", "error", "cause", "fix"))
            return lesson(*said, edited=bool(first_so["edited"]))
        case PatternType.REFACTOR:
            where = f"`{data['renamed_in']}`"
            return f"What is renamed in {where} is renamed in `{data['updated']}` as well."
        case PatternType.REPEATED_SEARCH if data.get("found"):
            return f"`{data['query']}` is searched for again and again: see `{data['found']}`."
    return ""


def _is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    shared = set(one["files"]) & set(other["files"])
    return bool(shared) or one["fix"] == other["fix"]
