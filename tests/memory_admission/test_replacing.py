"""Who may take whose place: tables of trust, pins, taint and standing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from loremap.memory.admission.admit import _surely_replaces, may_replace
from loremap.model.kind import Kind
from loremap.model.memory import TRUST, Memory, Origin, Scope, Status

AT = datetime(2026, 1, 1, tzinfo=UTC)
AGENT, USER = Origin.OBSERVED, Origin.USER_STATED


def memory(origin: Origin, status: Status, *, later: bool = False, **more: Any) -> Memory:
    at = AT + timedelta(days=later)
    return Memory(
        id="0" * 32, kind=Kind.FACT, content="x", summary="x", status=status,
        scope=Scope.PROJECT, project_id="p", created_at=at, updated_at=at, last_accessed_at=at,
        origin=origin, fingerprint="", **({"trust": TRUST[origin]} | more),
    )  # fmt: skip


OLD_NOTE = memory(AGENT, Status.CANDIDATE)
OLD_RULE = memory(USER, Status.CONFIRMED)
CASES = [
    # new, old, may replace when asked to, replaces by itself
    (memory(AGENT, Status.CANDIDATE, later=True), OLD_NOTE, True, True),
    (memory(AGENT, Status.CANDIDATE, later=True), OLD_RULE, False, False),
    (memory(USER, Status.CONFIRMED, later=True), OLD_RULE, True, True),
    (memory(USER, Status.CONFIRMED, later=True), OLD_NOTE, True, True),
    # trust
    (memory(AGENT, Status.CANDIDATE, later=True, trust=0.5), OLD_NOTE, False, False),
    (memory(USER, Status.CONFIRMED, later=True, trust=0.5), OLD_RULE, True, False),
    # pins
    (
        memory(AGENT, Status.CANDIDATE, later=True),
        memory(AGENT, Status.CANDIDATE, pinned=True), False, False,
    ),
    (
        memory(USER, Status.CONFIRMED, later=True),
        memory(USER, Status.CONFIRMED, pinned=True), True, False,
    ),
    # taint
    (memory(USER, Status.CONFIRMED, later=True, tainted=True), OLD_RULE, False, False),
    (memory(AGENT, Status.CANDIDATE, later=True, tainted=True), OLD_NOTE, False, False),
    # time, and what no longer speaks
    (OLD_RULE, memory(USER, Status.CONFIRMED, later=True), True, False),
    (memory(USER, Status.CONFIRMED), memory(USER, Status.SUPERSEDED), False, True),
    # an agent's note that the same agent's trust would outweigh
    (memory(AGENT, Status.CANDIDATE, later=True, trust=2.0), OLD_RULE, False, False),
]  # fmt: skip


@pytest.mark.parametrize(("new", "old", "may", "surely"), CASES)
def test_whose_place_it_takes(new: Memory, old: Memory, may: bool, surely: bool) -> None:
    assert (may_replace(new, old), _surely_replaces(new, old)) == (may, surely)
