"""Who sees what: a private memory answers its owner alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import loremap
from loremap.lore import Lore, recalling
from loremap.model.memory import Visibility
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
