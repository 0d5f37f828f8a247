"""What a person reads first of what was learned: what was settled, and below it on what."""

from __future__ import annotations

import pytest

from loremap.sessions.learning.framed import told_apart


@pytest.mark.parametrize(
    ("content", "settled", "around"),
    [
        ("Amounts are cents.", "Amounts are cents.", ()),
        (
            "Said before: “It is “slow”.” Proposed: “Add Redis.” Answered: “no, Postgres.”",
            "no, Postgres.",
            ("Said before: “It is “slow”.”", "Proposed: “Add Redis.”"),
        ),
        ("After `make` failed. Answered: “use uv”", "use uv", ("After `make` failed.",)),
        ("Tried: “a cache” Dropped: “it got slower”", "it got slower", ("Tried: “a cache”",)),
        ("Proposed: “half of it", "Proposed: “half of it", ()),
        ("Answered: “after `a` failed. I gave up”", "after `a` failed. I gave up", ()),
    ],
)
def test_what_was_settled_comes_first(content: str, settled: str, around: tuple[str, ...]) -> None:
    assert told_apart(content) == (settled, around)
