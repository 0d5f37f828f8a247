"""What was written on a branch that is not merged waits there, or says which branch it is from."""

from __future__ import annotations

from datetime import timedelta

import pytest

from loremap.model.anchor import Freshness
from loremap.model.branches import AFTER, Seen, Standing, Telling, Written, standing, telling
from loremap.model.kind import Kind
from loremap.model.memory import Scope

HERE, MERGED, UNMERGED = Standing.HERE, Standing.MERGED, Standing.UNMERGED
OLD, NEW = timedelta(days=31), timedelta(days=1)
BASE, OWN, NEXT = "ba5e", "0b1ec7", "1ec7"


def main(**facts: object) -> Seen:
    """What is seen from the trunk."""
    return Seen(branch="main", trunk="main", **facts)  # type: ignore[arg-type]


def tips(*commits: str) -> dict[str, frozenset[str]]:
    return {"feature": frozenset(commits)}


@pytest.mark.parametrize(
    ("written", "seen", "age", "stands"),
    [
        (Written(None, BASE), main(), NEW, HERE),  # a detached head, or no repository
        (Written("main", BASE), main(), NEW, HERE),
        # What the trunk learned after a branch was begun holds on that branch.
        (Written("main", NEXT), Seen(branch="feature", trunk="main", outside=frozenset({NEXT})),
         NEW, HERE),
        (Written("feature", OWN), Seen(branch="feature", trunk="main"), NEW, HERE),
        # A commit of its own.
        (Written("feature", OWN), main(tips=tips(OWN), outside=frozenset({OWN})), NEW, UNMERGED),
        (Written("feature", OWN), main(tips=tips(OWN)), NEW, MERGED),
        (Written("feature", OWN), main(tips=tips(NEXT), outside=frozenset({NEXT})), NEW, MERGED),
        # Written before the branch had one: it speaks of what follows.
        (Written("feature", BASE + AFTER), main(tips=tips(BASE)), NEW, UNMERGED),
        (Written("feature", BASE + AFTER), main(tips=tips(OWN), outside=frozenset({OWN})), NEW,
         UNMERGED),
        (Written("feature", BASE + AFTER), main(tips=tips(OWN)), NEW, MERGED),
        # The branch is gone: squashed, rebased or given up, nothing is left to wait for.
        (Written("feature", OWN), main(outside=frozenset({OWN})), NEW, MERGED),
        (Written("feature", BASE + AFTER), main(), NEW, MERGED),
        # Another clone's branch that was never here, and one cleared away long ago.
        (Written("feature", OWN), main(unknown=frozenset({OWN})), NEW, UNMERGED),
        (Written("feature", OWN), main(unknown=frozenset({OWN})), OLD, MERGED),
        (Written("feature", OWN), main(unknown=frozenset({OWN}), shallow=True), NEW, MERGED),
        # It was rewritten since: the old commit is unknown, the branch is still there.
        (Written("feature", OWN), main(tips=tips(NEXT), unknown=frozenset({OWN}),
                                       outside=frozenset({NEXT})), NEW, UNMERGED),
        # From before commits were kept: the branch alone says it.
        (Written("feature"), main(tips=tips(OWN), outside=frozenset({OWN})), NEW, UNMERGED),
        (Written("feature"), main(tips=tips(OWN)), NEW, MERGED),
        (Written("feature"), main(), NEW, MERGED),
    ],
)  # fmt: skip
def test_where_the_work_stands(
    written: Written, seen: Seen, age: timedelta, stands: Standing
) -> None:
    assert standing(written, seen, age=age) is stands


PLAINLY, WITH_BRANCH, NOT = Telling.PLAINLY, Telling.WITH_BRANCH, Telling.NOT


@pytest.mark.parametrize(
    ("kind", "scope", "stands", "anchored", "pinned", "told"),
    [
        (Kind.FACT, Scope.PROJECT, HERE, None, False, PLAINLY),
        (Kind.FACT, Scope.PROJECT, MERGED, None, False, PLAINLY),
        (Kind.FACT, Scope.PROJECT, UNMERGED, None, False, NOT),
        (Kind.GOTCHA, Scope.PROJECT, UNMERGED, Freshness.FRESH, False, WITH_BRANCH),
        (Kind.GOTCHA, Scope.PROJECT, UNMERGED, Freshness.DRIFTED, False, WITH_BRANCH),
        (Kind.GOTCHA, Scope.PROJECT, UNMERGED, Freshness.ORPHANED, False, NOT),
        (Kind.DECISION, Scope.PROJECT, UNMERGED, None, False, WITH_BRANCH),
        (Kind.PREFERENCE, Scope.PROJECT, UNMERGED, Freshness.ORPHANED, False, WITH_BRANCH),
        (Kind.WARNING, Scope.PROJECT, UNMERGED, None, False, WITH_BRANCH),
        (Kind.FACT, Scope.PROJECT, UNMERGED, None, True, WITH_BRANCH),
        (Kind.FACT, Scope.GLOBAL, UNMERGED, None, False, PLAINLY),
        (Kind.WORK_STATE, Scope.PROJECT, UNMERGED, Freshness.FRESH, True, NOT),
    ],
)
def test_how_it_is_told(
    kind: Kind,
    scope: Scope,
    stands: Standing,
    anchored: Freshness | None,
    pinned: bool,
    told: Telling,
) -> None:
    assert telling(kind, scope, stands, anchored=anchored, pinned=pinned) is told
