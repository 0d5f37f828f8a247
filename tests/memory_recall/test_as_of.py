"""A memory as it was at a time of the past."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from loremap.memory.as_of import as_of
from loremap.model.kind import Kind
from loremap.model.memory import Change, Memory, Origin, Scope, Status
from loremap.model.record import to_record

BORN = datetime(2026, 5, 4, tzinfo=UTC)


def day(number: float) -> datetime:
    return BORN + timedelta(days=number)


FIRST = Memory(
    id="m1",
    kind=Kind.FACT,
    content="first",
    summary="first",
    status=Status.CANDIDATE,
    scope=Scope.PROJECT,
    project_id="p",
    created_at=BORN,
    updated_at=BORN,
    last_accessed_at=BORN,
    origin=Origin.USER_STATED,
    fingerprint="f",
)
EDITED = replace(FIRST, content="second", updated_at=day(2), version=2)
KEPT = replace(EDITED, status=Status.CONFIRMED, updated_at=day(4), version=3)
GONE = replace(KEPT, status=Status.RETRACTED, updated_at=day(6), version=4)


def change(at: float, before: Memory | None, action: str = "edit") -> Change:
    record = None if before is None else to_record(before)
    return Change(f"c{at}", "m1", 1, action, day(at), "user", record)


HISTORY = [change(0, None, "add"), change(2, FIRST), change(4, EDITED), change(6, KEPT)]


@pytest.mark.parametrize(
    ("at", "content", "status"),
    [
        (-1, None, None),
        (0, None, None),  # not there before it was there
        (1, "first", Status.CANDIDATE),
        (2, "first", Status.CANDIDATE),
        (3, "second", Status.CANDIDATE),
        (5, "second", Status.CONFIRMED),
        (7, None, None),  # withdrawn
    ],
)
def test_a_memory_says_what_it_said_then(
    at: float, content: str | None, status: Status | None
) -> None:
    then = as_of(GONE, HISTORY, day(at))
    assert (then and then.content, then and then.status) == (content, status)


def test_what_was_imported_later_was_there_from_its_date_on() -> None:
    """It bears the date of what it tells of; its history begins when it came in."""
    then = as_of(FIRST, [change(9, None, "add")], day(1))
    assert then is not None
    assert then.content == "first"


@pytest.mark.parametrize(
    ("used_at", "uses", "left", "accessed"),
    [(1, 3, 3, 1), (8, 3, 0, 0)],
)
def test_a_use_after_that_time_does_not_count(
    used_at: float, uses: int, left: int, accessed: float
) -> None:
    """By then it was used less often, and how often is not known: nothing is counted."""
    used = replace(FIRST, uses=uses, last_accessed_at=day(used_at))
    then = as_of(used, [], day(5))
    assert then is not None
    assert (then.uses, then.last_accessed_at) == (left, day(accessed))
