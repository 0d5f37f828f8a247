"""Aliases from the project: each with its source; a user's wins, and what a user took away stays
away."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import loremap
from loremap.app import Lore
from loremap.model.alias import AliasSource

TOLD = "# Shop\n\nPictures come from the Content Delivery Network (CDN).\n"


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    """A project that spells out an abbreviation."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')
    project = tmp_path / "project"
    project.mkdir()
    (project / "README.md").write_text(TOLD)
    (project / "shop.py").write_text("def cart():\n    return 1\n")
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    with loremap.open(project) as opened:
        opened.init()
        opened.modules.map()
        yield opened


def source(lore: Lore, term: str) -> AliasSource | None:
    return next((one.source for one in lore.lessons.aliases() if one.term == term), None)


def found(lore: Lore, text: str) -> list[str]:
    return [hit.memory.content for hit in lore.recall(text, gate=False).hits]


def test_the_project_tells_what_an_abbreviation_stands_for(lore: Lore) -> None:
    assert source(lore, "cdn") is AliasSource.PROJECT
    assert source(lore, "auth") is AliasSource.BUILT_IN
    assert lore.aliases() == {"cdn": ["content delivery network"]}
    lore.remember("The content delivery network caches pictures for a day.")
    lore.remember("Prices are stored in cents.")
    assert found(lore, "what does the CDN cache")[0].startswith("The content delivery network")


def test_a_users_alias_wins_and_comes_through_a_scan(lore: Lore) -> None:
    lore.set_alias("CDN", ["edge cache"])
    lore.modules.refresh()
    assert source(lore, "cdn") is AliasSource.USER
    assert lore.aliases()["cdn"] == ["edge cache"]


@pytest.mark.parametrize("term", ["cdn", "auth"])
def test_what_a_user_took_away_stays_away(lore: Lore, term: str) -> None:
    lore.set_alias(term, [])
    assert source(lore, term) is None
    lore.modules.refresh()
    assert source(lore, term) is None
    lore.undo()
    lore.modules.refresh()
    assert source(lore, term) is not None


def test_a_users_own_alias_leaves_nothing_behind(lore: Lore) -> None:
    lore.set_alias("k9", ["dog"])
    lore.set_alias("k9", [])
    assert source(lore, "k9") is None
    assert lore.aliases() == {"cdn": ["content delivery network"]}


def test_what_the_project_no_longer_says_goes(lore: Lore) -> None:
    (lore.repository.root / "README.md").write_text("# Shop\n\nA Service Level Objective (SLO).\n")
    lore.modules.refresh()
    assert source(lore, "cdn") is None
    assert source(lore, "slo") is AliasSource.PROJECT


def test_aliases_of_a_project_are_no_act_of_anybody(lore: Lore) -> None:
    assert not [one for one in lore.log(limit=50) if one.action == "alias"]


def test_an_alias_holds_nothing_that_steers_a_terminal(lore: Lore) -> None:
    lore.set_alias("k\x1b[31m8s", ["kube\u202ernetes", "a\nb"])
    assert ("k [31m8s", ("kubernetes", "a b")) in [
        (one.term, tuple(one.expansions)) for one in lore.lessons.aliases()
    ]
