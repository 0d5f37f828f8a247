"""Keeps what a session shows of patterns, once however often it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from loremap.memory.workspace import Workspace
from loremap.model.pattern import Sighting
from loremap.model.session import Session
from loremap.model.turn import Turn
from loremap.safety.redaction import redacted
from loremap.sessions.patterns.edits import inside
from loremap.sessions.patterns.read import sightings_of
from loremap.sessions.turns import as_named
from loremap.storage import pattern_sightings, tasks


def keep_patterns(
    here: Workspace, session: Session, turns: Sequence[Turn], *, injected: Sequence[str] = ()
) -> None:
    """Keep what the turns of a session show, in place of what was kept of it before. Outside a
    project nothing happens again."""
    if here.project_id is None:
        return
    with here.store.read() as conn:
        known = pattern_sightings.of_others(conn, here.project_id, session.id)
        named = tasks.begun_by_person(conn, here.project_id)
    own = _own(session, turns)
    found = sightings_of(inside(as_named(here, own)), known, injected=injected, named=named)
    with here.store.append() as conn:
        pattern_sightings.put(
            conn,
            here.project_id,
            session.id,
            [_clean(one) for one in found],
            client=session.client,
            now=session.last_at or session.created_at,
        )


def _own(session: Session, turns: Sequence[Turn]) -> Sequence[Turn]:
    """The turns without those that a fork has from its parent, which shows them itself."""
    if session.parent_id is None:
        return turns
    return [turn for turn in turns if turn.at is None or turn.at >= session.created_at]


def _clean(one: Sighting) -> Sighting:
    return replace(one, data=_redacted(one.data), files=tuple(map(_redacted_text, one.files)))


def _redacted(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _redacted_value(value) for name, value in data.items()}


def _redacted_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_redacted_value(one) for one in value]
    return _redacted_text(value) if isinstance(value, str) else value


def _redacted_text(text: str) -> str:
    return redacted(text).text
