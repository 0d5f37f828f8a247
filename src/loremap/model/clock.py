"""Times as they are stored (milliseconds since 1970, UTC) and ids that can be merged."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from uuid_utils import uuid7

SHORT_ID = 8
"""Letters of a short id."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_ms(at: datetime) -> int:
    """`at` in milliseconds since 1970."""
    return int((at - _EPOCH) // timedelta(milliseconds=1))


def from_ms(ms: int) -> datetime:
    """The time `ms` milliseconds after 1970, in UTC."""
    return _EPOCH + timedelta(milliseconds=ms)


def optional_ms(at: datetime | None) -> int | None:
    """`to_ms`, keeping None."""
    return None if at is None else to_ms(at)


def optional_time(ms: int | None) -> datetime | None:
    """`from_ms`, keeping None."""
    return None if ms is None else from_ms(ms)


def new_id() -> str:
    """An id no other machine makes, so that stores can be merged; it begins with the time, so that
    a database finds what was written together in one place, and ends in chance."""
    return str(uuid7().hex)


def short_id(id_: str) -> str:
    """As much of an id as a person or an agent needs: its end, for the beginning is a time."""
    return id_[-SHORT_ID:]
