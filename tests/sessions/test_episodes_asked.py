"""The questions about what was done: files, words, tools, tasks, sessions; a person's word."""

from __future__ import annotations

from datetime import timedelta

import pytest
from session_tools import BEGAN, Clock, Transcript, memory_of, unread

from loremap.app import Lore
from loremap.embedding.hashing import HashingEmbedder
from loremap.errors import BadInput, NotFound
from loremap.model.clock import new_id, to_ms
from loremap.model.episode import Edit, Together
from loremap.model.event import Event
from loremap.model.hook import FileUse, Moment, Operation
from loremap.model.task import SetBy, Task, TaskStatus
from loremap.sessions.episodes.similar import similar
from loremap.sessions.episodes.together import MAX_AT_ONCE, together
from loremap.storage import events, tasks

LOGIN = "fix the login timeout in the auth service"
NOTES = "write release notes for version two of the widget"
AT = to_ms(BEGAN)


def used(
    lore: Lore,
    path: str,
    operation: Operation = Operation.EDIT,
    *,
    tool: str = "Edit",
    success: bool = True,
    session: str = "s1",
    days_ago: float = 0,
) -> None:
    event = Event(
        id=new_id(),
        at=lore.now() - timedelta(days=days_ago),
        client="claude",
        moment=Moment.AFTER_TOOL,
        session_id=session,
        project_id=lore.project_id,
        tool=tool,
        success=success,
        duration_ms=10 if success else 30,
        why="to see",
        files=(FileUse(path=path, operation=operation, lines=(3, 9)),),
    )
    with lore.store.append() as conn:
        events.append(conn, [event])


def test_what_was_done_with_a_file_a_folder_and_a_word(lore: Lore, clock: Clock) -> None:
    for number in range(7):
        used(lore, "src/auth/login.py", Operation.READ if number % 2 else Operation.EDIT)
    used(lore, "src/Auth_store.py")
    used(lore, "src/cart.py")
    found = lore.episodes.with_file("src/auth/login.py")
    assert [one.operation.value for one in found] == ["edit", "read"] * 2 + ["edit"]
    assert (found[0].lines, found[0].why, found[0].client) == ((3, 9), "to see", "claude")
    assert lore.episodes.with_file(str(lore.folder / "src/auth/login.py")) == found
    assert len(lore.episodes.with_file("src/auth/", limit=9)) == 7
    assert lore.episodes.with_file("src/none.py") == []
    about = lore.episodes.about("auth")
    assert [one.path for one in about] == ["src/Auth_store.py"] + ["src/auth/login.py"] * 7
    assert lore.episodes.about("100%") == []
    with pytest.raises(BadInput):
        lore.episodes.about("  ")


def edit(path: str, seconds: int, group: str = "t") -> Edit:
    return Edit(group, path, AT + seconds * 1000)


def thrice(*paths: str, apart: int = 1000, near: int = 10) -> list[Edit]:
    return [
        edit(path, apart * time + near * place)
        for time in range(3)
        for place, path in enumerate(paths)
    ]


@pytest.mark.parametrize(
    ("edits", "pairs"),
    [
        ([], []),
        (thrice("a", "b"), [("a", "b", 3, 1)]),
        (thrice("a", "b", near=300), [("a", "b", 3, 1)]),
        (thrice("a", "b", near=301), []),
        (thrice("a", "b")[:-1], []),  # twice
        # three changes of the one by one of the other are one time
        ([edit("a", 0), edit("a", 1), edit("a", 2), edit("b", 3)], []),
        # in tasks apart they are counted together, over tasks they are not near each other
        ([edit(one, 0, group) for group in "xyz" for one in "ab"], [("a", "b", 3, 3)]),
        ([edit("a", 0, "x"), edit("b", 0, "y")] * 3, []),
        (thrice("a", "b", "c"), [("a", "b", 3, 1), ("a", "c", 3, 1), ("b", "c", 3, 1)]),
        # a sweep over many files joins none
        (thrice(*map(str, range(MAX_AT_ONCE + 1)), near=1), []),
    ],
)
def test_which_files_change_together(
    edits: list[Edit], pairs: list[tuple[str, str, int, int]]
) -> None:
    ordered = sorted(edits, key=lambda one: one.at_ms)
    assert [(one.first, one.second, one.times, one.tasks) for one in together(ordered)] == pairs


def test_files_that_change_together_of_the_log(lore: Lore, clock: Clock) -> None:
    for _ in range(3):
        for path in ("a.py", "b.py", "c.py"):
            used(lore, path, success=path != "c.py")
        used(lore, "d.py", Operation.READ)
        clock.go_on(minutes=20)
    (one,) = lore.episodes.together()
    assert isinstance(one, Together)
    assert (one.first, one.second, one.times) == ("a.py", "b.py", 3)
    assert lore.episodes.together("b.py") == [one]
    assert lore.episodes.together("d.py") == []


def test_how_tools_fare_in_the_last_week(lore: Lore) -> None:
    for success in (True, True, False):
        used(lore, "a.py", success=success)
    used(lore, "a.py", tool="Read")
    used(lore, "a.py", tool="Old", days_ago=8)
    first, second = lore.episodes.tool_rates()
    assert (first.tool, first.total, first.successes, first.failures) == ("Edit", 3, 2, 1)
    assert first.rate == pytest.approx(2 / 3)
    assert first.mean_ms == pytest.approx(50 / 3)
    assert second.tool == "Read"
    assert len(lore.episodes.tool_rates(days=9)) == 3


