"""When the files that hooks stand in with are written: not for ordinary memories, once for what a
hook tells, and again where a process died before it could."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from agent_tools import Scene

from loremap.agent.switches import switch_project
from loremap.app.lore import Lore
from loremap.interfaces.hooks import standin
from loremap.memory.admission.amend import Edit
from loremap.memory.standby import files as standby_files
from loremap.model.kind import Kind
from loremap.model.memory import Memory
from loremap.model.standby import FILE
from loremap.storage import guarded

LESSON = "Never force-push to main; it lost a week of work in May."
OTHER = "Nothing is published on a Friday afternoon."
RULE = "Prices are kept in cents, never as floats."


class Count:
    """How often something was done; it is done all the same."""

    def __init__(self) -> None:
        self.times = 0

    def of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.times += 1
            return function(*args, **kwargs)

        return counted


@pytest.fixture
def written(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Count:
    """Counts the files that are written, after the first."""
    scene.warn(LESSON, "git push --force")
    count = Count()
    monkeypatch.setattr(standby_files, "write", count.of(standby_files.write))
    return count


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Count:
    """Counts how often the store is asked for what to warn of."""
    count = Count()
    monkeypatch.setattr(guarded, "watched", count.of(guarded.watched))
    return count


def guard(home: Path) -> str:
    return (home / "standby" / FILE).read_text()


def ids(home: Path) -> list[str]:
    return [entry["id"] for entry in standin.opened(str(home))[1]["entries"]]


def test_ordinary_memories_write_nothing(
    scene: Scene, written: Count, made: Count, home: Path
) -> None:
    before, asked = (home / "standby" / FILE).stat(), made.times
    for number in range(20):
        scene.remember(f"The build of part {number} takes {number + 3} minutes.", kind="fact")
    kept = scene.remember("Port 8025 is the mail catcher.", kind="gotcha", tags=["mail"])
    scene.remember(RULE, kind="decision", pin=True)
    with scene.workspaces.at(scene.folder, agent="claude") as lore:
        lore.remember("Never deploy by hand.", kind="warning", files=["deploy.sh"])  # a candidate
    with scene.workspaces.at(scene.folder) as lore:
        lore.edit(kept.id, Edit(content="Port 8026 is the mail catcher."))
        lore.forget(kept.id)
    after = (home / "standby" / FILE).stat()
    assert (written.times, made.times - asked) == (0, 0)
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_process_that_stores_an_ordinary_memory_loads_nothing_of_it(
    scene: Scene, written: Count
) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from loremap import app as lore\n"
        "with lore.open(Path(sys.argv[1])) as opened:\n"
        "    opened.remember('The linter runs in nine seconds.', kind='fact')\n"
        "print('loremap.memory.standby.guard' in sys.modules)\n"
        "print('loremap.clients.payloads.tools' in sys.modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, scene.folder], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["False", "False"]


def _confirmed(lore: Lore, warning: Memory) -> None:
    lore.confirm(lore.waiting_for_review()[0].id)


def _erased(lore: Lore, warning: Memory) -> None:
    lore.forget(warning.id, now_and_forever=True)


def _undone(lore: Lore, warning: Memory) -> None:
    lore.undo()


CHANGES: dict[str, Callable[[Lore, Memory], object]] = {
    "retracted": lambda lore, warning: lore.retract(warning.id),
    "forgotten": lambda lore, warning: lore.forget(warning.id),
    "erased": _erased,
    "edited": lambda lore, warning: lore.edit(warning.id, Edit(content=OTHER)),
    "no more triggers": lambda lore, warning: lore.edit(warning.id, Edit(triggers=())),
    "another kind": lambda lore, warning: lore.edit(warning.id, Edit(kind=Kind.FACT, triggers=())),
    "undone": _undone,
    "switched off": lambda lore, warning: switch_project(lore, on=False),
    "confirmed": _confirmed,
}


@pytest.mark.parametrize("how", CHANGES)
def test_what_a_hook_tells_is_written_once(
    scene: Scene, written: Count, home: Path, how: str
) -> None:
    warning = scene.warn("Ask two people before a release.", "npm publish")
    if how == "confirmed":
        with scene.workspaces.at(scene.folder, agent="claude") as lore:
            lore.remember("Never deploy by hand.", kind="warning", files=["deploy.sh"])
    before, written.times = guard(home), 0
    with scene.workspaces.at(scene.folder) as lore:
        CHANGES[how](lore, warning)
    assert written.times == 1
    _, now = standin.opened(str(home))
    if how == "switched off":
        assert str(scene.folder) in now["off"]
    elif how == "confirmed":
        assert "deploy by hand" in guard(home)
    else:
        assert "Ask two people" in before
        assert "Ask two people" not in guard(home)
    assert LESSON in guard(home), "the other one still speaks"


@pytest.mark.parametrize("then", ["another write", "a resident that starts"])
def test_a_crash_before_the_file_is_made_good(
    scene: Scene, written: Count, home: Path, then: str
) -> None:
    gone = scene.warn("Ask two people before a release.", "npm publish")
    store = scene.workspaces.engine.store
    follow, store.written = store.written, lambda stamp: None  # the process ends at the commit
    with scene.workspaces.at(scene.folder) as lore:
        lore.retract(gone.id)
    new = scene.warn(OTHER, "twine upload")
    assert gone.id in ids(home)
    assert new.id not in ids(home)
    store.written = follow
    if then == "another write":
        scene.remember("The build takes nine minutes.", kind="fact")
    else:
        scene.workspaces.engine.standby.refresh()
    assert gone.id not in ids(home)
    assert new.id in ids(home)


def test_a_file_that_was_lost_or_of_another_store_comes_back(scene: Scene, home: Path) -> None:
    warning = scene.warn(LESSON, "git push --force")
    for spoilt in ("", '{"made": "' + "0" * 32 + '"}'):
        (home / "standby" / FILE).write_text(spoilt)
        scene.remember(f"{spoilt.count('0')} doors lead into the records.", kind="fact")
        assert ids(home) == [warning.id]
    (home / "standby" / FILE).unlink()
    scene.remember("The build takes an hour.", kind="fact")
    assert ids(home) == [warning.id]


def test_another_setting_is_followed_by_the_next_write(scene: Scene, home: Path) -> None:
    scene.warn(LESSON, "git push --force")
    assert standin.opened(str(home))[1]["holds"] is True
    scene.set("inject.hold", False)
    scene.remember("The build takes an hour.", kind="fact")
    assert standin.opened(str(home))[1]["holds"] is False


def test_no_lock_is_held_while_the_files_are_written(
    scene: Scene, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, write = scene.workspaces.engine.store, standby_files.write
    wrote: list[Path] = []

    def writing(file: Path, data: bytes) -> None:
        with store.append():  # raises where another holds the write lock
            wrote.append(file)
        write(file, data)

    scene.remember("The build takes an hour.", kind="fact")
    monkeypatch.setattr(standby_files, "write", writing)
    scene.warn(LESSON, "git push --force")
    assert [file.name for file in wrote] == [FILE]


def test_a_block_goes_with_what_no_longer_stands_in_it(scene: Scene, home: Path) -> None:
    fact = scene.remember("The mail catcher listens on port 8025.", kind="fact", pin=True)
    scene.start()
    assert list((home / "standby").glob("block-*"))
    with scene.workspaces.at(scene.folder) as lore:
        lore.unpin(fact.id)
        lore.forget(fact.id)
    assert not list((home / "standby").glob("block-*"))


def test_a_warning_that_has_ended_is_not_told(
    scene: Scene, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home.parent)
    scene.clock.at = datetime.now(UTC)
    scene.warn(LESSON, "git push --force")
    command = {"tool_name": "Bash", "tool_input": {"command": "git push -f"}, "session_id": "s1"}
    stage = _stage(home, scene.folder, command)
    held = standin._warned(stage, standin._Where(stage.folder))[0]
    assert LESSON in held
    past, to_come = (datetime.now(UTC) + timedelta(hours=hours) for hours in (-1, 1))
    for end, told in ((past, False), (to_come, True)):
        stage = _stage(home, scene.folder, command | {"session_id": f"until {end}"})
        stage.guard["entries"][0]["until"] = end.timestamp() * 1_000
        assert (LESSON in standin._warned(stage, standin._Where(stage.folder))[0]) is told


def _stage(home: Path, folder: Path, call: dict[str, object]) -> standin.Stage:
    event = {"cwd": str(folder), "hook_event_name": "PreToolUse", **call}
    header = {"client": "claude", "name": "PreToolUse", "cwd": str(folder), "ticket": "t:1-1"}
    return standin.Stage(str(home), header, json.dumps(event).encode())
