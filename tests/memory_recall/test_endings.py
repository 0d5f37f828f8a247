"""A task that resembles how a session began is briefed with how it ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import loremap
from loremap.app import Lore
from loremap.memory.briefing import briefed
from loremap.memory.recall.endings import LAST_NOTES
from loremap.model.kind import Kind
from loremap.model.memory import Candidate, Origin, Relation
from loremap.model.outcome import Stored
from loremap.model.session import Session, Work
from loremap.storage import learning, sessions

DAY = datetime(2026, 3, 1, tzinfo=UTC)
REPORT = "the retrier keeps retrying until the upstream blocks us with 429"
FIRST = (
    "The upstream blocks us with 429, the retrier keeps retrying too long",
    "Looked at the backoff: ten attempts are made",
    "Someone wants a round five",
    "It is measured: seven fit into the window, eight trip it",
    "Seven it is",
)
LATER = (
    "The upstream blocks us with 429 again: the retrier kept retrying",
    "Six attempts from now on",
)
BESIDE = ("The login page flickers in Safari", "Fixed by preloading the font")


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    with loremap.open(tmp_path, now=lambda: DAY + timedelta(days=90)) as opened:
        opened.use_embedder(None)
        yield opened


def said_in(
    lore: Lore, session: str, day: int, *notes: str, kind: Kind = Kind.TASK_OUTCOME
) -> None:
    for at, text in enumerate(notes):
        lore.admit(
            Candidate(
                content=text,
                kind=kind,
                origin=Origin.USER_STATED,
                session_id=session,
                created_at=DAY + timedelta(days=day, minutes=at),
            )
        )


def told(lore: Lore) -> list[str]:
    return [hit.memory.content for hit in briefed(lore, REPORT).hits]


def test_the_last_notes_of_the_session_are_told_first_and_in_their_order(lore: Lore) -> None:
    said_in(lore, "beside", 0, *BESIDE)
    said_in(lore, "first", 1, *FIRST)
    assert told(lore)[:LAST_NOTES] == list(FIRST[-LAST_NOTES:])
    assert not set(told(lore)).intersection(BESIDE)


def test_the_newest_session_on_a_subject_stands_above_what_it_amends(lore: Lore) -> None:
    said_in(lore, "first", 1, *FIRST)
    said_in(lore, "later", 30, *LATER)
    assert told(lore)[: len(LATER)] == list(LATER)
    assert "Seven it is" in told(lore)


def test_what_is_no_note_of_a_session_has_no_ending(lore: Lore) -> None:
    said_in(lore, "first", 1, *FIRST, kind=Kind.FACT)
    assert "Seven it is" not in told(lore)


def test_what_was_forgotten_or_is_withdrawn_is_not_told(lore: Lore) -> None:
    said_in(lore, "first", 1, *FIRST)
    last = next(one for one in lore.list(limit=9) if one.content == "Seven it is")
    lore.forget(last.id)
    assert "Seven it is" not in told(lore)


def test_an_ending_in_conflict_says_so(lore: Lore) -> None:
    said_in(lore, "first", 1, *FIRST)
    ended = next(one for one in lore.list(limit=9) if one.content == "Seven it is")
    other = lore.remember("Nine attempts are made before anything is given up")
    assert isinstance(other, Stored)
    lore.link(ended.id, other.memory.id, Relation.CONTRADICTS)
    line = next(one for one in briefed(lore, REPORT).text.split("- #") if "Seven it is" in one)
    assert "CONFLICT" in line


def test_the_session_that_asks_is_no_earlier_one(home: Path, tmp_path: Path) -> None:
    with loremap.open(tmp_path, now=lambda: DAY + timedelta(days=90), session_id="later") as asking:
        asking.use_embedder(None)
        said_in(asking, "first", 1, *FIRST)
        said_in(asking, "later", 30, *LATER)
        assert told(asking)[:LAST_NOTES] == list(FIRST[-LAST_NOTES:])


def test_where_nothing_fits_nothing_came_of_anything(lore: Lore) -> None:
    said_in(lore, "beside", 0, *BESIDE)
    assert told(lore) == []


def read_from(lore: Lore, session: str, *said: str) -> None:
    """What a rule read from a session, in the order in which it was said."""
    for at, text in enumerate(said):
        lore.admit(
            Candidate(
                content=text,
                kind=Kind.CONVENTION,
                origin=Origin.CONVERSATION,
                created_by="rule:session",
                session_id=session,
                message_start=at,
                message_end=at,
                created_at=DAY + timedelta(minutes=at),
            )
        )


def test_what_else_was_settled_in_a_session_comes_along_the_last_of_it_first(lore: Lore) -> None:
    read_from(lore, "first", FIRST[0], FIRST[3], "A pause of ten seconds follows every seventh")
    read_from(lore, "beside", *BESIDE)
    assert told(lore) == [FIRST[0], "A pause of ten seconds follows every seventh", FIRST[3]]


def test_only_a_session_that_surely_fits_comes_along(lore: Lore) -> None:
    read_from(lore, "first", FIRST[0], FIRST[3])
    read_from(lore, "far", "The upstream is asked by its short name", "Its port is 8443")
    assert FIRST[3] in told(lore)
    assert "Its port is 8443" not in told(lore)


@pytest.mark.parametrize("asked_then", [REPORT, "the login page flickers in Safari"])
def test_what_a_session_taught_comes_along_where_it_began_like_the_task(
    lore: Lore, asked_then: str
) -> None:
    read_from(lore, "first", "Whoever is billed twice is refunded by hand")
    assert lore.project_id is not None
    row = Session(id="first", client="claude", created_at=DAY, project_id=lore.project_id)
    with lore.store.append() as conn:
        sessions.upsert(conn, replace(row, last_at=lore.now(), ended_at=lore.now()))
        learning.note_read(conn, "first", seq=1, work=Work(summary=f"Asked: “{asked_then}”"))
    is_told = "Whoever is billed twice is refunded by hand" in told(lore)
    assert is_told is (asked_then == REPORT)
