"""Which vectors make a group, which groups are one, which is still the one it was."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremap.memory.graph.grouping import (
    MIN_MEMBERS,
    Vectors,
    centred,
    closeness,
    grouped,
    kept_ids,
    merged,
    middle,
    near_enough,
    reduced,
    tightened,
)
from loremap.memory.graph.naming import cluster_name


def heaps(sizes: list[int], *, spread: float = 0.02, noise: int = 40, dim: int = 64) -> Vectors:
    """Unit vectors in heaps of these sizes, one after another, and then some that stand alone."""
    random = np.random.default_rng(11)
    at = random.normal(size=(len(sizes), dim))
    near = [
        middle_ + spread * dim**0.5 * random.normal(size=(size, dim))
        for middle_, size in zip(at, sizes, strict=True)
    ]
    found = np.concatenate([*near, random.normal(size=(noise, dim))])
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def test_what_stands_together_is_a_group_and_what_stands_alone_is_in_none_of_them() -> None:
    found = [set(group.tolist()) for group in grouped(heaps([12, 8, 5]))]
    for wanted in (set(range(12)), set(range(12, 20)), set(range(20, 25))):
        assert any(wanted <= group and len(group) <= len(wanted) + 1 for group in found)
    assert len(set().union(*found)) < 45


def test_a_member_that_stands_far_from_the_others_is_left_out() -> None:
    some = centred(heaps([8], noise=20))
    assert [group.tolist() for group in tightened([np.arange(10), np.arange(9, 12)], some)] == [
        list(range(8))
    ]


def test_closeness_is_that_to_the_others() -> None:
    three = np.eye(3, dtype=np.float32)
    assert closeness(three).tolist() == [0.0, 0.0, 0.0]  # with its own part it would be 0.58
    assert closeness(np.ones((4, 1), np.float32)).tolist() == [1.0] * 4


@pytest.mark.parametrize(("usual", "least", "bar"), [(0.8, 0.6, 0.7), (0.5, 0.5, 0.5)])
def test_near_enough_is_half_way_between_the_farthest_and_the_usual(
    usual: float, least: float, bar: float
) -> None:
    assert near_enough(usual, least) == pytest.approx(bar)


@pytest.mark.parametrize("count", range(2 * MIN_MEMBERS))
def test_too_few_make_no_group(count: int) -> None:
    assert grouped(heaps([count], noise=0)) == []


def test_vectors_are_reduced_to_where_they_differ() -> None:
    some = centred(heaps([30, 30], dim=96))
    fewer = reduced(some, 10)
    assert fewer.shape == (len(some), 10)
    left = fewer.var(axis=0).sum() / some.var(axis=0).sum()
    assert left > 0.4
    assert reduced(some[:8], 10) is not fewer
    assert reduced(some[:8], 10).shape == (8, 96)  # fewer vectors than directions


def test_two_halves_of_one_group_are_joined_and_two_groups_are_not() -> None:
    some = centred(heaps([12, 12], noise=0))
    halves = [np.arange(0, 6), np.arange(6, 12), np.arange(12, 24)]
    assert [group.tolist() for group in merged(halves, some)] == [
        list(range(12)), list(range(12, 24))
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("groups", "before", "ids"),
    [
        ([["a", "b", "c"]], {}, [None]),
        ([["a", "b", "c"]], {"k": ["a", "b", "c"]}, ["k"]),
        ([["a", "b", "c", "d"]], {"k": ["a", "b"]}, ["k"]),  # it has grown
        ([["a", "b"]], {"k": ["a", "b", "c", "d"]}, ["k"]),  # it has shrunk
        ([["a", "x", "y"]], {"k": ["a", "b", "c"]}, [None]),  # one of three is not mostly
        ([["a", "b"], ["c", "d", "e"]], {"k": ["a", "b", "c", "d", "e"]}, [None, "k"]),  # parted
        ([["a", "b", "c", "d"]], {"k": ["a", "b"], "l": ["c", "d"]}, ["k"]),  # joined
    ],
)
def test_a_cluster_that_is_mostly_the_same_keeps_its_id(
    groups: list[list[str]], before: dict[str, list[str]], ids: list[str | None]
) -> None:
    assert kept_ids(groups, before) == ids


@given(
    groups=st.lists(st.sets(st.integers(0, 9), min_size=1), max_size=5),
    before=st.dictionaries(st.sampled_from("klmn"), st.sets(st.integers(0, 9)), max_size=4),
)
def test_no_id_is_given_twice(groups: list[set[int]], before: dict[str, set[int]]) -> None:
    said = [{str(one) for one in group} for group in groups]
    known = {id_: {str(one) for one in members} for id_, members in before.items()}
    given_ids = [id_ for id_ in kept_ids(said, known) if id_ is not None]
    assert len(given_ids) == len(set(given_ids))


def test_the_middle_of_vectors_is_a_unit_vector() -> None:
    assert np.linalg.norm(middle(heaps([9], noise=0))) == pytest.approx(1.0, abs=1e-5)


def test_a_cluster_is_called_by_what_its_members_say_and_others_do_not() -> None:
    texts = [
        "The retry queue lives in Redis, use it",
        "Redis drops a retry after a day",
        "Use the queue of Redis for mails",
    ]
    held = {"redi": 3, "retri": 2, "queue": 2, "use": 900}
    name = cluster_name(texts, lambda terms: [held.get(term, 500) for term in terms], 1_000)
    assert name == "redis, queue, retry"


def test_a_cluster_whose_members_share_no_word_has_no_name() -> None:
    assert cluster_name(["Eins zwei", "three four"], lambda terms: [1 for _ in terms], 100) == ""
