"""What real clients write down of a session is read without loss, and nobody's word for a person's:
what was typed, what was done and how it ended, and none of what hooks and the client put in."""

from __future__ import annotations

import json
import subprocess

import pytest
from machine import Machine
from models import SUMMARY_ANSWER, Say

from clients import CLIENTS, Client
from loremap.clients import past
from loremap.clients.transcripts.past import PastSession
from loremap.model.turn import Speaker, Turn
from loremap.sessions.past import turns_of_past

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300)]
each_client = pytest.mark.parametrize("name", CLIENTS)

BRIEF = "integer cents"
ASKED = "Why does the export fail? Always run the checks with make check."
PASTED = "Good. And now this:\n```\nTraceback (most recent call last):\n```\nPlease mend it."
LAST = "And now count the gnus."
FAILS, WORKS = "echo no rule; exit 3", "printf fine"
BEFORE, AFTER = "    return sum(lines)", "    return sum(lines) or 0"
SAY_BRANCH = ("claude", "codex", "copilot")
PLACES = ("HOME", "USERPROFILE", "XDG_DATA_HOME", "CODEX_HOME", "COPILOT_HOME")


def written(machine: Machine, client: Client) -> PastSession:
    """The one session that a client has written down in the machine's home."""
    places = client.environment(machine.home, machine.model)
    with pytest.MonkeyPatch.context() as patched:
        for name in PLACES:
            if name in places:
                patched.setenv(name, places[name])
        (found,) = past.listing(machine.data, clients=(client.name,)).sessions
    return found


def turns_in(machine: Machine, client: Client) -> list[Turn]:
    """What was said and done in it."""
    return turns_of_past(written(machine, client))


def said(turns: list[Turn], speaker: Speaker) -> list[str]:
    """What was said; one client's `run` puts what it is given in quotes."""
    return [turn.text.strip('"') for turn in turns if turn.speaker is speaker]


@each_client
def test_a_session_is_read_without_loss(name: str, machine: Machine) -> None:
    client = CLIENTS[name]
    machine.lore("remember", "--pin", "--kind", "convention", f"Amounts are {BRIEF}, no floats.")
    client.allow_edits(machine.home)
    machine.connect(client)
    machine.start_resident()
    machine.wait_until_warm()
    edit = client.edit(machine.project / "shop" / "billing.py", BEFORE, AFTER)
    calls = (client.shell(FAILS), client.shell(WORKS), *edit)
    with machine.talk(client) as talk:
        first = talk.ask(ASKED, *calls, Say("I changed the sum."))
        talk.ask(PASTED, Say("It is mended."))
        talk.compact()
        talk.ask(LAST, Say("Three gnus."))
        session_id = talk.session
    assert BRIEF in first.turns[0].text()

    found = written(machine, client)
    turns = turns_of_past(found)
    assert said(turns, Speaker.PERSON) == [ASKED, PASTED, LAST]
    assert said(turns, Speaker.AGENT) == ["I changed the sum.", "It is mended.", "Three gnus."]
    _check_calls(turns)
    assert BRIEF not in repr(turns)
    assert SUMMARY_ANSWER.text not in repr(turns)
    assert all(turn.at is not None for turn in turns)
    assert found.folder == machine.project
    assert found.branch == (_branch(machine) if name in SAY_BRANCH else None)
    assert session_id in (None, found.id)

    # Its hooks told of it under the same id: it is not imported beside itself.
    done = json.loads(machine.lore("import", "sessions", "--json", client=client))
    assert [one["fate"] for one in done["sessions"]] in (["goes on"], ["learned"], [])
    assert done["known"] + len(done["sessions"]) == 1


def _check_calls(turns: list[Turn]) -> None:
    calls = [turn.call for turn in turns if turn.call is not None]
    failed = next(call for call in calls if call.command == FAILS)
    worked = next(call for call in calls if call.command == WORKS)
    assert (failed.success, worked.success) == (False, True)
    assert "3" in failed.error
    assert "no rule" in failed.result
    assert "fine" in worked.result
    changed = [
        (use.path.endswith("shop/billing.py"), call.success)
        for call in calls
        for use in call.files
        if use.operation == "edit"
    ]
    assert changed == [(True, True)]


def _branch(machine: Machine) -> str:
    words = ("git", "symbolic-ref", "--short", "HEAD")
    done = subprocess.run(words, cwd=machine.project, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@each_client
def test_a_session_of_before_is_imported_once(name: str, machine: Machine) -> None:
    client = CLIENTS[name]
    machine.model.play(client.shell(WORKS), Say("It prints fine."))
    first = machine.run(client, ASKED)
    machine.model.play(Say("Three gnus."))
    machine.run(client, LAST, resume=first.session)
    assert said(turns_in(machine, client), Speaker.PERSON) == [ASKED, LAST]
    done = json.loads(machine.lore("import", "sessions", "--json", client=client))
    (one,) = done["sessions"]
    assert (one["client"], one["session"], one["fate"]) == (name, first.session, "learned")
    again = json.loads(machine.lore("import", "sessions", "--json", client=client))
    assert (again["sessions"], again["known"]) == ([], 1)


@pytest.mark.parametrize("name", ["claude", "codex", "opencode"])
def test_a_subagents_task_is_not_typed(name: str, machine: Machine) -> None:
    client, task = CLIENTS[name], "Which character separates the columns? Never guess."
    machine.model.play(client.subagent(task), client.shell("sleep 3"))
    machine.model.play_subagent(task)
    machine.run(client, "Hand it on.")
    assert said(turns_in(machine, client), Speaker.PERSON) == ["Hand it on."]


def test_what_a_subagent_did_is_the_sessions_work(machine: Machine) -> None:
    client, task = CLIENTS["claude"], "An empty invoice has a sum too. Mend it."
    client.allow_edits(machine.home)
    edit = client.edit(machine.project / "shop" / "billing.py", BEFORE, AFTER)
    machine.model.play(client.subagent(task), client.shell("sleep 3"))
    machine.model.play_subagent(task, client.shell(FAILS), *edit)
    machine.run(client, "Hand it on.")
    inner = [turn for turn in turns_in(machine, client) if turn.in_subagent]
    assert {turn.subagent_kind for turn in inner} == {"general-purpose"}
    assert len({turn.subagent_id for turn in inner}) == 1
    calls = [turn.call for turn in inner if turn.call is not None]
    assert [(one.name, one.success) for one in calls] == [
        ("Bash", False), ("Read", True), ("Edit", True),
    ]  # fmt: skip
