"""What a person reads first of what was learned: what was settled, and below it on what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremap.sessions.learning.framed import pair, paired, told_apart


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


@pytest.mark.parametrize(
    ("quote", "rejected", "turned_down"),
    [
        ("no, cents", ("I round “it”.",), "I round “it”."),
        ("no, cents", (), ""),
        ("pnpm, not npm", ("not npm",), ""),  # it names it itself
        ("Use tabs. Instead of: “spaces”", (), ""),
        ("Use tabs. Instead of: “spaces”", ("four of them",), "four of them"),
        ("no, cents", ("I say Instead of: “it”.",), 'I say Instead of: "it”.'),
    ],
)
def test_a_quote_keeps_what_it_turned_down(
    quote: str, rejected: tuple[str, ...], turned_down: str
) -> None:
    assert pair(paired(quote, rejected)) == (quote, turned_down)


@given(*[st.lists(st.sampled_from(["Instead of:", " ", "“", "”", "tabs"])).map("".join)] * 2)
def test_what_was_said_comes_back_whole(quote: str, rejected: str) -> None:
    assert pair(paired(quote, (rejected,)))[0] == quote.strip()


@pytest.mark.parametrize("said", ["a Instead of: “b” always, he said", "a Instead of: “b, cut sh"])
def test_what_is_not_marked_to_its_end_is_left_whole(said: str) -> None:
    assert pair(said) == (said, "")
