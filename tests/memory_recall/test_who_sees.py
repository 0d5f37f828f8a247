"""Who sees what: a private memory answers its owner alone, and a project's own project alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import loremap
from loremap.app import Lore
from loremap.memory import recalling
from loremap.model.memory import Trigger, Visibility
from loremap.model.outcome import Stored

NOTE = "The invoices are numbered by the ledger"


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    with loremap.open(tmp_path) as opened:
        opened.use_embedder(None)
        opened.init()
        yield opened


@pytest.mark.parametrize(
    ("visibility", "owner", "tenant", "seen"),
    [
        (Visibility.PRIVATE, "me", "local", True),
        (Visibility.PRIVATE, "another", "local", False),
        (Visibility.PROJECT, "another", "local", True),
        (Visibility.TEAM, "another", "local", True),
        (Visibility.PROJECT, "me", "elsewhere", False),
    ],
)
@pytest.mark.parametrize("recipe", ["hybrid", "words", "lexical"])
def test_whose_memory_answers_whom(
    lore: Lore, visibility: Visibility, owner: str, tenant: str, seen: bool, recipe: str
) -> None:
    assert isinstance(lore.remember(NOTE, visibility=visibility), Stored)
    asked = recalling.query(lore, "how are invoices numbered by the ledger?", user_search=True)
    asked = replace(asked, owner_id=owner, tenant_id=tenant, include_inactive=True)
    found = recalling.answer(lore, asked, recipe=recipe, gate=False)
    assert [hit.memory.content for hit in found] == [NOTE] * seen


@pytest.mark.parametrize(("scope", "speaks"), [("project", False), ("global", True)])
def test_where_a_warning_speaks_up(home: Path, tmp_path: Path, scope: str, speaks: bool) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        with loremap.open(folder) as lore:
            lore.use_embedder(None)
            lore.init()
    with loremap.open(here) as lore:
        lore.use_embedder(None)
        trigger = Trigger("literal", "make wipe", "command")
        lore.remember("It wipes the disk", kind="warning", scope=scope, triggers=[trigger])
        assert len(lore.check(command="make wipe")) == 1
    with loremap.open(there) as lore:
        lore.use_embedder(None)
        assert len(lore.check(command="make wipe")) == speaks


@pytest.mark.parametrize(
    ("confidence", "pinned", "told"),
    [(0.25, False, True), (0.24, False, False), (0.05, True, True)],
)
def test_what_did_not_help_often_enough_is_told_to_who_looks_for_it_alone(
    lore: Lore, confidence: float, pinned: bool, told: bool
) -> None:
    outcome = lore.remember(NOTE, confidence=confidence)
    assert isinstance(outcome, Stored)
    if pinned:
        lore.pin(outcome.memory.id)
    asked = "how are invoices numbered by the ledger?"
    assert len(lore.recall(asked, gate=False).hits) == told
    assert len(lore.search(asked).hits) == 1
