"""What subagents did is the session's work, at its place in time; nobody typed what they were
asked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from session_tools import Transcript

from loremap.app import Lore
from loremap.clients.transcripts.past import PastSession
from loremap.model.hook import Moment
from loremap.model.turn import Speaker, Turn
from loremap.sessions.finishing import session_turns
from loremap.sessions.past import turns_of_past
from loremap.sessions.session_memory import SessionMemory
from loremap.storage import events

TASK = "Mend the rates.\nNever touch <b>other</b> files."
TEST = "pytest tests/test_rates.py"
ERROR = "ModuleNotFoundError: No module named 'billing.rates'"


def commands(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    """The commands that were run, each with the role of who ran it."""
    calls = [(turn.call, turn.subagent_kind) for turn in turns]
    return [(call.command, role) for call, role in calls if call is not None and call.command]


@pytest.fixture
def handed(transcript: Transcript) -> Transcript:
    """A session whose work two subagents do in turns with it."""
    transcript.typed("the rates are wrong, please have them mended")
    coder = transcript.hands_on(TASK, role="coder", to="a1")
    coder.ran(TEST, output=f"{ERROR}\n1 failed", fails=True)
    transcript.ran("git status")
    tester = transcript.hands_on("Run all tests.", role="qa", to="b2")
    tester.ran("pytest", output="3 passed")
    coder.said("The package does not name the module billing.rates.")
    coder.edited("pyproject.toml", new='packages = ["billing"]')
    coder.ran(TEST, output="1 passed")
    transcript.said("It is mended.")
    return transcript


def test_what_subagents_did_stands_among_the_turns_in_the_order_of_time(
    lore: Lore, handed: Transcript
) -> None:
    turns = session_turns(lore, handed.row())
    assert [turn.number for turn in turns] == list(range(len(turns)))
    assert commands(turns) == [
        (TEST, "coder"),
        ("git status", ""),
        ("pytest", "qa"),
        (TEST, "coder"),
    ]
    assert {turn.subagent_id for turn in turns if turn.subagent_kind} == {"a1", "b2"}


def test_nobody_typed_what_a_subagent_was_asked(lore: Lore, handed: Transcript) -> None:
    turns = session_turns(lore, handed.row())
    typed = [turn.text for turn in turns if turn.speaker is Speaker.PERSON]
    assert typed == ["the rates are wrong, please have them mended"]
    assert [turn.text for turn in turns if turn.text == TASK and turn.in_subagent] == [TASK]


def test_a_line_that_calls_itself_no_subagents_is_still_nobodys_word(
    lore: Lore, handed: Transcript
) -> None:
    path = handed.path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    path.write_text(path.read_text().replace('"isSidechain": true', '"isSidechain": false'))
    turns = session_turns(lore, handed.row())
    assert len([turn for turn in turns if turn.speaker is Speaker.PERSON]) == 1


def test_a_session_of_the_past_has_its_subagents_too(handed: Transcript) -> None:
    at = handed.lore.now()
    one = PastSession(
        client="claude", id="s1", paths=(handed.path,), folder=None, branch=None, remote=None,
        began=at, last=at, bytes=0,
    )  # fmt: skip
    assert (TEST, "coder") in commands(turns_of_past(one))


def test_the_log_tells_of_calls_in_subagents_that_nobody_wrote_down(
    lore: Lore, transcript: Transcript
) -> None:
    transcript.typed("have the rates mended")
    inner = Transcript(lore, transcript.path, subagent_id="c3")
    inner.logs_call("u1", "Edit", {"file_path": "rates.py"}, success=True, subagent_kind="coder")
    transcript.said("Done.")
    turns = session_turns(lore, transcript.row())
    assert [(turn.speaker, turn.subagent_id, turn.subagent_kind) for turn in turns] == [
        (Speaker.PERSON, "", ""), (Speaker.TOOL, "c3", "coder"), (Speaker.AGENT, "", ""),
    ]  # fmt: skip


def test_a_call_that_is_written_down_and_logged_was_done_once(
    lore: Lore, handed: Transcript
) -> None:
    with lore.store.read() as conn:
        logged = events.of_subagents(conn, "s1")
    assert len([one for one in logged if one.moment is Moment.AFTER_TOOL]) == 4
    assert len(commands(session_turns(lore, handed.row()))) == 4


def test_what_a_subagent_changed_the_session_has_changed(lore: Lore, handed: Transcript) -> None:
    handed.row(ended=True)
    summary = SessionMemory(lore).learn("s1").summary
    assert "changed pyproject.toml" in summary
