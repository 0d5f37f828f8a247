"""Memories and hits as the tests of injection need them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from loremap.model.anchor import Checked, Freshness
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Origin, Scope, Status
from loremap.model.recall import Hit

AT = datetime(2026, 1, 1, tzinfo=UTC)
_numbers = count(1)


def memory(text: str, **more: Any) -> Memory:
    """A confirmed memory of a person's; each a millisecond younger than the one before."""
    number = next(_numbers)
    at = AT + timedelta(milliseconds=number)
    usual: dict[str, Any] = {
        "id": f"{number:08x}" + "0" * 24,
        "kind": Kind.GOTCHA,
        "content": text,
        "summary": text,
        "status": Status.CONFIRMED,
        "scope": Scope.PROJECT,
        "project_id": "p",
        "created_at": at,
        "updated_at": at,
        "last_accessed_at": at,
        "origin": Origin.USER_STATED,
        "fingerprint": "",
    }
    return Memory(**(usual | more))


def hit(text: str, *files: str, freshness: Freshness | None = None, **more: Any) -> Hit:
    """A memory that answers."""
    check = None if freshness is None else Checked(freshness, why="it was changed")
    return Hit(memory(text, files=files, **more), 1.0, freshness=check)
