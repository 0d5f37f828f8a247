"""What earlier sessions came to is there when a task goes on from them, once, and else is not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from agent_tools import Scene

from loremap.model.clock import new_id
from loremap.model.hook import Beginning
from loremap.model.session import Session, Tier, Work
from loremap.model.task import SetBy, Task, TaskStatus
from loremap.storage import learning, sessions, tasks

ASKED = "customers are logged out after five minutes, look at the token refresh"
WORK = Work(
    summary="Asked: “tokens expire too early”\nDone: changed src/auth/tokens.py",
    changed=("src/auth/tokens.py",),
    stopped=("The clock skew of the login server is not handled yet.",),
)


def worked(scene: Scene, work: Work = WORK, name: str = "earlier", **more: object) -> None:
    """A session that is over and was read."""
    with scene.workspaces.at(scene.folder) as lore:
        began = scene.clock() - timedelta(hours=2)
        row = Session(
            id=name,
            client="codex",
            created_at=began,
            last_at=began,
            project_id=lore.project_id,
            branch=lore.repository.branch,
        )
        with lore.store.append() as conn:
            sessions.upsert(conn, replace(row, **more))  # type: ignore[arg-type]
            learning.note_read(conn, name, seq=1, work=work)
            learning.note_finished(conn, name, seq=1, learned_at=None)


@pytest.fixture
def known(scene: Scene) -> Scene:
    """A project with a map."""
    scene.scan()
    return scene


def test_the_first_prompt_of_a_task_is_told_how_it_went_before_once(known: Scene) -> None:
    worked(known)
    known.start()
    told = known.prompt(ASKED)
    assert told.index("Files for this task:") < told.index("Earlier sessions here")
    assert "- 2026-05-04 Codex" in told
    assert "  Asked: “tokens expire too early”" in told
    (row,) = [one for one in known.injected() if one.tier is Tier.SUMMARY]
    assert row.why == "session earlier: it changed src/auth/tokens.py"
    assert row.tokens > 0
    known.prompt("please draft a birthday invitation for my grandmother in May")
    assert "Earlier sessions" not in known.prompt(ASKED)
    known.restart()
    known.prompt("please draft a birthday invitation for my grandmother in May")
    assert "Earlier sessions" not in known.prompt(ASKED)


@pytest.mark.parametrize(
    "more",
    [{"held_out": True}, {"id": "s1"}, {"project_id": None}],
    ids=lambda one: next(iter(one)),
)
def test_whose_summary_is_not_told(known: Scene, more: dict[str, object]) -> None:
    worked(known, name=str(more.get("id", "earlier")), **more)
    known.start(Beginning.RESUME if "id" in more else Beginning.STARTUP)
    assert "Earlier sessions" not in known.prompt(ASKED)
    assert "clock skew" not in known.session().always_on  # type: ignore[union-attr]


def test_another_task_is_not_told_it(known: Scene) -> None:
    worked(known)
    known.start()
    assert "Earlier sessions" not in known.prompt("why does Cart.total round to whole cents?")
    assert known.prompt("thanks, that looks good") == ""


def test_a_session_begins_with_what_is_left_open(known: Scene) -> None:
    worked(known)
    told = known.start()
    assert "Left unfinished by earlier sessions:\n- 2026-05-04 Codex" in told
    assert "The clock skew of the login server is not handled yet." in told
    known.clock.at += timedelta(days=8)
    assert "Left unfinished" not in known.start(session_id="s2")


@pytest.mark.parametrize(
    ("set_by", "of", "is_told"),
    [
        (SetBy.RULE, {}, True),
        (SetBy.RULE, {"held_out": True}, False),  # it is compared with those that were told things
        (SetBy.PERSON, {"held_out": True}, True),
        (SetBy.RULE, {"id": "s1"}, False),
        (SetBy.RULE, {"id": "parent"}, False),
    ],
)
def test_which_tasks_are_told_as_left_open(
    known: Scene, set_by: SetBy, of: dict[str, Any], *, is_told: bool
) -> None:
    worked(known, replace(WORK, stopped=()), **of)
    worked(known, Work(), name="s1", parent_id="parent")
    with known.workspaces.at(known.folder) as lore:
        task = Task(
            id=new_id(),
            session_id=of.get("id", "earlier"),
            description="sort the changelog",
            status=TaskStatus.PAUSED,
            set_by=set_by,
            started_at=known.clock(),
            project_id=lore.project_id,
        )
        with lore.store.append() as conn:
            tasks.put(conn, task.session_id, [task], known.clock())
    assert ("sort the changelog" in known.start()) is is_told


def test_what_is_erased_is_told_no_more(known: Scene) -> None:
    worked(known)
    with known.workspaces.engine.store.append() as conn:
        learning.erase_saying(conn, ["The clock skew of the login server is not handled yet."])
    assert "clock skew" not in known.start()
    assert "Earlier sessions" not in known.prompt(ASKED)
