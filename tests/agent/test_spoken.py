"""What counts as a user's own word."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from loremap.agent.lately import LATELY, Spoken

START = datetime(2026, 11, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "client", "session", "later", "said"),
    [
        ("remember that ports start at 4000", "claude", "s1", timedelta(), True),
        ("Ports  start\nat 4000", "claude", "s1", timedelta(), True),
        ("start ports at 4000", "claude", "s1", timedelta(), False),  # the same words, other sense
        ("ports start 4000", "claude", "s1", timedelta(), False),
        ("ports start at 4000", "claude", "s1", timedelta(), True),
        ("ports start at 5000", "claude", "s1", timedelta(), False),
        ("ports start at 4000", "claude", None, timedelta(), True),  # it tells no session
        ("ports start at 4000", "claude", "s2", timedelta(), False),
        ("ports start at 4000", "codex", "s1", timedelta(), False),
        ("ports start at 4000", "claude", "s1", LATELY + timedelta(seconds=1), False),
        ("", "claude", "s1", timedelta(), False),
        ("ports start at 40", "claude", "s1", timedelta(), False),  # not in whole words
        ("member that ports", "claude", "s1", timedelta(), False),
    ],
)
def test_it_was_typed_here_and_lately(
    text: str, client: str, session: str | None, later: timedelta, said: bool
) -> None:
    now = [START]
    spoken = Spoken(lambda: now[0])
    spoken.note("/remember that ports start at 4000", client="claude", session_id="s1")
    spoken.note("thanks", client="claude", session_id="s1")
    now[0] += later
    assert spoken.is_said(text, client=client, session_id=session) is said
