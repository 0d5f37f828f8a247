"""What subagents did is the session's work, at its place in time; nobody typed what they were
asked."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from session_tools import Transcript

from loremap.app import Lore
from loremap.clients.transcripts.past import PastSession
from loremap.clients.transcripts.record import Record, Role
from loremap.model.hook import Moment
from loremap.model.kind import Kind
from loremap.model.memory import Status
from loremap.model.pattern import Pattern, PatternType
from loremap.model.task import TaskStatus
from loremap.model.turn import Speaker, Turn
from loremap.sessions.finishing import session_turns
from loremap.sessions.past import turns_of_past
from loremap.sessions.session_memory import SessionMemory
from loremap.sessions.subagents import with_subagents
from loremap.sessions.turns import MAX_TURNS
from loremap.storage import events, findings, patterns, tasks

TASK = "Mend the rates.\nNever touch <b>other</b> files."
TEST = "pytest tests/test_rates.py"
ERROR = "ModuleNotFoundError: No module named 'billing.rates'"


def commands(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    """The commands that were run, each with the role of who ran it."""
    calls = [(turn.call, turn.subagent_kind) for turn in turns]
    return [(call.command, role) for call, role in calls if call is not None and call.command]


def fixes(lore: Lore) -> list[Pattern]:
    """The errors that were mended, with what mended them."""
    assert lore.project_id is not None
    with lore.store.read() as conn:
        every = patterns.of_project(conn, lore.project_id)
    return [one for one in every if one.type is PatternType.ERROR_FIX]


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


@pytest.mark.parametrize("linked", ["s1", "s1/subagents"])
def test_a_link_that_leads_to_others_files_is_not_followed(
    lore: Lore, handed: Transcript, tmp_path: Path, linked: str
) -> None:
    folder = handed.path.parent / linked
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert TASK not in [turn.text for turn in session_turns(lore, handed.row())]


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


def test_subagents_fill_what_a_long_session_leaves_and_push_nothing_of_it_out(
    lore: Lore, transcript: Transcript
) -> None:
    at = lore.now()
    typed = Turn(number=0, speaker=Speaker.PERSON, text="go on", at=at + timedelta(days=1))
    own = [typed] * (MAX_TURNS - 100)
    written = ((id_, [Record(role=Role.AGENT, text=id_, at=at)] * 70) for id_ in ("a1", "b2"))
    for number in range(40):
        given = {"file_path": "rates.py"}
        Transcript(lore, transcript.path, subagent_id="c3").logs_call(f"u{number}", "Edit", given)
    with lore.store.read() as conn:
        logged = events.of_subagents(conn, "s1")
    told = Counter(turn.subagent_id for turn in with_subagents(own, written, logged=logged))
    assert told == {"": len(own), "a1": 70, "c3": 30}


def test_what_a_subagent_changed_the_session_has_changed(lore: Lore, handed: Transcript) -> None:
    handed.row(ended=True)
    summary = SessionMemory(lore).learn("s1").summary
    assert "changed pyproject.toml" in summary


def test_an_error_that_a_subagent_mended_is_a_memory_of_its_role(
    lore: Lore, handed: Transcript
) -> None:
    handed.row(ended=True)
    SessionMemory(lore).learn("s1")
    (found,) = lore.list(statuses=(Status.CANDIDATE,))
    assert (found.kind, found.agent) == (Kind.ERROR_PATTERN, "coder")
    assert ERROR in found.content
    with lore.store.read() as conn:
        (kept,) = findings.of_session(conn, "s1")
    (pattern,) = fixes(lore)
    assert kept.finding.agent == pattern.data["agent"] == "coder"


def test_an_error_that_one_agent_met_and_another_mended(lore: Lore, transcript: Transcript) -> None:
    transcript.typed("check the rates and have them mended")
    tester = transcript.hands_on("Run the tests.", role="qa", to="a1")
    tester.ran(TEST, output=f"{ERROR}\n1 failed", fails=True)
    coder = transcript.hands_on(TASK, role="coder", to="b2")
    coder.said("The package does not name the module billing.rates.")
    coder.edited("pyproject.toml", new='packages = ["billing"]')
    again = transcript.hands_on("Run them again.", role="qa", to="c3")
    again.ran(TEST, output="1 passed")
    transcript.row(ended=True)
    SessionMemory(lore).learn("s1")
    (found,) = lore.list(statuses=(Status.CANDIDATE,))
    assert found.agent == "qa"
    assert found.files == ("pyproject.toml",)


def test_what_others_change_meanwhile_mends_nothing(lore: Lore, transcript: Transcript) -> None:
    transcript.typed("have the rates mended and the labels renamed")
    coder = transcript.hands_on(TASK, role="coder", to="a1")
    other = transcript.hands_on("Rename the labels.", role="coder", to="b2")
    coder.ran(TEST, output=f"{ERROR}\n1 failed", fails=True)
    coder.edited("pyproject.toml", new='packages = ["billing"]')
    other.edited("labels.py", new="LABEL = 1")
    coder.ran(TEST, output="1 passed")
    transcript.row(ended=True)
    SessionMemory(lore).learn("s1")
    (pattern,) = fixes(lore)
    assert pattern.data["files"] == ["pyproject.toml"]


def test_a_task_whose_tests_fail_in_a_subagent_is_not_done(
    lore: Lore, transcript: Transcript
) -> None:
    transcript.typed("have the rates mended please")
    coder = transcript.hands_on(TASK, role="coder", to="a1")
    coder.edited("rates.py", new="RATE = 2")
    coder.ran(TEST, output="1 failed", fails=True)
    transcript.said("The rates are changed.")
    transcript.row(ended=True)
    SessionMemory(lore).learn("s1")
    with lore.store.read() as conn:
        (task,) = tasks.of_session(conn, "s1")
    assert (task.status, task.files_touched) == (TaskStatus.PAUSED, ("rates.py",))


def test_a_choice_is_about_the_files_that_a_subagent_changed_for_it(
    lore: Lore, transcript: Transcript
) -> None:
    transcript.typed("the totals are off by a cent, what would you do?")
    transcript.said("Should amounts become integer cents, or decimals with two places?")
    transcript.typed("Amounts become integer cents, because audits add them up exactly.")
    transcript.hands_on(TASK, role="coder", to="a1").edited("prices.py", new="TOTAL = 0")
    transcript.said("They are integer cents now.")
    transcript.row(ended=True)
    (one,) = SessionMemory(lore).learn("s1").findings
    assert (one.finding.said_by, one.finding.agent) == (Speaker.PERSON, "")
    assert (one.finding.kind, one.finding.files) == (Kind.DECISION, ("prices.py",))


ASKED = "the rates are wrong, please have them mended"


@pytest.fixture
def begun(transcript: Transcript) -> Transcript:
    """A session whose second prompt a test takes back."""
    transcript.typed("look around")
    transcript.said("I have seen it.")
    transcript.typed(ASKED)
    return transcript


def standing(turns: Sequence[Turn]) -> set[str]:
    """The subagents whose turns stand."""
    return {turn.subagent_id for turn in turns if not turn.taken_back} - {""}


def test_what_a_subagent_did_for_a_prompt_that_was_taken_back_teaches_nothing(
    lore: Lore, begun: Transcript
) -> None:
    coder = begun.hands_on(TASK, role="coder", to="b2")
    coder.ran(TEST, output=f"{ERROR}\n1 failed", fails=True)
    # The name of its file stands before that of who handed the task on.
    helper = coder.hands_on("Find where the package is told.", role="explore", to="a1")
    helper.said("It is told in pyproject.toml.")
    helper.ran("ls")
    coder.edited("pyproject.toml", new='packages = ["billing"]')
    coder.ran(TEST, output="1 passed")
    begun.typed_instead("leave them, and rename the labels", of=ASKED)
    turns = session_turns(lore, begun.row(ended=True))
    assert standing(turns) == set()
    assert [turn.text for turn in turns if turn.call is None] == [
        "look around", "I have seen it.", "leave them, and rename the labels",
    ]  # fmt: skip
    assert commands(turns) == [(TEST, "coder"), ("ls", "explore"), (TEST, "coder")]
    assert SessionMemory(lore).learn("s1").findings == ()


def test_a_task_that_is_handed_on_again_stands_and_so_does_one_from_before(
    lore: Lore, transcript: Transcript
) -> None:
    transcript.typed("look around")
    before = transcript.hands_on("Look at all files.", role="explore", to="a1")
    transcript.typed(ASKED)
    transcript.hands_on(TASK, role="coder", to="b2").edited("rates.py", new="RATE = 2")
    before.ran("ls")
    transcript.typed_instead("mend the rates with care", of=ASKED)
    transcript.hands_on(TASK, role="coder", to="c3").edited("rates.py", new="RATE = 3")
    assert standing(session_turns(lore, transcript.row())) == {"a1", "c3"}


def test_what_the_log_alone_tells_of_is_taken_back_with_the_session(
    lore: Lore, begun: Transcript
) -> None:
    coder = begun.hands_on(TASK, role="coder", to="a1")
    coder.edited("rates.py", new="RATE = 2")
    begun.typed_instead("leave them as they are", of=ASKED)
    coder.ran(TEST)
    coder.path.unlink()
    turns = session_turns(lore, begun.row())
    assert [turn.taken_back for turn in turns if turn.subagent_id] == [True, True]


def test_a_child_session_of_opencode_is_a_subagent(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    given = {"prompt": TASK, "subagent_type": "explore"}
    ran = {"status": "completed", "input": {"command": "make"}, "output": "made"}
    messages = [
        ("outer", {"role": "user"}, {"type": "text", "text": "hand it on"}),
        ("outer", {"role": "assistant"}, {"type": "tool", "tool": "task", "callID": "t",
                                          "state": {"status": "completed", "input": given}}),
        ("inner", {"role": "user"}, {"type": "text", "text": TASK}),
        ("inner", {"role": "assistant"}, {"type": "tool", "tool": "bash", "callID": "b",
                                          "state": ran}),
    ]  # fmt: skip
    with closing(sqlite3.connect(path)) as held:
        held.executescript(
            "create table session (id, parent_id, directory, time_created, time_updated);"
            "create table message (id, session_id, time_created, data);"
            "create table part (id, message_id, time_created, data);"
            "insert into session values ('outer', null, '/shop', 1, 1);"
            "insert into session values ('inner', 'outer', '/shop', 2, 2);"
        )
        for at, (session, message, part) in enumerate(messages, start=1):
            id_, ms = str(at), at * 1_000_000_000
            told = (id_, session, ms, json.dumps(message))
            held.execute("insert into message values (?, ?, ?, ?)", told)
            held.execute("insert into part values (?, ?, ?, ?)", (id_, id_, ms, json.dumps(part)))
        held.commit()
    began = datetime(2026, 5, 4, tzinfo=UTC)
    one = PastSession(
        client="opencode", id="outer", paths=(path,), folder=None, branch=None, remote=None,
        began=began, last=began, bytes=0,
    )  # fmt: skip
    turns = turns_of_past(one)
    assert [turn.text for turn in turns if turn.speaker is Speaker.PERSON] == ["hand it on"]
    assert commands(turns) == [("make", "explore")]
    assert turns[-1].subagent_id == "inner"
