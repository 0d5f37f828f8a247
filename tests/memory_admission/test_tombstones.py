"""What was forgotten, withdrawn or declined is not learned again, until a person says it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

import loremap
from loremap.app import Lore
from loremap.memory import seeding
from loremap.model.memory import Relation, Status
from loremap.model.outcome import Refused, Stored
from loremap.storage.tables import tombstones

TEXT = "The gateway in gateway.py drops requests after 30 seconds."


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    """A project whose vectors need no model."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "hashing"\n')
    project = tmp_path / "project"
    project.mkdir()
    (project / "gateway.py").write_text("TIMEOUT = 30\n")
    (project / "CLAUDE.md").write_text("# Rules\n\n- Always run `make check` before you push.\n")
    with loremap.open(project) as opened:
        opened.init()
        yield opened


def stored(lore: Lore, text: str = TEXT, **rest: Any) -> str:
    outcome = lore.remember(text, **rest)
    assert isinstance(outcome, Stored), outcome
    return outcome.memory.id


def erase(lore: Lore, id_: str) -> None:
    lore.forget(id_, now_and_forever=True)


def lose_conflict(lore: Lore, id_: str) -> None:
    lore.link(stored(lore, "Fixtures live below the tests folder."), id_, Relation.CONTRADICTS)
    lore.resolve(lore.conflicts()[0][0].id, "neither")


@pytest.mark.parametrize(
    ("end", "why"),
    [
        (lambda lore, id_: lore.forget(id_), "forgotten"),
        (lambda lore, id_: lore.retract(id_), "withdrawn as wrong"),
        (erase, "forgotten"),
        (lose_conflict, "withdrawn as wrong"),
    ],
)
def test_an_agent_does_not_teach_it_again(
    lore: Lore, end: Callable[[Lore, str], object], why: str
) -> None:
    end(lore, stored(lore))
    agent = lore.as_session("s1", "claude")
    refused = agent.remember(f"  {TEXT.upper()} ")
    assert isinstance(refused, Refused)
    assert f"was {why} on" in refused.reason
    assert lore.log(limit=1)[0].detail == "tombstone"


def test_what_was_forgotten_everywhere_is_not_taught_in_a_project(lore: Lore) -> None:
    lore.forget(stored(lore, scope="global"))
    assert isinstance(lore.as_session("s1", "claude").remember(TEXT), Refused)


@pytest.mark.parametrize(
    "again",
    [
        lambda lore, id_: lore.remember(TEXT),
        lambda lore, id_: lore.restore(id_),
        lambda lore, id_: lore.confirm(id_),
        lambda lore, id_: lore.undo(),
    ],
    ids=["said", "restored", "confirmed", "undone"],
)
def test_a_person_lifts_it(lore: Lore, again: Callable[[Lore, str], object]) -> None:
    id_ = stored(lore)
    lore.forget(id_)
    again(lore, id_)
    lifted = lore.as_session("s1", "claude").remember(TEXT)
    assert not isinstance(lifted, Refused)
    with lore.store.read() as conn:
        assert not conn.execute(select(tombstones)).all()


def test_a_tombstone_holds_no_word(lore: Lore) -> None:
    erase(lore, stored(lore))
    with lore.store.read() as conn:
        (row,) = conn.execute(select(tombstones)).all()
    said = " ".join(str(value) for value in row).lower()
    assert not [word for word in ("gateway", "drops", "requests", "seconds") if word in said]


def test_what_merging_or_undoing_took_away_may_be_learned(lore: Lore) -> None:
    other = stored(lore, "Fixtures live below the tests folder.")
    lore.merge(stored(lore), other)
    agent = lore.as_session("s1", "claude")
    assert isinstance(agent.remember(TEXT), Stored)
    lore.undo()
    assert isinstance(agent.remember(TEXT), Stored)


def test_a_declined_seed_is_not_offered_nor_learned(lore: Lore) -> None:
    found = seeding.found(lore).seeds
    assert found
    seeding.decline(lore, found)
    assert not seeding.found(lore).seeds
    assert seeding.keep(lore, found, confirmed=False) == []
    kept = seeding.keep(lore, found, confirmed=True)
    assert [memory.status for memory in kept] == [Status.CONFIRMED] * len(found)


def test_an_erased_seed_is_not_offered_again(lore: Lore) -> None:
    found = seeding.found(lore).seeds
    (kept,) = seeding.keep(lore, found, confirmed=True)
    erase(lore, kept.id)
    assert not seeding.found(lore).seeds
