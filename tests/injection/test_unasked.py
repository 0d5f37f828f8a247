"""What speaks up by itself must be surer than what answers."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest
from injection_tools import hit

from loremap.injection.unasked import (
    GENERIC,
    SURELY,
    SURELY_BY_ONE,
    counted,
    least_belief,
    modules_worth_telling,
    near_best,
    share_of,
    shared,
    telling,
    worth_telling,
)
from loremap.model.module import Module
from loremap.model.recall import Hit
from loremap.model.words import words

CURSORS = hit(
    "Server side cursors break behind pgbouncer; iterator() must honour the setting",
    "db/postgresql/base.py",
)
RUNS = hit("Run the tests of one app with runtests.py and commit only when they pass")
POOLS = replace(hit("Cursors are counted per connection"), score=0.9)


@pytest.mark.parametrize(
    ("prompt", "left"),
    [
        ("run the tests again", set()),
        ("looks good, commit it", {"look", "good"}),  # the gate sets these aside before
        ("rename that", set()),
        ("fix the failing cursor test", {"cursor"}),
        ("why does pgbouncer close my cursors", {"pgbouncer", "cursor"}),
    ],
)
def test_telling(prompt: str, left: set[str]) -> None:
    assert telling(words(prompt)) == left


def test_words_of_any_project_are_as_the_index_spells_them() -> None:
    assert {"fix", "commit", "renam", "error", "file"} <= GENERIC
    assert not {"cursor", "cach", "token", "thread"} & GENERIC


@pytest.mark.parametrize(
    ("said", "found", "common"),
    [
        ("pgbouncer cursors", CURSORS, 2),
        ("postgresql", CURSORS, 1),  # named by its file alone
        ("sessions", CURSORS, 0),
        ("cursors cursor CURSORS", CURSORS, 1),
        ("rotation", replace(CURSORS, memory=replace(CURSORS.memory, tags=("rotation",))), 1),
    ],
)
def test_shared(said: str, found: Hit, common: int) -> None:
    assert shared(words(said), found) == common


@pytest.mark.parametrize(
    ("terms", "count"),
    [
        (set(), 0),
        ({"cursor", "pgbounc"}, 2),
        ({"测试"}, 0),  # one pair may be half of another word
        ({"테스", "스트"}, 1),
        ({"cursor", "テス", "スト"}, 2),
    ],
)
def test_pairs_of_letters_count_half(terms: set[str], count: int) -> None:
    assert counted(terms) == count


@pytest.mark.parametrize(
    ("said", "common", "with_vectors", "least"),
    [
        (0, 0, True, inf),  # near to all that is said of tests, and about nothing
        (1, 0, True, inf),
        (1, 1, True, SURELY_BY_ONE),
        (2, 0, True, SURELY),  # said in other words
        (9, 1, True, SURELY),
        (2, 2, True, 0.0),
        (2, 2, False, 0.0),
        (9, 1, False, inf),  # words are never that sure
    ],
)
def test_least_belief(said: int, common: int, with_vectors: bool, least: float) -> None:
    assert least_belief(said, common, with_vectors=with_vectors) == least


@pytest.mark.parametrize(
    ("prompt", "hits", "belief", "told"),
    [
        ("anything", [RUNS], None, [RUNS]),  # no gate was asked
        ("cursor does not exist since we use pgbouncer", [CURSORS], 0.5, [CURSORS]),
        ("run the tests again", [RUNS], 7.0, []),
        ("add tests and commit", [RUNS], 7.0, []),
        ("what is a cursor", [CURSORS], 4.9, []),
        ("connections stay open after a vacuum", [CURSORS], 3.5, [CURSORS]),
        ("connections stay open after a vacuum", [CURSORS], 3.4, []),
        ("what is a cursor", [CURSORS, POOLS], 5.0, [CURSORS, POOLS]),
        ("pgbouncer loses cursors", [CURSORS, POOLS], 5.5, [CURSORS]),  # less in common
        # The best is the best wherever it stands: its module may have put another first.
        ("pgbouncer loses cursors", [POOLS, CURSORS], 1.0, [CURSORS]),
        ("pgbouncer loses cursors", [], 1.0, []),
    ],
)
def test_worth_telling(prompt: str, hits: list[Hit], belief: float | None, told: list[Hit]) -> None:
    assert worth_telling(words(prompt), hits, belief=belief, with_vectors=True) == told


DB = Module(name="db", core_files=("db/postgresql/base.py", "db/query.py"))
FORMS = Module(name="forms", core_files=("forms/fields.py",))


@pytest.mark.parametrize(
    ("prompt", "hits", "located", "told"),
    [
        ("pgbouncer loses cursors", [CURSORS], [], [DB]),
        ("pgbouncer loses cursors", [], [], []),
        ("pgbouncer loses cursors", [], ["db/query.py", "forms/fields.py"], [DB]),
        ("pgbouncer loses cursors", [], ["a.py", "forms/fields.py", "db/query.py"], []),
        ("what is a cursor", [], ["db/query.py"], []),  # one word is no task
        ("write a commit message for this form", [RUNS], ["forms/fields.py"], []),
    ],
)
def test_a_module_needs_a_second_witness(
    prompt: str, hits: list[Hit], located: list[str], told: list[Module]
) -> None:
    content = words(prompt)
    assert modules_worth_telling(content, [DB, FORMS], hits=hits, located=located) == told


def test_share_of_the_files_found() -> None:
    assert share_of(DB, []) == 0.0
    assert share_of(DB, ["db/query.py"]) == 1.0
    assert share_of(DB, ["forms/fields.py", "db/query.py"]) == pytest.approx(1 / 3)


def test_only_what_fits_about_as_well_as_the_best() -> None:
    hits = [replace(hit(f"memory {score}"), score=score) for score in (0.9, 1.0, 0.6, 0.59, -0.2)]
    assert [one.score for one in near_best(hits)] == [0.9, 1.0, 0.6]
    assert near_best([]) == []
