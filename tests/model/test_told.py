"""Which memories a hook tells by itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from loremap.model.kind import Kind
from loremap.model.memory import Memory, Origin, Scope, Status, Trigger
from loremap.model.told import is_told, warns

AT = datetime(2026, 5, 4, tzinfo=UTC)
WARNING = Memory(
    id="a" * 32,
    kind=Kind.WARNING,
    content="Never push by force.",
    summary="Never push by force.",
    scope=Scope.PROJECT,
    project_id="p",
    status=Status.CONFIRMED,
    origin=Origin.USER_STATED,
    created_at=AT,
    updated_at=AT,
    last_accessed_at=AT,
    triggers=(Trigger("literal", "git push --force", "command"),),
    fingerprint="f",
)


@pytest.mark.parametrize(
    ("changes", "speaks_up", "told"),
    [
        ({}, True, True),
        ({"triggers": (), "files": ("a.py",)}, True, True),
        ({"triggers": ()}, False, True),  # a warning belongs to what a session begins with
        ({"status": Status.CANDIDATE}, False, False),
        ({"status": Status.RETRACTED}, False, False),
        ({"status": Status.SUPERSEDED}, False, False),
        ({"deleted_at": AT}, False, False),
        ({"tainted": True}, False, False),
        ({"scope": Scope.SESSION}, False, True),
        ({"kind": Kind.FACT}, False, False),
        ({"kind": Kind.FACT, "pinned": True}, False, True),
        ({"kind": Kind.FACT, "pinned": True, "status": Status.CANDIDATE}, False, False),
        ({"kind": Kind.DECISION}, False, True),
        ({"kind": Kind.GOTCHA, "triggers": ()}, False, False),
    ],
)
def test_what_is_told(changes: dict[str, object], speaks_up: bool, told: bool) -> None:
    memory = replace(WARNING, **changes)  # type: ignore[arg-type]
    assert (warns(memory), is_told(memory)) == (speaks_up, told)
