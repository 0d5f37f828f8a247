"""What was read from a memory goes with it, also where it was edited, replaced or named anew since,
and where it is erased between a plan and its step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

import loremap
from loremap.app import Lore
from loremap.memory.admission.amend import Edit
from loremap.memory.tending.facts import promote_facts, read_facts, settle_facts
from loremap.model.memory import Origin
from loremap.model.outcome import Stored
from loremap.storage.tables import facts


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    """A project, by vectors that need no model."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "hashing"\n')
    (tmp_path / "shop").mkdir()
    with loremap.open(tmp_path / "shop") as opened:
        yield opened


def remembered(lore: Lore, text: str, **rest: object) -> str:
    outcome = lore.remember(text, **rest)  # type: ignore[arg-type]
    assert isinstance(outcome, Stored), outcome
    return outcome.memory.id


def holding(home: Path, word: str) -> list[str]:
    """The files of a home that hold a word."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return [path.name for path in files if word.lower().encode() in path.read_bytes().lower()]


@pytest.mark.parametrize("learned_again", [True, False])
def test_what_an_edit_took_out_is_erased_with_the_memory(
    lore: Lore, home: Path, learned_again: bool
) -> None:
    id_ = remembered(
        lore, "Checkout Service uses Zorblax. Checkout Service's default is wibblefish."
    )
    lore.facts.learn()
    lore.edit(id_, Edit(content="Checkout Service uses Kafka."))
    if learned_again:
        lore.facts.learn()
    lore.forget(id_, now_and_forever=True)
    lore.store.close()
    assert holding(home, "zorblax") == holding(home, "wibblefish") == []


def test_what_a_newer_fact_replaced_is_erased_with_its_memory(lore: Lore, home: Path) -> None:
    old = remembered(lore, "Checkout Service runs on Zorblax.", origin=Origin.EXTRACTED)
    lore.facts.learn()
    new = remembered(lore, "Since the move everything is new. Checkout Service runs on Nomad.")
    lore.facts.learn()
    lore.edit(old, Edit(content="Nothing of that is known here any more."))
    lore.facts.learn()
    lore.forget(new)
    lore.facts.learn()
    assert lore.facts.list() == [], "a fact that nothing says came back"
    lore.forget(old, now_and_forever=True)
    lore.store.close()
    assert holding(home, "zorblax") == []


def test_what_a_person_named_anew_is_erased_with_its_memory(lore: Lore, home: Path) -> None:
    id_ = remembered(lore, "Checkout Service uses Zorblax.")
    lore.facts.learn()
    lore.facts.name("Zorblax", "Zorblaxian Engine")
    lore.forget(id_, now_and_forever=True)
    assert lore.facts.entities() == []
    lore.store.close()
    assert holding(home, "zorblax") == []


def test_what_is_said_again_after_an_edit_holds_again(lore: Lore) -> None:
    id_ = remembered(lore, "Checkout Service uses Redis.")
    lore.facts.learn()
    lore.edit(id_, Edit(content="Checkout Service uses Kafka."))
    lore.facts.learn()
    lore.edit(id_, Edit(content="Checkout Service uses Redis."))
    lore.facts.learn()
    assert [one.object for one in lore.facts.list()] == ["Redis"]


@pytest.mark.parametrize("forever", [True, False])
def test_what_is_erased_or_edited_between_plan_and_step_is_not_learned(
    lore: Lore, home: Path, forever: bool
) -> None:
    gone = remembered(lore, "Checkout Service uses Zorblax.")
    remembered(lore, "The Ledger Service runs on Kubernetes.")
    steps = read_facts(lore)
    if forever:
        lore.forget(gone, now_and_forever=True)
    else:
        lore.edit(gone, Edit(content="Checkout Service uses Kafka."))
    with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
        for step in steps:
            step.apply(tx)
    assert [one.object for one in lore.facts.list()] == ["Kubernetes"]
    assert "Zorblax" not in {one.name for one in lore.facts.entities()}


def test_a_fact_that_somebody_changed_since_the_plan_is_left_alone(lore: Lore) -> None:
    remembered(lore, "Checkout Service uses Redis.", origin=Origin.EXTRACTED)
    lore.facts.learn()
    (one,) = lore.facts.list()
    with lore.store.append() as conn:
        conn.execute(update(facts).values(access_count=3))
    steps = promote_facts(lore)
    assert len(steps) == 1
    lore.facts.retract(one.fact.id)
    with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
        steps[0].apply(tx)
    assert lore.facts.list() == []
    assert settle_facts(lore) == []
