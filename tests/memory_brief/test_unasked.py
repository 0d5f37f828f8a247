"""What speaks up by itself must be surer than what answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from injection_tools import hit

from loremap.memory.brief.budget import (
    SURELY,
    modules_worth_telling,
    share_of,
    spoken_of,
    worth_telling,
)
from loremap.model.module import Module
from loremap.model.recall import Hit
from loremap.model.words import words

CURSORS = hit(
    "Server side cursors break behind pgbouncer; iterator() must honour the setting",
    "db/postgresql/base.py",
)


@pytest.mark.parametrize(
    ("belief", "told"),
    [(None, [CURSORS]), (SURELY, [CURSORS]), (SURELY - 0.1, []), (0.0, [])],
)
def test_worth_telling(belief: float | None, told: list[Hit]) -> None:
    assert worth_telling([CURSORS], belief=belief) == told


BEST = replace(hit("The gateway is Envoy"), belief=3.0)
UNSURE = replace(hit("Envoy is patched on Mondays"), belief=SURELY - 0.1)


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (UNSURE, False),
        (replace(UNSURE, belief=SURELY), True),
        (replace(UNSURE, belief=None), True),  # nobody judged
        (replace(UNSURE, older=BEST.memory.id), True),
        (replace(UNSURE, conflict_with=(BEST.memory.id,)), True),
    ],
)
def test_a_second_one_is_sure_itself_or_qualifies_the_first(second: Hit, told: bool) -> None:
    assert (second in worth_telling([BEST, second], belief=SURELY)) is told


def test_an_older_statement_is_not_told_without_the_newer_one() -> None:
    newer = replace(UNSURE, belief=-4.0)
    older = replace(BEST, older=newer.memory.id)
    assert worth_telling([newer, older], belief=SURELY) == [newer, older]


def test_the_first_one_is_not_told_for_being_the_first() -> None:
    assert worth_telling([UNSURE, BEST], belief=SURELY) == [BEST]


DB = Module(
    name="db",
    description="Cursors and queries, with pgbouncer",
    core_files=("db/postgresql/base.py", "db/query.py"),
)
FORMS = Module(name="forms", core_files=("forms/fields.py",))


@pytest.mark.parametrize(
    ("prompt", "module", "count"),
    [
        ("pgbouncer loses cursors", DB, 2),
        ("the postgresql query", DB, 2),  # by the names of its files
        ("pgbouncer loses cursors", FORMS, 0),
        ("yes, go on", DB, 0),
    ],
)
def test_what_the_project_says_of_a_module(prompt: str, module: Module, count: int) -> None:
    assert spoken_of(words(prompt), module) == count


@pytest.mark.parametrize(
    ("prompt", "hits", "located", "told"),
    [
        ("anything", [CURSORS], [], [DB]),
        ("pgbouncer loses cursors", [], [], []),
        ("pgbouncer loses cursors", [], ["db/query.py", "forms/fields.py"], [DB]),
        ("pgbouncer loses cursors", [], ["a.py", "forms/fields.py", "db/query.py"], []),
        ("what is a cursor", [], ["db/query.py"], []),  # one word is no task
    ],
)
def test_a_module_needs_a_second_witness(
    prompt: str, hits: list[Hit], located: list[str], told: list[Module]
) -> None:
    found = modules_worth_telling(words(prompt), [DB, FORMS], hits=hits, located=located)
    assert found == told


def test_share_of_the_files_found() -> None:
    assert share_of(DB, []) == 0.0
    assert share_of(DB, ["db/query.py"]) == 1.0
    assert share_of(DB, ["forms/fields.py", "db/query.py"]) == pytest.approx(1 / 3)
