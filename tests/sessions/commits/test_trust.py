"""Whose commits may speak without a person's word."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from commit_tools import OTHER, USER

from loremap.code.commits import Commit
from loremap.sessions.commits.trust import Trust


@pytest.mark.parametrize(
    ("by", "made_here", "established", "on_trunk", "speaks"),
    [
        (OTHER, ("c1",), (), False, True),  # whoever made it, it was made in this clone
        (USER, (), (), True, True),
        (USER, (), (), False, False),  # a pull request may bear the user's name
        (OTHER, (), (OTHER,), True, False),  # a foreign project, however long its history
        (OTHER, (), (OTHER, USER), True, True),
        (OTHER, ("c2",), (OTHER,), True, True),
        (OTHER, ("c2",), (OTHER,), False, False),
        (OTHER, ("c2",), (), True, False),
    ],
)
def test_who_may_speak(
    by: str,
    made_here: tuple[str, ...],
    established: tuple[str, ...],
    on_trunk: bool,
    speaks: bool,
) -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    commit = Commit(id="c1", parents=(), author="A", email=by, at=at, message="m")
    trust = Trust(made_here=frozenset(made_here), user=USER, established=frozenset(established))
    assert trust.in_commit(commit, on_trunk=on_trunk) is speaks


def test_nobody_is_the_user_of_a_clone_without_an_address() -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    commit = Commit(id="c1", parents=(), author="A", email="", at=at, message="m")
    trust = Trust(made_here=frozenset(), user="", established=frozenset())
    assert not trust.in_commit(commit, on_trunk=True)
