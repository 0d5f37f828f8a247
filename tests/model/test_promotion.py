"""Signals, points, presets, filters and quarantine of candidates."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from loremap.model.kind import Kind
from loremap.model.memory import Memory, Origin, Provenance, Scope, Status
from loremap.model.promotion import (
    FACT_USES,
    HIGH_IMPORTANCE,
    POINTS,
    PRESETS,
    QUARANTINE,
    UNUSED_IMPORTANCE,
    Preset,
    PromotionSignal,
    Verdict,
    judged,
    points,
    promotion_signals,
    uses,
)
from loremap.model.signal import Sign, Signal, Voice

NOW = datetime(2026, 3, 1, tzinfo=UTC)
P = PromotionSignal


def memory(**changes: object) -> Memory:
    base = Memory(
        id="0" * 32,
        kind=Kind.GOTCHA,
        content="The cache of templates is filled before the settings are read.",
        summary="x",
        status=Status.CANDIDATE,
        scope=Scope.PROJECT,
        project_id="p",
        created_at=NOW,
        updated_at=NOW,
        last_accessed_at=NOW,
        origin=Origin.CONVERSATION,
        fingerprint="f",
        created_by="agent:claude",
        agent="claude",
        session_id="s1",
        importance=0.5,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def used(session: str | None, agent: str = "claude", sign: Sign = Sign.USED) -> Signal:
    return Signal(
        memory_id="0" * 32,
        sign=sign,
        voice=Voice.INFERRED,
        at=NOW,
        actor=f"agent:{agent}",
        session_id=session,
        agent=agent,
    )


def said(actor: str, session: str, source: Origin = Origin.CONVERSATION) -> Provenance:
    return Provenance(source, NOW, session, actor=actor)


SEEN = {"created_by": "rule:session", "agent": "claude"}
ROLE = SEEN | {"agent": "Explore"}


def seen(session: str, agent: str = "claude") -> Provenance:
    """A rule saw it in what was done in a session."""
    return replace(said("rule:session", session, Origin.OBSERVED), agent=agent)


def test_the_points_and_presets_are_those_of_the_design() -> None:
    assert {one.value: worth for one, worth in POINTS.items()} == {
        "user-intent": 5,
        "explicit-pin": 5,
        "multi-session": 2,
        "error-resolution": 2,
        "multi-agent": 1,
        "high-importance": 1,
    }
    assert {
        "conservative": Preset(4, 0.4, 50),
        "balanced": Preset(3, 0.25, 30),
        "aggressive": Preset(2, 0.15, 20),
    } == PRESETS
    assert timedelta(hours=24) == QUARANTINE
    assert (UNUSED_IMPORTANCE, HIGH_IMPORTANCE, FACT_USES) == (0.8, 0.7, 3)


@pytest.mark.parametrize(
    ("changes", "sources", "signals", "found"),
    [
        ({}, [], [], set()),
        ({"importance": 0.7}, [], [], {P.HIGH_IMPORTANCE}),
        ({"importance": 0.69}, [], [], set()),
        ({"kind": Kind.ERROR_PATTERN}, [], [], {P.ERROR_RESOLUTION}),
        ({"pinned": True}, [], [], {P.EXPLICIT_PIN}),
        ({"confirmations": 1}, [], [], {P.USER_INTENT}),
        ({}, [said("user", "s2", Origin.USER_STATED)], [], {P.USER_INTENT, P.MULTI_SESSION}),
        ({}, [], [used("s2")], {P.MULTI_SESSION}),
        ({}, [], [used("s2", "codex")], {P.MULTI_SESSION, P.MULTI_AGENT}),
        ({}, [], [used("s1")], set()),  # the session that wrote it
        ({}, [said("agent:claude", "s2")], [], set()),  # it repeats itself
        ({}, [said("agent:codex", "s2")], [], {P.MULTI_SESSION}),
        ({}, [], [used("s2", sign=Sign.HELPFUL)], set()),  # a vote is no work
        (SEEN, [seen("s1")], [], set()),
        (ROLE, [seen("s1")], [used("s1")], set()),  # its own subagents
        (ROLE, [seen("s1"), seen("s2")], [used("s3")], {P.MULTI_SESSION}),  # of the same client
        (ROLE, [seen("s1"), seen("s2", "codex")], [], {P.MULTI_SESSION, P.MULTI_AGENT}),
        (SEEN, [seen("s1"), seen("s2")], [], {P.MULTI_SESSION}),
        (SEEN, [seen("s2")], [], {P.MULTI_SESSION}),  # what s1 said was its agent's word
        (SEEN, [seen("s1"), seen("s2", "codex")], [], {P.MULTI_SESSION, P.MULTI_AGENT}),
        (SEEN, [said("rule:session", "s2", Origin.EXTRACTED)], [], set()),  # an agent repeats it
    ],
)
def test_what_speaks_for_a_candidate(
    changes: dict[str, object],
    sources: list[Provenance],
    signals: list[Signal],
    found: set[PromotionSignal],
) -> None:
    assert promotion_signals(memory(**changes), sources=sources, signals=signals) == found


@pytest.mark.parametrize(
    ("changes", "signals", "count"),
    [
        ({}, [], 0),
        ({}, [used("s1")], 0),
        ({}, [used("s2"), used("s3")], 2),
        ({}, [used("s2", sign=Sign.HELPFUL)], 0),  # its writer's own vote
        ({}, [used("s2", "codex", Sign.HELPFUL)], 1),
        ({}, [used("s2", "codex", Sign.UNHELPFUL)], 0),
        ({"confirmations": 2}, [], 2),
    ],
)
def test_what_counts_as_use(changes: dict[str, object], signals: list[Signal], count: int) -> None:
    assert uses(memory(**changes), signals) == count


DAY = timedelta(days=1)
OLD = NOW - DAY
ENOUGH = [used("s2", "codex")]  # multi-session and multi-agent: three points


@pytest.mark.parametrize(
    ("changes", "signals", "preset", "verdict"),
    [
        ({}, [], "balanced", Verdict.WAIT),
        ({}, [used("s2")], "balanced", Verdict.WAIT),  # two points
        ({}, [used("s2")], "aggressive", Verdict.QUARANTINE),
        ({}, ENOUGH, "balanced", Verdict.QUARANTINE),
        ({}, ENOUGH, "conservative", Verdict.WAIT),
        ({"importance": 0.7}, ENOUGH, "conservative", Verdict.QUARANTINE),
        ({"promoted_at": NOW}, ENOUGH, "balanced", Verdict.WAIT),  # still in quarantine
        ({"promoted_at": OLD}, ENOUGH, "balanced", Verdict.CONFIRM),
        (
            {"promoted_at": OLD, "kind": Kind.ERROR_PATTERN, "importance": 0.7},
            [],
            "balanced",
            Verdict.PENALTY,
        ),
        (
            {"promoted_at": OLD, "judged_at": NOW, "kind": Kind.ERROR_PATTERN, "importance": 0.7},
            [],
            "balanced",
            Verdict.WAIT,  # the penalty is given once
        ),
        (
            {"promoted_at": OLD, "judged_at": NOW, "kind": Kind.ERROR_PATTERN, "importance": 0.7},
            [used("s2")],
            "balanced",
            Verdict.CONFIRM,  # used later
        ),
        ({"content": "short, of twenty-nine signs.."}, ENOUGH, "balanced", Verdict.WAIT),
        ({"importance": 0.24}, ENOUGH, "balanced", Verdict.WAIT),
        ({"importance": 0.2, "confirmations": 1}, [], "balanced", Verdict.CONFIRM),  # no filter
        ({"tainted": True, "promoted_at": OLD}, ENOUGH, "balanced", Verdict.WAIT),
        ({"unhelpful": 3, "promoted_at": OLD}, ENOUGH, "balanced", Verdict.WAIT),
        ({"status": Status.RETRACTED, "promoted_at": OLD}, ENOUGH, "balanced", Verdict.WAIT),
        ({"deleted_at": NOW, "promoted_at": OLD}, ENOUGH, "balanced", Verdict.WAIT),
        ({"kind": Kind.FACT}, [used("a"), used("b"), used("c")], "balanced", Verdict.CONFIRM),
        ({"kind": Kind.FACT}, [used("a"), used("b")], "balanced", Verdict.WAIT),
    ],
)
def test_what_becomes_of_a_candidate(
    changes: dict[str, object], signals: list[Signal], preset: str, verdict: Verdict
) -> None:
    found = judged(memory(**changes), preset=PRESETS[preset], sources=(), signals=signals, now=NOW)
    assert found.verdict is verdict, found.reason


def test_points_add_up() -> None:
    assert points(frozenset(P)) == 16
    assert points(frozenset()) == 0
