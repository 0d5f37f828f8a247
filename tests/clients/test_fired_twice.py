"""Which events of a session are one event fired twice, row by row."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from loremap.agent.intake.recent import Recent
from loremap.model.hook import HookEvent, Moment

AT = datetime(2026, 11, 16, tzinfo=UTC)
START, PROMPT, STOP, TOOL = (
    Moment.SESSION_START,
    Moment.PROMPT,
    Moment.STOP,
    Moment.AFTER_TOOL,
)


def event(moment: Moment, after_s: float) -> HookEvent:
    return HookEvent(
        client="copilot",
        name=moment.value,
        moment=moment,
        session_id="s1",
        at=AT + timedelta(seconds=after_s),
        key=f"{moment.value} of the same words",
    )


@pytest.mark.parametrize(
    ("told", "new"),
    [
        ([(START, 0), (START, 0.1)], [True, False]),
        ([(START, 0), (PROMPT, 0.1), (START, 0.2), (PROMPT, 0.3)], [True, True, False, False]),
        ([(PROMPT, 0), (STOP, 1), (PROMPT, 2)], [True, True, True]),
        ([(PROMPT, 0), (STOP, 1), (PROMPT, 2), (PROMPT, 2.1)], [True, True, True, False]),
        ([(PROMPT, 0), (PROMPT, 6)], [True, True]),
        ([(TOOL, 0), (TOOL, 0.1)], [True, False]),
        ([(TOOL, 0), (PROMPT, 1), (TOOL, 2)], [True, True, True]),
    ],
    ids=["two starts", "mixed", "said again", "again, twice", "much later", "tools", "tool again"],
)
def test_fired_twice(told: list[tuple[Moment, float]], new: list[bool]) -> None:
    recent = Recent()
    assert [recent.is_new(event(moment, after_s)) for moment, after_s in told] == new
