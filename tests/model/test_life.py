"""Which status becomes which, and by what."""

from __future__ import annotations

from itertools import product

import pytest

from loremap.model.life import EDGES, may_move
from loremap.model.memory import Status

C, F, S, R = Status.CANDIDATE, Status.CONFIRMED, Status.SUPERSEDED, Status.RETRACTED


@pytest.mark.parametrize(
    ("before", "after", "action", "may"),
    [
        (C, F, "promote", True),
        (C, F, "confirm", True),
        (C, F, "pin", True),
        (C, F, "evict", False),
        (C, S, "update", True),
        (C, R, "evict", True),
        (F, S, "update", True),
        (F, R, "update", True),
        (F, R, "promote", False),
        (S, F, "restore", True),
        (S, F, "promote", False),  # a machine brings nothing back
        (S, R, "update", False),  # what was replaced stays the history of what replaced it
        (R, F, "confirm", True),
        (R, F, "update", False),
        (R, S, "update", False),
        (R, F, "undo", True),
        (F, F, "tag", True),
    ],
)
def test_a_status_moves_along_edges_only(
    before: Status, after: Status, action: str, may: bool
) -> None:
    assert may_move(before, after, action) is may


def test_no_machine_raises_what_was_replaced_or_withdrawn() -> None:
    for before, after in product((S, R), (C, F)):
        assert not EDGES[before, after] & {"promote", "update", "evict", "pin"}
