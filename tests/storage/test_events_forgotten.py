"""What is forgotten for good is gone from the log of sessions too."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import loremap
from loremap.model.event import Event
from loremap.model.hook import FileUse, Moment, Operation
from loremap.model.outcome import Stored
from loremap.storage import events

SAID = 'The "blue" queue drops jobs after\na day'
IN_A_LINE = "+2: " + SAID.splitlines()[0]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", f"remember that {SAID}, please"),
        ("result", f"stored: {SAID}"),
        ("why", SAID),
        ("error", f"failed: {SAID}"),
        ("result", f"a.md {IN_A_LINE}"),
        ("files", (FileUse(path="a.md", operation=Operation.EDIT, changed=IN_A_LINE),)),
        ("parameters", '{"content": "The \\"blue\\" queue drops jobs after\\na day"}'),
    ],
)
def test_an_event_that_tells_an_erased_memory_goes_with_it(
    home: Path, tmp_path: Path, field: str, value: Any
) -> None:
    now = datetime(2026, 11, 16, tzinfo=UTC)
    with loremap.open(tmp_path) as lore:
        stored = lore.remember(SAID)
        assert isinstance(stored, Stored)
        told: tuple[tuple[str, dict[str, Any]], ...] = (
            ("tells", {field: value}),
            ("other", {"text": "the queue is slow"}),
        )
        made = [
            Event(id=name, at=now, client="claude", moment=Moment.PROMPT, session_id="s", **more)
            for name, more in told
        ]
        with lore.store.append() as conn:
            events.append(conn, made)
        lore.forget(stored.memory.id, now_and_forever=True)
        with lore.store.read() as conn:
            assert [event.id for event in events.of_session(conn, "s")] == ["other"]
        if not lore.store.on_server:
            assert b"blue" not in (home / "lore.db").read_bytes()
