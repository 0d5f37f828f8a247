"""The tasks of a session are kept as it goes on, and its events say for which each was done."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from session_tools import Clock, Transcript, memory_of, unread

from loremap.app import Lore
from loremap.model.event import Event
from loremap.model.hook import Moment
from loremap.model.task import Task, TaskStatus
from loremap.sessions.session_memory import CHECKPOINT_EVENTS, SILENT
from loremap.storage import events, sessions, tasks

LOGIN = "fix the login timeout in the auth service"
NOTES = "write release notes for version two of the widget"
TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ2kL5"


def kept(lore: Lore, session_id: str = "s1") -> list[Task]:
    with lore.store.read() as conn:
        return tasks.of_session(conn, session_id)


def linked(lore: Lore, session_id: str = "s1") -> list[str | None]:
    with lore.store.read() as conn:
        named = {one.id: one.description for one in tasks.of_session(conn, session_id)}
        found = events.of_session(conn, session_id)
        return [None if one.task_id is None else named[one.task_id] for one in found]


def read(lore: Lore) -> None:
    for one in unread(lore):
        memory_of(lore).take_up(one)


def worked(transcript: Transcript) -> None:
    transcript.typed(LOGIN)
    transcript.ran("make test", fails=True)
    transcript.typed(NOTES)
    transcript.ran("make notes")


def test_tasks_and_events_as_a_session_goes_on_and_ends(lore: Lore, transcript: Transcript) -> None:
    worked(transcript)
    for number in range(CHECKPOINT_EVENTS):
        transcript.ran(f"make part{number}")
    transcript.row()
    read(lore)
    first, second = kept(lore)
    assert (first.description, first.status) == (LOGIN, TaskStatus.FAILED)
    assert (second.description, second.status) == (NOTES, TaskStatus.ACTIVE)
    assert second.tools_used == {"Bash": 1 + CHECKPOINT_EVENTS}
    assert linked(lore) == [LOGIN] * 2 + [NOTES] * (2 + CHECKPOINT_EVENTS)
    transcript.typed("back to the login timeout in auth")
    transcript.ran("make test")
    transcript.row(ended=True)
    read(lore)
    again, _ = kept(lore)
    assert (again.id, again.status) == (first.id, TaskStatus.COMPLETED)
    assert linked(lore)[-2:] == [LOGIN] * 2


def test_what_is_read_twice_is_the_same(lore: Lore, transcript: Transcript) -> None:
    worked(transcript)
    transcript.row(ended=True)
    read(lore)
    before, links = kept(lore), linked(lore)
    memory_of(lore).learn("s1")
    assert (kept(lore), linked(lore)) == (before, links)
    assert [one.version for one in before] == [1, 1]


def test_a_session_that_is_known_from_the_log_alone(
    lore: Lore, transcript: Transcript, clock: Clock
) -> None:
    worked(transcript)
    transcript.path.unlink()
    session = transcript.row()
    with lore.store.append() as conn:
        sessions.upsert(conn, replace(session, transcript=None))
    clock.go_on(minutes=SILENT / timedelta(minutes=1))
    read(lore)
    assert [one.description for one in kept(lore)] == [LOGIN, NOTES]
    assert linked(lore) == [LOGIN] * 2 + [NOTES] * 2


def test_where_sessions_are_not_learned_from_tasks_are_those_of_the_log(
    lore: Lore, transcript: Transcript
) -> None:
    worked(transcript)
    transcript.row(ended=True)
    lore.sessions.switch_project(on=False)
    read(lore)
    assert [one.description for one in kept(lore)] == [LOGIN, NOTES]
    transcript.path.write_text("")
    assert linked(lore) == [LOGIN] * 2 + [NOTES] * 2


def test_a_fork_does_not_count_what_its_parent_did(
    lore: Lore, transcript: Transcript, clock: Clock
) -> None:
    worked(transcript)
    clock.go_on(hours=1)
    forked = replace(transcript.row(ended=True), id="s2", parent_id="s1", created_at=clock.at)
    clock.go_on(minutes=1)
    transcript.typed("rename every colour constant to British spelling")
    transcript.ran("make names")
    with lore.store.append() as conn:
        sessions.upsert(conn, forked)
    memory_of(lore).learn("s2")
    assert [one.description for one in kept(lore, "s2")] == [
        "rename every colour constant to British spelling"
    ]


def test_the_first_reading_of_a_fork_that_its_transcript_tells_counts_no_more(
    lore: Lore, transcript: Transcript, clock: Clock
) -> None:
    worked(transcript)
    transcript.row(ended=True)
    clock.go_on(hours=1)
    fork = Transcript(lore, transcript.path.with_name("fork.jsonl"), "s2")
    fork.repeats(transcript)
    began = clock.at
    fork.typed("rename every colour constant to British spelling")
    fork.ran("make names")
    fork.row(ended=True, created_at=began)
    memory_of(lore).learn("s2")
    assert [one.description for one in kept(lore, "s2")] == [
        "rename every colour constant to British spelling"
    ]


def test_no_secret_and_no_word_of_the_model_is_kept(lore: Lore, transcript: Transcript) -> None:
    transcript.typed(f"deploy the widget service with token {TOKEN} please")
    transcript.said("I shall deploy with quicksilver.")
    transcript.ran(f"deploy --token {TOKEN}")
    transcript.row(ended=True)
    read(lore)
    (one,) = kept(lore)
    assert TOKEN not in str(one)
    assert "quicksilver" not in str(one)
    assert "deploy" in one.outcome


def test_prompts_that_the_transcript_does_not_tell_end_no_task(
    lore: Lore, transcript: Transcript
) -> None:
    transcript.typed(LOGIN)
    event = Event(
        id="e",
        at=lore.now(),
        client="claude",
        moment=Moment.PROMPT,
        session_id="s1",
        text="/compact",
    )
    with lore.store.append() as conn:
        events.append(conn, [event])
    transcript.ran("make test")
    transcript.row(ended=True)
    read(lore)
    assert linked(lore) == [LOGIN] * 3


def test_a_session_in_which_nothing_was_asked_has_none(lore: Lore, transcript: Transcript) -> None:
    transcript.ran("make test")
    transcript.row(ended=True)
    read(lore)
    assert (kept(lore), linked(lore)) == ([], [None])
