"""The table of kinds covers every kind and every name the design documents use."""

from __future__ import annotations

import pytest

from loremap.model.kind import RULES, Kind, kind_named


def test_every_kind_has_its_rule() -> None:
    assert set(RULES) == set(Kind)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("negative", Kind.WARNING),
        ("pattern", Kind.CONVENTION),
        ("error", Kind.ERROR_PATTERN),
        ("Human Feedback", Kind.HUMAN_FEEDBACK),
        (" dead-end ", Kind.DEAD_END),
        ("gotcha", Kind.GOTCHA),
        ("no such", None),
    ],
)
def test_a_kind_is_found_by_every_word_for_it(name: str, kind: Kind | None) -> None:
    assert kind_named(name) is kind


@pytest.mark.parametrize(
    ("kinds", "half_life", "candidate"),
    [
        ("decision convention architecture dependency_relation codebase_map", None, 180),
        ("human_feedback", None, None),
        ("correction warning", 365, 365),
        ("preference", 180, 365),
        ("procedure", 60, 180),
        ("pr_review pr_finding pr_pattern", 90, 180),
        ("gotcha error_pattern dead_end pr_gotcha", 60, 90),
        ("fact session_insight task_outcome", 30, 60),
        ("discovery codebase_discovery", 30, 21),
        ("context environment_quirk work_state task_progress", 7, 14),
        ("file_change", 14, 21),
    ],
)
def test_lives_are_those_of_the_design(
    kinds: str, half_life: int | None, candidate: int | None
) -> None:
    for kind in map(Kind, kinds.split()):
        assert (RULES[kind].half_life_days, RULES[kind].candidate_days) == (half_life, candidate)


def test_only_working_state_is_bound_to_a_branch() -> None:
    bound = {kind.value for kind, rule in RULES.items() if rule.branch_bound}
    assert bound == {"context", "work_state", "task_progress"}
