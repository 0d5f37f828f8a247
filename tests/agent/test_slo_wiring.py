"""The monitor at work: a slow memory agent looks at less, and at all again when it is quick."""

from __future__ import annotations

from agent_tools import Scene

from loremap.agent.service_level import REDUCED, WINDOW, Health

PARTS = ("lid", "hinge", "latch", "axle", "belt", "motor", "scale", "lamp", "chute", "rail")


def told(scene: Scene) -> int:
    """How many candidates the memory agent looks at for a question that all memories fit."""
    answer = scene.session_agent.asked(
        scene.folder, "How is the parcel sorter oiled?", session_id=None, client="claude", limit=15
    )
    assert answer.trace is not None
    return len(answer.trace.verdicts)


def test_degraded_it_looks_at_less_and_recovers(scene: Scene) -> None:
    scene.workspaces.engine.slot.use(None)
    for place, part in enumerate(PARTS):
        scene.remember(f"The {part} of the parcel sorter is oiled with number {place}{place} oil")
    whole = told(scene)
    assert whole > REDUCED.top

    for _ in range(WINDOW):
        scene.session_agent.monitor.took(500.0)
    assert scene.session_agent.monitor.health is Health.DEGRADED
    assert told(scene) == REDUCED.top

    for _ in range(WINDOW):
        scene.session_agent.monitor.took(20.0)
    assert scene.session_agent.monitor.health is Health.HEALTHY
    assert told(scene) == whole


def test_every_prompt_that_is_answered_counts(scene: Scene) -> None:
    scene.remember("Parcels are weighed twice before they leave the hall")
    assert scene.session_agent.monitor.pace.count == 0
    scene.start()
    for number in range(3):
        scene.prompt(f"How often are parcels weighed in hall {number}?")
    pace = scene.session_agent.monitor.pace
    assert pace.count == 3
    assert pace.p95_ms is not None
    assert pace.p95_ms > 0
    assert pace.health is Health.UNKNOWN, "too few to say"
