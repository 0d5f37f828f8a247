"""Of what a session taught, the worthiest become memories, and only so many."""

from __future__ import annotations

import pytest
from session_tools import Transcript, memory_of, unread

from loremap.app import Lore
from loremap.config.settings import Settings
from loremap.model.finding import Finding, KeptFinding
from loremap.model.kind import Kind
from loremap.model.memory import Status
from loremap.model.turn import Speaker
from loremap.sessions.becoming import worthiest
from loremap.storage import findings


def kept(
    content: str,
    importance: float | None,
    *,
    said_by: Speaker = Speaker.AGENT,
    confidence: float | None = None,
) -> KeptFinding:
    finding = Finding(
        kind=Kind.GOTCHA,
        content=content,
        quote=content,
        said_by=said_by,
        first=0,
        last=0,
        importance=importance,
        confidence=confidence,
    )
    return KeptFinding(session_id="s", finding=finding, fingerprint=content)


@pytest.mark.parametrize(
    ("of", "most", "taken"),
    [
        ([], 2, ""),
        ([kept("a", 0.5)], 2, "a"),
        ([kept("a", 0.9), kept("b", 0.1), kept("c", 0.5)], 2, "ac"),  # the most important …
        ([kept("c", 0.5), kept("b", 0.1), kept("a", 0.9)], 2, "ca"),  # … in the order said
        ([kept("a", 0.5), kept("b", 0.5, said_by=Speaker.PERSON)], 1, "b"),
        ([kept("a", 0.5, confidence=0.9), kept("b", 0.5, confidence=0.4)], 1, "a"),
        ([kept("a", None), kept("b", 1.0), kept("c", 0.0)], 2, "ab"),  # None: as its kind begins
        ([kept("a", 0.5)], 0, ""),
    ],
)
def test_the_worthiest(of: list[KeptFinding], most: int, taken: str) -> None:
    assert "".join(one.fingerprint for one in worthiest(of, most)) == taken


def test_a_session_teaches_so_many_things_and_says_why_not_more(
    lore: Lore, transcript: Transcript
) -> None:
    lore.engine.settings = Settings({**lore.settings.values, "limits.per_session": 2})
    transcript.row(ended=True)
    for name in ("Migrations", "Fixtures", "Changelogs"):
        transcript.typed(f"{name} are always written by hand in this repository.")
        transcript.ran(f"make {name}")
    for one in unread(lore):
        memory_of(lore).take_up(one)
    with lore.store.read() as conn:
        refused = [one.refused for one in findings.of_session(conn, "s1")]
    assert len(lore.list(statuses=(Status.CANDIDATE,))) == 2
    assert sorted(map(bool, refused)) == [False, False, True]
