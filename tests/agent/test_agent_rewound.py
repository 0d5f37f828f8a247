"""Turns that a person takes back: what the context lost is told again, and nothing else is."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from agent_tools import Scene

from loremap.model.hook import Moment

RULE = "Prices are stored in cents, never as floats"
GOTCHA = "The nightly export skips orders without an invoice number"
ASKED = "why does the nightly export skip orders?"
OTHER = "Refresh tokens of customers expire after thirty days"
ASKED_OTHER = "when do the refresh tokens of customers expire?"


@pytest.fixture
def known(scene: Scene) -> Scene:
    """A project with a rule, and with two things one may ask about."""
    scene.scan()
    scene.remember(RULE, kind="decision")
    scene.remember(GOTCHA, kind="gotcha")
    scene.remember(OTHER, kind="gotcha")
    return scene


class Talk:
    """A session in a client that writes a transcript, as far as turns are told by it."""

    def __init__(self, scene: Scene, client: str, path: Path) -> None:
        self.scene, self.client, self.path = scene, client, path

    def write(self, path: Path | None = None, **fields: Any) -> None:
        """Write a line, now."""
        written = self.path if path is None else path
        written.parent.mkdir(parents=True, exist_ok=True)
        with written.open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(fields, separators=(",", ":")) + "\n")

    def now(self) -> str:
        at: datetime = self.scene.clock()
        return at.isoformat()

    def asks(self, text: str) -> str:
        """What a prompt is told."""
        return self.scene.prompt(text, client=self.client, transcript=self.path)

    def stops(self) -> None:
        """The turn ends."""
        self.scene.happens(Moment.STOP, client=self.client, transcript=self.path)

    def starts(self) -> str:
        return self.scene.start(client=self.client, transcript=self.path)


class Claude(Talk):
    def record(self, uuid: str, parent: str | None, **more: Any) -> None:
        self.write(parentUuid=parent, uuid=uuid, timestamp=self.now(), **more)

    def turn(self, name: str, text: str, parent: str | None) -> str:
        """A whole turn; its prompt is written down only once it was answered."""
        begun, told = self.now(), self.asks(text)
        self.write(parentUuid=parent, uuid=name, timestamp=begun, type="user", promptId=name)
        self.record(f"{name}-end", name, type="assistant")
        return told


@pytest.fixture
def claude(known: Scene, tmp_path: Path) -> Claude:
    talk = Claude(known, "claude", tmp_path / "claude.jsonl")
    assert RULE in talk.starts()
    talk.record("start", None, type="attachment")
    assert GOTCHA in talk.turn("one", ASKED, "start")
    talk.stops()
    return talk


def test_claude_gets_it_with_the_next_prompt(claude: Claude) -> None:
    assert claude.turn("again", ASKED, "start") == ""  # nothing tells yet that it was taken back
    claude.stops()
    told = claude.turn("next", "so why are orders skipped by the nightly export?", "again-end")
    assert GOTCHA in told
    assert RULE not in told
    claude.stops()
    assert claude.turn("last", ASKED, "next-end") == ""


@pytest.mark.parametrize("moment", [Moment.BEFORE_TOOL, Moment.AFTER_TOOL])
def test_or_with_the_first_tool(claude: Claude, moment: Moment) -> None:
    claude.turn("again", ASKED, "start")
    act = claude.scene.before if moment is Moment.BEFORE_TOOL else claude.scene.after
    told = act("ls", transcript=claude.path)
    assert GOTCHA in told
    assert RULE not in told
    assert act("ls", use_id="t2", transcript=claude.path) == ""
    claude.stops()
    assert claude.turn("next", ASKED, "again-end") == ""


def test_who_says_the_same_twice_is_not_told_twice(claude: Claude) -> None:
    parent = "one-end"
    for name in ("two", "three"):
        assert claude.turn(name, ASKED, parent) == ""
        claude.stops()
        parent = f"{name}-end"


def test_what_is_kept_is_not_told_again(claude: Claude) -> None:
    assert OTHER in claude.turn("two", f"{ASKED} and {ASKED_OTHER}", "one-end")
    claude.stops()
    claude.turn("again", f"{ASKED} and {ASKED_OTHER}", "one-end")
    claude.stops()
    told = claude.turn("next", f"{ASKED} and {ASKED_OTHER}", "again-end")
    assert OTHER in told
    assert GOTCHA not in told


def test_another_resident_knows_it_too(claude: Claude) -> None:
    claude.turn("again", "hello", "start")
    claude.scene.restart()
    assert GOTCHA in claude.turn("next", ASKED, "again-end")
    claude.stops()
    claude.scene.restart()
    assert claude.turn("last", ASKED, "next-end") == ""


def test_gemini_gets_all_of_it_with_the_prompt(known: Scene, tmp_path: Path) -> None:
    talk = Talk(known, "gemini", tmp_path / "session.jsonl")
    talk.starts()
    talk.write(sessionId="s1", startTime=talk.now(), timestamp=talk.now())
    first = talk.asks(ASKED)
    assert RULE in first
    assert GOTCHA in first
    talk.write(id="m1", timestamp=talk.now(), type="user")
    talk.write(id="m2", timestamp=talk.now(), type="gemini")
    assert talk.asks(ASKED) == ""
    talk.write(id="m3", timestamp=talk.now(), type="user")
    talk.write(**{"$rewindTo": "m3"})
    assert talk.asks(ASKED) == ""
    talk.write(id="m4", timestamp=talk.now(), type="user")
    talk.write(**{"$rewindTo": "m1"})
    assert talk.asks(ASKED) == first
    talk.write(id="m5", timestamp=talk.now(), type="user")
    assert talk.asks(ASKED) == ""


def test_codex_goes_on_in_another_file(known: Scene, tmp_path: Path) -> None:
    folder = tmp_path / "2026" / "11" / "16"
    talk = Talk(known, "codex", folder / "rollout-s1.jsonl")
    block = talk.starts()
    talk.write(type="session_meta", payload={"id": "s1", "timestamp": talk.now()})
    talk.write(type="response_item", timestamp=talk.now())
    assert GOTCHA in talk.asks(ASKED)
    talk.write(type="response_item", timestamp=talk.now())
    kept = {"thread_id": "s1", "end_byte_offset": talk.path.stat().st_size}
    assert OTHER in talk.asks(f"{ASKED} and {ASKED_OTHER}")
    talk.write(type="response_item", timestamp=talk.now())

    talk.path = folder / "rollout-s1_b1.jsonl"
    meta = {"id": "s1", "timestamp": talk.now()}
    talk.write(type="session_meta", payload=meta | {"history_base": kept})
    told = talk.asks(f"{ASKED} and {ASKED_OTHER}")
    assert OTHER in told
    assert GOTCHA not in told
    assert RULE not in told

    talk.path = folder / "rollout-s1_b2.jsonl"
    talk.write(type="session_meta", payload={"id": "s1", "timestamp": talk.now()})
    told = talk.asks(ASKED)
    assert told.startswith(block)
    assert GOTCHA in told
    assert talk.asks(ASKED) == ""


def test_copilot_loses_what_the_session_began_with(known: Scene, tmp_path: Path) -> None:
    """Its prompts do not say where the transcript lies; the end of a turn does."""
    talk = Talk(known, "copilot", tmp_path / "events.jsonl")
    block = known.start(client="copilot")
    talk.write(type="session.start", timestamp=talk.now())
    assert GOTCHA in known.prompt(ASKED, client="copilot")
    talk.write(type="user.message", timestamp=talk.now())
    talk.stops()
    kept = talk.path.read_bytes()
    assert OTHER in known.prompt(f"{ASKED} and {ASKED_OTHER}", client="copilot")
    talk.write(type="user.message", timestamp=talk.now(), data={"content": "x" * 500})
    talk.stops()
    talk.path.write_bytes(kept)
    talk.write(type="session.info", data={"infoType": "rewind"}, timestamp=talk.now())
    told = known.prompt(f"{ASKED} and {ASKED_OTHER}", client="copilot")
    assert told.startswith(block)
    assert OTHER in told
    assert GOTCHA not in told
    assert known.prompt(ASKED, client="copilot") == ""


def test_a_client_may_say_by_itself_what_was_taken_back(known: Scene) -> None:
    known.start(client="opencode")
    assert GOTCHA in known.prompt(ASKED, client="opencode", turn="m1")
    assert known.prompt(ASKED, client="opencode", turn="m2", taken_back=("unheard-of",)) == ""
    assert GOTCHA in known.prompt(ASKED, client="opencode", turn="m3", taken_back=("m2", "m1"))
    assert known.prompt(ASKED, client="opencode", turn="m4") == ""
