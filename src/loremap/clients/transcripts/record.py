"""One thing that a transcript tells, in one form for every client."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from loremap.model.hook import ToolCall

Raw = Mapping[str, Any]


class Role(StrEnum):
    """Who speaks in a record."""

    USER = "user"
    AGENT = "agent"
    CALL = "call"
    RESULT = "result"
    SUMMARY = "summary"
    """The client's own summary after a compaction; nobody said it."""
    USAGE = "usage"
    """How full the context is; nobody said anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One thing said or done. What hooks put in is left out."""

    role: Role
    at: datetime | None = None
    text: str = ""
    tool: ToolCall | None = None
    """With CALL the call alone; with RESULT its id and what came of it."""
    in_subagent: bool = False
    context_tokens: int | None = None
    """How much of the context was used when this was written."""
    window_tokens: int | None = None
    offset: int = 0
    """Where its line begins in the file."""


Lines = Iterable[tuple[int, bytes]]
"""Lines of a transcript, each with where it begins."""
LineReader = Callable[[Raw], Iterable[Record]]
"""The records of one line, as one client writes it."""


def objects(lines: Lines) -> Iterator[tuple[int, Raw]]:
    """The JSON objects in lines; a line that is cut off or broken is passed over."""
    for offset, line in lines:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield offset, found


def time_of(value: object) -> datetime | None:
    """A time as transcripts write it; None where it is none."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
