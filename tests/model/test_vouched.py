"""Who stands behind a memory: a person, or only its use."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from loremap.memory.brief.said import BORNE_OUT, UNVERIFIED, Register, memory_piece, register_of
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Origin, Scope, Status
from loremap.model.recall import Hit
from loremap.model.told import is_told, warns

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NOTED = Memory(
    id="0" * 32,
    kind=Kind.WARNING,
    content="The cache is filled late.",
    summary="The cache is filled late.",
    status=Status.CANDIDATE,
    scope=Scope.PROJECT,
    project_id="p",
    created_at=NOW,
    updated_at=NOW,
    last_accessed_at=NOW,
    origin=Origin.OBSERVED,
    fingerprint="f",
    files=("src/cache.py",),
)
USED = replace(NOTED, status=Status.CONFIRMED, promoted_at=NOW)
STATED = replace(NOTED, status=Status.CONFIRMED)


@pytest.mark.parametrize(
    ("memory", "register", "mark", "told", "warned"),
    [
        (NOTED, Register.NOTED, UNVERIFIED, False, False),
        (USED, Register.NOTED, BORNE_OUT, True, False),  # told at the start, never unasked
        (STATED, Register.DECIDED, "", True, True),
    ],
)
def test_what_use_bears_out_is_nobodys_word(
    memory: Memory, register: Register, mark: str, told: bool, warned: bool
) -> None:
    assert register_of(memory) is register
    line = memory_piece(Hit(memory, 1.0), titled=False).text
    assert [one for one in (UNVERIFIED, BORNE_OUT) if one in line] == ([mark] if mark else [])
    assert (is_told(memory), warns(memory)) == (told, warned)
