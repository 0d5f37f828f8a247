"""A session cut into tasks: where each begins, what it was for, how it stands."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from loremap.model.hook import FileUse, Operation, ToolCall
from loremap.model.session import Session
from loremap.model.task import Intent, TaskStatus
from loremap.model.turn import Speaker, Turn
from loremap.sessions.episodes.tasks import Episode, episodes

BEGAN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SESSION = Session(id="s1", client="claude", created_at=BEGAN)
FIX_LOGIN = "fix the login timeout in the auth service"
CHANGELOG = "write release notes for version two of the widget"


def typed(text: str) -> Turn:
    return Turn(number=0, speaker=Speaker.PERSON, text=text)


def said(text: str) -> Turn:
    return Turn(number=0, speaker=Speaker.AGENT, text=text)


def ran(command: str, *, success: bool | None = True, result: str = "ok") -> Turn:
    call = ToolCall(name="Bash", command=command, success=success, result=result)
    return Turn(number=0, speaker=Speaker.TOOL, call=call)


def used(path: str, operation: Operation, *, success: bool = True) -> Turn:
    use = FileUse(path=path, operation=operation)
    call = ToolCall(name=operation.value.title(), files=(use,), success=success, result="ok")
    return Turn(number=0, speaker=Speaker.TOOL, call=call)


def read(path: str) -> Turn:
    return used(path, Operation.READ)


def edited(path: str, *, success: bool = True) -> Turn:
    return used(path, Operation.EDIT, success=success)


def searched(pattern: str) -> Turn:
    call = ToolCall(name="Grep", input={"pattern": pattern}, success=True, result="a.py:1")
    return Turn(number=0, speaker=Speaker.TOOL, call=call)


def cut_up(*turns: Turn, is_over: bool = True) -> list[Episode]:
    placed = [
        replace(turn, number=number, at=BEGAN + timedelta(minutes=number))
        for number, turn in enumerate(turns)
    ]
    return episodes(placed, SESSION, is_over=is_over)


def begun(*turns: Turn) -> list[str]:
    return [one.task.description for one in cut_up(*turns)]


PASSES, FAILS = ran("pytest tests"), ran("pytest tests", success=False)


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([], []),
        ([said("hello")], []),
        (
            [typed(FIX_LOGIN), edited("a.py"), typed(CHANGELOG), edited("b.md")],
            [FIX_LOGIN, CHANGELOG],
        ),
        # what is only talked about is no task of its own, nor is a commit
        ([typed(FIX_LOGIN), edited("a.py"), typed(CHANGELOG), said("Later.")], [FIX_LOGIN]),
        ([typed(FIX_LOGIN), edited("a.py"), typed(CHANGELOG), ran("git commit")], [FIX_LOGIN]),
        # work comes out of talk, where they have a word in common
        (
            [typed(FIX_LOGIN), said("Retries?"), typed("cap retries at three"), edited("a.py")],
            [FIX_LOGIN],
        ),
        # talk that leads to no work is no task, and does not say what one is for
        ([typed(FIX_LOGIN), said("Yes."), typed(CHANGELOG), edited("b.md")], [CHANGELOG]),
        (
            [
                typed(FIX_LOGIN),
                edited("auth.py"),
                typed("who thought of flyway anyway"),
                said("Somebody."),
                typed(CHANGELOG),
                edited("b.md"),
            ],
            [FIX_LOGIN, CHANGELOG],
        ),
        # planning belongs to the work that comes out of it
        (
            [
                typed(FIX_LOGIN),
                edited("auth.py"),
                typed("librarians want search that forgives typos"),
                said("Trigrams in the database, or a server of its own?"),
                typed("ops would hate another server. trigrams then"),
                edited("catalog.sql"),
            ],
            [FIX_LOGIN, "librarians want search that forgives typos"],
        ),
        # a session that only talks is one task
        (
            [
                typed("what is a cow pointer good for"),
                said("It borrows until it is written to."),
                typed("will this language be around in twenty years"),
                said("Who knows."),
            ],
            ["what is a cow pointer good for"],
        ),
        # a command that is run where files were changed begins nothing, unless work comes of it
        ([typed(FIX_LOGIN), edited("auth.py"), typed("show me quarter four"), PASSES], [FIX_LOGIN]),
        (
            [
                typed(FIX_LOGIN),
                edited("auth.py"),
                typed("the release binary got fat, nine megabytes"),
                ran("cargo bloat --release"),
                said("Regular expressions, for a colon."),
                typed("seriously? replace it with rsplit"),
                edited("target.rs"),
            ],
            [FIX_LOGIN, "the release binary got fat, nine megabytes"],
        ),
        # of two that only run commands each is one
        (
            [
                typed("kill whatever listens on port five thousand"),
                ran("kill 1"),
                typed("rotate the certificate of the mail host"),
                ran("certbot renew"),
            ],
            [
                "kill whatever listens on port five thousand",
                "rotate the certificate of the mail host",
            ],
        ),
        # what was read for it is changed now, or named
        (
            [
                typed("category pages are slow"),
                read("app/categories.rb"),
                typed("marketing can live with fifteen minutes, never the cart"),
                edited("app/categories.rb"),
            ],
            ["category pages are slow"],
        ),
        (
            [
                typed("chart of the downloads for tonight"),
                edited("plot_tmp.py"),
                typed("orange bars would suit the venue"),
                read("palette.txt"),
                ran("python plot_tmp.py"),
            ],
            ["chart of the downloads for tonight"],
        ),
        # while its last command fails, one word in common is enough
        (
            [
                typed(FIX_LOGIN),
                edited("auth.py"),
                ran("pip install -e . && pytest", success=False),
                typed("stop, uv everywhere: pytest through it, dependencies too, nothing else"),
                edited("pyproject.toml"),
            ],
            [FIX_LOGIN],
        ),
        # its changes are taken back for it
        (
            [
                typed("spectrogram scrolls at fourteen frames"),
                edited("ndk/src/fft.cpp"),
                typed("throw all this native stuff away completely"),
                ran("git checkout -- ndk"),
                edited("app/View.kt"),
            ],
            ["spectrogram scrolls at fourteen frames"],
        ),
        # one that was left, by the files that are changed for it
        (
            [
                typed("tickets sort wrong with umlauts"),
                edited("sort.ts"),
                typed(CHANGELOG),
                edited("NOTES.md"),
                typed("German tickets on an English machine too, pass the locale"),
                edited("sort.ts"),
            ],
            ["tickets sort wrong with umlauts", CHANGELOG],
        ),
        # what says little goes on, in any language
        ([typed(FIX_LOGIN), said("Done."), typed("go on")], [FIX_LOGIN]),
        ([typed(FIX_LOGIN), said("Done."), typed("weiter so")], [FIX_LOGIN]),
        ([typed(FIX_LOGIN), said("Done."), typed("好的")], [FIX_LOGIN]),
        # the answer to a question
        (
            [
                typed(FIX_LOGIN),
                said("Which database holds it?"),
                typed("Postgres behind pgbouncer"),
            ],
            [FIX_LOGIN],
        ),
        # a correction
        (
            [typed(FIX_LOGIN), edited("auth.py"), typed("no, keep thirty seconds as upper bound")],
            [FIX_LOGIN],
        ),
        # words it has already
        (
            [typed(FIX_LOGIN), typed("the login timeout must also cover refresh calls")],
            [FIX_LOGIN],
        ),
        # what the agent just spoke of
        (
            [
                typed(FIX_LOGIN),
                said("I left the retry backoff of the gateway as it was."),
                typed("change the retry backoff too please"),
            ],
            [FIX_LOGIN],
        ),
        # a file it worked with
        (
            [typed(FIX_LOGIN), edited("src/session_store.py"), typed("now clean session_store up")],
            [FIX_LOGIN],
        ),
        # the same file is changed for it
        (
            [
                typed(FIX_LOGIN),
                edited("auth.py"),
                typed("better variable names everywhere, spell them out"),
                edited("auth.py"),
            ],
            [FIX_LOGIN],
        ),
        # a greeting is no task of its own
        ([typed("hi there"), said("Hello!"), typed(FIX_LOGIN)], [FIX_LOGIN]),
        # one that was left is taken up again
        (
            [
                typed(FIX_LOGIN),
                edited("auth.py"),
                typed(CHANGELOG),
                edited("NOTES.md"),
                typed("back to the login timeout in auth"),
            ],
            [FIX_LOGIN, CHANGELOG],
        ),
        # another language
        (
            [
                typed("repariere die Zeitüberschreitung beim Anmelden"),
                edited("auth.py"),
                typed("schreibe Notizen zur neuen Version des Bausteins"),
                edited("NOTES.md"),
            ],
            [
                "repariere die Zeitüberschreitung beim Anmelden",
                "schreibe Notizen zur neuen Version des Bausteins",
            ],
        ),
    ],
)
def test_where_a_task_begins(turns: list[Turn], expected: list[str]) -> None:
    assert begun(*turns) == expected


@pytest.mark.parametrize(
    ("done", "intent"),
    [
        ([], None),
        ([ran("make deploy")], None),
        ([read("a.py"), read("b.py")], Intent.CODE_READING),
        ([searched("login"), searched("auth"), read("a.py")], Intent.PROJECT_EXPLORATION),
        ([ran("grep -rn login ."), ran("ls src")], Intent.PROJECT_EXPLORATION),
        ([read("a.py"), edited("a.py")], Intent.CODE_WRITING),
        ([edited("a.py"), ran("pytest", success=False), edited("a.py")], Intent.CODE_WRITING),
        ([ran("pytest", success=False), edited("a.py")], Intent.PROJECT_FIXING),
        # a search that finds nothing fails, and nothing is broken
        ([ran("grep -rn login .", success=False), edited("a.py")], Intent.CODE_WRITING),
        ([read("a.py"), edited("a.py", success=False)], Intent.CODE_READING),
    ],
)
def test_what_a_task_was_for(done: list[Turn], intent: Intent | None) -> None:
    (one,) = cut_up(typed(FIX_LOGIN), *done)
    assert one.task.intent is intent


COMMITTED = ran("git add -A && git commit -m done")


@pytest.mark.parametrize(
    ("done", "while_running", "left", "over"),
    [
        # what runs is active until it is committed
        ([edited("a.py"), PASSES], "active", "completed", "completed"),
        ([edited("a.py"), COMMITTED], "completed", "completed", "completed"),
        ([edited("a.py"), COMMITTED, edited("a.py")], "active", "completed", "completed"),
        # work is left
        ([edited("a.py"), FAILS], "active", "paused", "paused"),
        ([edited("a.py"), FAILS, COMMITTED], "completed", "completed", "completed"),
        ([edited("a.py"), FAILS, PASSES], "active", "completed", "completed"),
        ([edited("a.py"), ran("pytest", success=None, result="")], "active", "paused", "paused"),
        ([read("a.py"), said("Shall I use bcrypt?")], "active", "paused", "paused"),
        # nothing came of it
        ([FAILS, FAILS], "active", "failed", "failed"),
        ([edited("a.py"), ran("git checkout -- .")], "failed", "failed", "failed"),
        ([edited("a.py"), ran("git restore a.py")], "failed", "failed", "failed"),
        ([edited("a.py"), ran("git reset --hard")], "failed", "failed", "failed"),
        (
            [edited("a.py"), ran("git restore a.py"), edited("a.py")],
            "active",
            "completed",
            "completed",
        ),
        # only a part was taken back, or a branch was entered
        (
            [edited("a.py"), edited("b.py"), ran("git restore a.py")],
            "active",
            "completed",
            "completed",
        ),
        ([edited("a.py"), ran("git checkout main")], "active", "completed", "completed"),
        ([read("a.py"), said("It sleeps for 30 s.")], "active", "completed", "completed"),
        (
            [ran("rg nothing", success=False), said("There is none.")],
            "active",
            "completed",
            "completed",
        ),
    ],
)
def test_how_a_task_stands(done: list[Turn], while_running: str, left: str, over: str) -> None:
    begun = (typed(FIX_LOGIN), *done)
    (one,) = cut_up(*begun, is_over=False)
    assert one.task.status == while_running
    first, second = cut_up(*begun, typed(CHANGELOG), edited("NOTES.md"), is_over=False)
    assert (first.task.status, second.task.status) == (left, "active")
    (one,) = cut_up(*begun)
    assert one.task.status == over
    assert (one.task.completed_at is None) is one.task.status.is_open


def test_a_prompt_that_nobody_answered_is_open_only_where_the_session_ends() -> None:
    begun = (
        typed(FIX_LOGIN),
        edited("a.py"),
        said("Done."),
        typed("bank statement shows the same figure"),
    )
    (one,) = cut_up(*begun)
    assert one.task.status is TaskStatus.PAUSED
    first, _ = cut_up(*begun, typed(CHANGELOG), edited("NOTES.md"))
    assert first.task.status is TaskStatus.COMPLETED


def test_a_task_holds_what_was_done_for_it_by_subagents_too() -> None:
    done = [
        read("auth.py"),
        replace(read("helper.py"), in_subagent=True),
        edited("auth.py"),
        edited("auth.py"),
        PASSES,
    ]
    (one,) = cut_up(typed(FIX_LOGIN), *done, said("It was quite a puzzle."))
    task = one.task
    assert task.files_touched == ("auth.py", "helper.py")
    assert task.tools_used == {"Read": 2, "Edit": 2, "Bash": 1}
    assert task.outcome == "changed auth.py; `pytest tests` passed"
    assert (task.started_at, task.completed_at) == (BEGAN, BEGAN + timedelta(minutes=6))
    assert [turn.number for turn in one.turns] == list(range(7))


def test_one_that_is_taken_up_again_is_running_and_has_the_turns_of_both_times() -> None:
    first, second = cut_up(
        typed(FIX_LOGIN),
        edited("auth.py"),
        FAILS,
        typed(CHANGELOG),
        edited("NOTES.md"),
        typed("back to the login timeout in auth"),
        edited("auth.py"),
        is_over=False,
    )
    assert [turn.number for turn in first.turns] == [0, 1, 2, 5, 6]
    assert first.task.status is TaskStatus.ACTIVE
    assert second.task.status is TaskStatus.COMPLETED


def test_ids_stay_as_a_session_goes_on_and_tell_the_same_words_apart() -> None:
    begun = [typed(FIX_LOGIN), edited("a.py"), typed(CHANGELOG), edited("b.py")]
    before = [one.task.id for one in cut_up(*begun)]
    others = typed("rename every colour constant to British spelling")
    after = [one.task.id for one in cut_up(*begun, others, edited("c.py"))]
    assert after[:2] == before
    assert len(set(after)) == 3


def test_a_description_is_cut_and_holds_nothing_that_was_pasted() -> None:
    pasted = f"{FIX_LOGIN}\n```\nTraceback (most recent call last):\n```\n" + "word " * 200
    (one,) = cut_up(typed(pasted))
    assert one.task.description.startswith(FIX_LOGIN)
    assert "Traceback" not in one.task.description
    assert len(one.task.description) <= 200
