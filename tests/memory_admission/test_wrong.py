"""“This is wrong”: withdrawn, what hangs on it listed and restored on request, and never learned
again in other words; what says the contrary, corrects it or is about something else is learned."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

import loremap
from loremap.app import Lore
from loremap.errors import BadInput
from loremap.memory.admission.lesson import Lesson, is_near
from loremap.model.memory import Relation, Status
from loremap.model.outcome import Outcome, Refused, Stored
from loremap.storage.tables import tombstones

WRONG = "The upload service cuts requests off after 20 seconds, so large files take the queue."
AGAIN = "Send large files through the queue: a request to the upload service ends after 20 seconds."


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    """A project and the real model."""
    project = tmp_path / "project"
    project.mkdir()
    with loremap.open(project) as opened:
        opened.init()
        assert opened.embedder() is not None
        yield opened


def stored(lore: Lore, text: str, **rest: Any) -> str:
    outcome = lore.remember(text, **rest)
    assert isinstance(outcome, Stored), outcome
    return outcome.memory.id


def learned(lore: Lore, text: str, **rest: Any) -> Outcome:
    return lore.as_session("s9", "claude").remember(text, **rest)


def called_wrong(lore: Lore) -> str:
    id_ = stored(lore, WRONG)
    found = lore.lessons.wrong(id_, "it is 60 by now")
    assert found.memory.status is Status.RETRACTED
    assert found.memory.retracted_reason == "it is 60 by now"
    return id_


def test_it_is_not_taught_in_other_words(lore: Lore) -> None:
    id_ = called_wrong(lore)
    refused = learned(lore, AGAIN)
    assert isinstance(refused, Refused)
    assert "in other words" in refused.reason
    assert "Only a person" in refused.reason
    assert f"replaces={id_[-8:]}" in refused.reason
    assert lore.log(limit=1)[0].detail == "tombstone"


@pytest.mark.parametrize(
    "text",
    [
        "The upload service cuts requests off after 60 seconds, so large files take the queue.",
        "Uploads of large files no longer go through the queue, the service streams them now.",
        "It is fine to send large files to the upload service directly, requests are not cut off.",
        "The upload service writes its files to the bucket media-raw.",
        "Prices are stored in cents.",
    ],
    ids=["corrected", "changed", "contrary", "neighbour", "unrelated"],
)
def test_what_says_something_else_is_learned(lore: Lore, text: str) -> None:
    called_wrong(lore)
    assert isinstance(learned(lore, text), Stored)


def test_it_holds_where_the_memory_is_erased(lore: Lore) -> None:
    lore.forget(called_wrong(lore), now_and_forever=True)
    assert isinstance(learned(lore, AGAIN), Refused)
    with lore.store.read() as conn:
        (row,) = conn.execute(select(tombstones)).all()
    said = " ".join(str(value) for value in row).lower()
    assert not [word for word in ("upload", "requests", "seconds", "queue", "20 ") if word in said]


@pytest.mark.parametrize("how", ["said", "restored", "lifted", "undone"])
def test_a_person_lifts_it(lore: Lore, how: str) -> None:
    id_ = called_wrong(lore)
    match how:
        case "said":
            stored(lore, AGAIN)
        case "restored":
            assert lore.restore(id_).status is Status.CONFIRMED
        case "lifted":
            (grave,) = lore.lessons.tombstones()
            lore.lessons.lift(grave.id[:8])
        case "undone":
            lore.undo()
    assert not lore.lessons.tombstones()
    assert not isinstance(learned(lore, AGAIN), Refused)


def test_lifting_is_undone(lore: Lore) -> None:
    called_wrong(lore)
    before = lore.lessons.tombstones()
    lore.lessons.lift(before[0].id)
    lore.undo()
    assert lore.lessons.tombstones() == before
    assert isinstance(learned(lore, AGAIN), Refused)


def test_who_says_that_it_corrects_it_is_believed(lore: Lore) -> None:
    id_ = called_wrong(lore)
    assert isinstance(learned(lore, AGAIN, replaces=id_), Stored)
    assert isinstance(learned(lore, WRONG, replaces=id_), Refused)


@pytest.mark.parametrize("erased", [True, False])
def test_the_way_out_that_is_said_is_one(lore: Lore, erased: bool) -> None:
    id_ = called_wrong(lore)
    if erased:
        lore.forget(id_, now_and_forever=True)
    refused = learned(lore, AGAIN)
    assert isinstance(refused, Refused)
    said = re.search(r"replaces=(\w+)\.", refused.reason)
    assert said is not None
    assert isinstance(learned(lore, AGAIN, replaces=said[1]), Stored)


def test_who_corrects_one_of_two_that_say_the_same_is_believed(lore: Lore) -> None:
    both = [stored(lore, WRONG), stored(lore, AGAIN)]
    for id_ in both:
        lore.lessons.wrong(id_)
    third = f"{AGAIN} Always do."
    assert isinstance(learned(lore, third), Refused)
    assert isinstance(learned(lore, third, replaces=both[0]), Stored)


def test_an_agents_word_is_a_vote(lore: Lore) -> None:
    id_ = stored(lore, WRONG)
    agent = lore.as_session("s1", "claude")
    found = agent.lessons.wrong(id_)
    assert not found.withdrawn
    assert (found.memory.status, found.memory.unhelpful) == (Status.CONFIRMED, 1)
    assert not lore.lessons.tombstones()
    lore.lessons.wrong(id_)
    with pytest.raises(BadInput, match="Only a person"):
        agent.lessons.lift(lore.lessons.tombstones()[0].id)


def test_what_hangs_on_it_is_listed_and_restored_on_request(lore: Lore) -> None:
    old = stored(lore, "Large uploads are sent in one request.")
    id_ = stored(lore, WRONG, replaces=None)
    derived = stored(lore, "The importer must be split into chunks of 10 MB.")
    lore.link(id_, old, Relation.SUPERSEDES)
    lore.link(derived, id_, Relation.DERIVED_FROM)
    found = lore.lessons.wrong(id_)
    assert [one.id for one in found.replaced] == [old]
    assert [one.id for one in found.derived] == [derived]
    assert lore.find(old).status is Status.SUPERSEDED
    lore.undo()
    again = lore.lessons.wrong(id_, restore=True)
    assert again.restored
    assert lore.find(old).status is Status.CONFIRMED
    assert lore.find(derived).status is Status.CONFIRMED
    lore.undo()
    assert (lore.find(old).status, lore.find(id_).status) == (
        Status.SUPERSEDED,
        Status.CONFIRMED,
    )
    with pytest.raises(BadInput, match="has its place"):
        lore.lessons.wrong(old)


@pytest.mark.parametrize(
    ("deviations", "common", "near"),
    [
        (6.4, 3, True),  # 6.4 + 2 × .3
        (5.7, 4, True),  # 5.7 + 2 × .4
        (5.7, 3, False),
        (9.0, 1, False),  # too few words in common
        (None, 6, False),  # of 14 words in all
        (None, 8, True),
    ],
)
def test_how_near_is_the_same_lesson(deviations: float | None, common: int, near: bool) -> None:
    old = Lesson(said=frozenset(f"w{at}" for at in range(10)))
    new = Lesson(said=frozenset(f"w{at}" for at in range(10 - common, 20 - common)))
    assert is_near(old, new, deviations) == near
