"""How far each session of the past was read: noted once, and moved on."""

from __future__ import annotations

from datetime import UTC, datetime

from loremap.storage import past_reads
from loremap.storage.store import Store

NOW = datetime(2026, 5, 4, tzinfo=UTC)


def test_a_session_has_the_mark_that_was_noted_last(store: Store) -> None:
    with store.append() as conn:
        past_reads.note(conn, "claude", "s", "10:1", NOW)
        past_reads.note(conn, "codex", "s", "7:1", NOW)
        past_reads.note(conn, "claude", "s", "20:2", NOW)
    with store.read() as conn:
        assert past_reads.marks(conn) == {("claude", "s"): "20:2", ("codex", "s"): "7:1"}