def past(*said: str) -> list[Task]:
    return [
        Task(
            id=f"{number}" * 32,
            session_id="s",
            description=text,
            status=TaskStatus.COMPLETED,
            started_at=BEGAN + timedelta(hours=number),
        )
        for number, text in enumerate(said)
    ]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("the login timeout is back", [LOGIN]),
        ("auth service login", [LOGIN]),
        ("notes", [NOTES]),
        ("release the widget notes again", [NOTES]),
        ("speed up the parser of templates", []),
        ("the", []),
        ("fix the printer", []),
    ],
)
def test_past_tasks_like_what_is_asked(asked: str, found: list[str]) -> None:
    known = past(LOGIN, NOTES, "add a cart total")
    answer = similar(asked, known, limit=3, above=lambda _: None)
    assert [one.task.description for one in answer] == found


def test_a_vector_finds_what_shares_no_word_and_the_floor_holds_for_it_too() -> None:
    known = past(LOGIN, NOTES)
    above = {known[0].id: 4.5, known[1].id: 2.5}
    answer = similar("anmelden dauert ewig", known, limit=3, above=lambda one: above[one.id])
    assert [one.task.description for one in answer] == [LOGIN]


def test_vectors_of_tasks_are_made_where_a_model_is_at_hand(
    lore: Lore, transcript: Transcript
) -> None:
    lore.use_embedder(HashingEmbedder())
    transcript.typed(LOGIN)
    transcript.ran("make test")
    transcript.row(ended=True)
    for one in unread(lore):
        memory_of(lore).take_up(one)
    with lore.store.read() as conn:
        assert len(tasks.vectors(conn, lore.project_id, HashingEmbedder.model)) == 1
    (found,) = lore.episodes.similar("login timeout of the auth service")
    assert found.task.description == LOGIN
    assert lore.episodes.similar("paint the shed") == []


def worked(lore: Lore, transcript: Transcript, *prompts: str) -> None:
    for text in prompts:
        transcript.typed(text)
        transcript.ran("make test")
    transcript.row(ended=True)
    for one in unread(lore):
        memory_of(lore).take_up(one)


def test_what_is_asked_while_a_task_of_a_person_is_at_work_is_done_for_it(
    lore: Lore, transcript: Transcript
) -> None:
    begun = lore.episodes.start("Release week")
    assert [one.id for one in lore.episodes.tasks()] == [begun.id]
    transcript.typed(LOGIN)
    transcript.ran("make test")
    paused = lore.episodes.set_status(TaskStatus.PAUSED)
    assert (paused.id, paused.status) == (begun.id, TaskStatus.PAUSED)
    worked(lore, transcript, NOTES)
    again = lore.episodes.start(begun.id[-8:])
    assert (again.id, again.status, len(again.spans)) == (begun.id, TaskStatus.ACTIVE, 2)
    with lore.store.read() as conn:
        found = {one.id: one for one in tasks.of_project(conn, lore.project_id)}
        said = [one.task_id for one in events.of_session(conn, "s1")]
    assert [found[id_ or ""].description for id_ in said] == ["Release week"] * 2 + [NOTES] * 2
    assert found[begun.id].tools_used == {"Bash": 1}


def test_a_person_says_how_a_task_stands_and_no_rule_says_otherwise(
    lore: Lore, transcript: Transcript
) -> None:
    worked(lore, transcript, LOGIN)
    (one,) = lore.episodes.tasks(statuses=tuple(TaskStatus))
    failed = lore.episodes.set_status(TaskStatus.FAILED, one.id[-6:])
    assert (failed.status, failed.set_by) == (TaskStatus.FAILED, SetBy.PERSON)
    memory_of(lore).learn("s1")
    assert lore.episodes.tasks(statuses=(TaskStatus.FAILED,)) == [failed]
    assert lore.episodes.tasks() == []
    with pytest.raises(NotFound):
        lore.episodes.set_status(TaskStatus.COMPLETED)
    with pytest.raises(NotFound):
        lore.episodes.set_status(TaskStatus.COMPLETED, "nothing")


def test_one_task_is_at_work_at_a_time_and_an_agent_sets_none(lore: Lore) -> None:
    first = lore.episodes.start("Release week")
    second = lore.episodes.start("Clean up the docs")
    stands = {one.id: one.status for one in lore.episodes.tasks()}
    assert stands == {first.id: TaskStatus.PAUSED, second.id: TaskStatus.ACTIVE}
    with pytest.raises(BadInput, match="Only a person"):
        lore.as_session("s1", "claude").episodes.start("Something else")


def test_what_was_done_in_a_session(lore: Lore, transcript: Transcript) -> None:
    used(lore, "a.py", Operation.READ)
    used(lore, "a.py")
    used(lore, "a.py")
    transcript.typed("always test first: " + LOGIN)
    worked(lore, transcript)
    account = lore.episodes.session()
    assert account.session.id == "s1"
    assert [(one.path, one.operation.value) for one in account.files] == [
        ("a.py", "edit"),
        ("a.py", "read"),
    ]
    assert [one.description for one in account.tasks] == ["always test first: " + LOGIN]
    assert len(account.findings) == 1
    assert account.summary.startswith("Asked: ")
    assert lore.episodes.session("s1").tasks == account.tasks
    with pytest.raises(NotFound):
        lore.episodes.session("s9")
