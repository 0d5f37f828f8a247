"""One engine for many folders and sessions."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread

import pytest

from loremap.app.lore import Lore, open_workspaces
from loremap.config.folders import folders
from loremap.memory import workspaces as module
from loremap.memory.recall.context import Scored
from loremap.memory.workspaces import Workspaces
from loremap.model.memory import Trigger
from loremap.model.outcome import Stored

AWAITED_S = 60.0
"""Nobody waits so long; a test that would hang fails then."""


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ("git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments),
        cwd=folder,
        check=True,
        capture_output=True,
    )


def test_folders_share_one_store_and_keep_apart_what_is_theirs(home: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
    workspaces = open_workspaces(folders())
    with workspaces.at(one, session_id="s1", agent="claude") as lore:
        lore.remember("The one listens on port 4711")
    with workspaces.at(other) as lore:
        lore.remember("The other listens on port 4712")
        assert [memory.content for memory in lore.list()] == ["The other listens on port 4712"]
        assert lore.engine is workspaces.engine
    with workspaces.at(one) as lore:
        (memory,) = lore.list()
    assert (memory.session_id, memory.agent) == ("s1", "claude")
    assert workspaces.folders() == (other, one)
    workspaces.close()


def test_another_branch_is_noticed_without_asking_git(home: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    workspaces = open_workspaces(folders())
    with workspaces.at(tmp_path) as lore:
        assert lore.repository.branch == "main"
    git(tmp_path, "checkout", "-q", "-b", "feature")
    with workspaces.at(tmp_path) as lore:
        assert lore.repository.branch == "feature"
    workspaces.close()


def test_what_another_process_wrote_is_found(home: Path, tmp_path: Path) -> None:
    import loremap

    workspaces = open_workspaces(folders())
    with workspaces.at(tmp_path) as lore:
        lore.remember("Builds need Java 21")
        assert lore.recall("which Java do builds need?").hits
    with loremap.open(tmp_path) as elsewhere:
        elsewhere.remember("Releases are cut on Thursdays")
    with workspaces.at(tmp_path) as lore:
        hits = lore.recall("on which day are releases cut?").hits
        assert [hit.memory.content for hit in hits] == ["Releases are cut on Thursdays"]
    workspaces.close()


def test_sessions_at_once_lose_nothing(home: Path, tmp_path: Path) -> None:
    workspaces = open_workspaces(folders())

    def work(number: int) -> bool:
        with workspaces.at(tmp_path, session_id=f"s{number}", agent="codex") as lore:
            stored = lore.remember(f"Shard {number} keeps its lock in table t{number}")
            lore.recall(f"where does shard {number} keep its lock?")
        return isinstance(stored, Stored)

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(work, range(24)))
    with workspaces.at(tmp_path) as lore:
        assert len(lore.list()) == sum(done)
    workspaces.close()


class Holder:
    """A thread that uses a folder until it is told to leave it."""

    def __init__(self, workspaces: Workspaces[Lore], folder: Path) -> None:
        self.is_in, self._leave = Event(), Event()
        self._thread = Thread(target=self._hold, args=(workspaces, folder), daemon=True)
        self._thread.start()
        assert self.is_in.wait(AWAITED_S)

    def _hold(self, workspaces: Workspaces[Lore], folder: Path) -> None:
        with workspaces.at(folder):
            self.is_in.set()
            assert self._leave.wait(AWAITED_S)

    def leave(self) -> None:
        self._leave.set()
        self._thread.join(AWAITED_S)


@pytest.fixture
def shared(home: Path, tmp_path: Path) -> Iterator[tuple[Workspaces[Lore], Path, Path]]:
    """Two folders of one user; in the second something is known."""
    slow, other = tmp_path / "slow", tmp_path / "other"
    slow.mkdir()
    other.mkdir()
    workspaces = open_workspaces(folders())
    with workspaces.at(other) as lore:
        lore.remember("Releases are cut on Thursdays")
        trigger = Trigger("literal", "push --force", "command")
        lore.remember("Never force-push to main", kind="warning", triggers=[trigger])
    yield workspaces, slow, other
    workspaces.close()


def _recall(lore: Lore) -> str:
    return lore.recall("on which day are releases cut?").hits[0].memory.content


def _check(lore: Lore) -> str:
    return lore.check(command="git push --force")[0].memory.content


def _remember(lore: Lore) -> str:
    lore.remember("Invoices carry the order's number")
    return lore.recall("what do invoices carry?").hits[0].memory.content


def _status(lore: Lore) -> str:
    return str(lore.status().memories_here)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (_recall, "Releases are cut on Thursdays"),
        (_check, "Never force-push to main"),
        (_remember, "Invoices carry the order's number"),
        (_status, "2"),
    ],
)
def test_a_folder_in_use_keeps_no_other_waiting(
    shared: tuple[Workspaces[Lore], Path, Path], ask: Callable[[Lore], str], said: str
) -> None:
    workspaces, slow, other = shared
    holder = Holder(workspaces, slow)
    with ThreadPoolExecutor(1) as pool:

        def work() -> str:
            with workspaces.at(other) as lore:
                return ask(lore)

        try:
            assert pool.submit(work).result(AWAITED_S) == said  # while the other is held
            assert workspaces.folders() == (slow, other)
        finally:
            holder.leave()


def test_a_question_that_a_folder_keeps_waiting_keeps_no_other_waiting(
    shared: tuple[Workspaces[Lore], Path, Path],
) -> None:
    """Half-way through a recall the slow folder's own work hangs; another is recalled in."""
    workspaces, slow, other = shared
    is_in, leave = Event(), Event()

    def hangs(_: object, found: list[Scored]) -> list[Scored]:
        is_in.set()
        assert leave.wait(AWAITED_S)
        return found

    def asked() -> str:
        with workspaces.at(slow) as lore:
            lore.reranker = hangs
            lore.remember("Releases of the slow one are cut on Mondays")
            return _recall(lore)

    with ThreadPoolExecutor(1) as pool:
        try:
            slowly = pool.submit(asked)
            assert is_in.wait(AWAITED_S)
            with workspaces.at(other) as lore:
                assert _recall(lore) == "Releases are cut on Thursdays"
                assert _check(lore) == "Never force-push to main"
            assert not slowly.done()
        finally:
            leave.set()
        assert slowly.result(AWAITED_S) == "Releases of the slow one are cut on Mondays"


def test_one_folder_is_used_by_one_at_a_time(
    shared: tuple[Workspaces[Lore], Path, Path],
) -> None:
    workspaces, slow, _ = shared
    inside: list[str] = []

    def enter(name: str) -> None:
        with workspaces.at(slow):
            inside.append(name)
            inside.append(name)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(enter, "abcdefgh" * 50))
    assert inside[::2] == inside[1::2]


def test_a_folder_in_use_is_not_let_go_of(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_FOLDERS", 2)
    workspaces = open_workspaces(folders())
    first = tmp_path / "first"
    first.mkdir()
    with workspaces.at(first) as lore:
        for number in range(4):
            folder = tmp_path / str(number)
            folder.mkdir()
            with workspaces.at(folder):
                pass
        assert set(workspaces._folders) == {first, tmp_path / "3"}
        assert lore.remember("Kept while it is used")
    assert workspaces.folders() == (first, tmp_path / "3")
    workspaces.close()


def test_threads_in_many_folders_recall_rightly_while_others_write(
    home: Path, tmp_path: Path
) -> None:
    workspaces = open_workspaces(folders())
    places = [tmp_path / f"project{number}" for number in range(3)]
    for number, place in enumerate(places):
        place.mkdir()
        with workspaces.at(place) as lore:
            lore.remember(f"Project {number} is released from branch release-{number}")
            trigger = Trigger("literal", f"deploy {number}", "command")
            lore.remember(f"Deploy {number} by night", kind="warning", triggers=[trigger])
    is_over = Event()

    def write(number: int) -> int:
        for count in range(20):
            with workspaces.at(places[number]) as lore:
                lore.remember(f"Shard {count} of {number} keeps its lock in table t{count}")
        return 20

    def ask(number: int) -> int:
        asked = 0
        while not is_over.is_set() or not asked:
            with workspaces.at(places[number]) as lore:
                found = lore.recall(f"from which branch is project {number} released?")
                said = [hit.memory.content for hit in found.hits]
                assert f"Project {number} is released from branch release-{number}" in said
                assert not [
                    one for one in said if one.startswith("Project") and str(number) not in one
                ]
                (alert,) = lore.check(command=f"deploy {number}")
                assert alert.memory.content == f"Deploy {number} by night"
            asked += 1
        return asked

    with ThreadPoolExecutor(6) as pool:
        asking = [pool.submit(ask, number) for number in (0, 1, 2, 0)]
        writing = [pool.submit(write, number) for number in (0, 2)]
        try:
            written = sum(one.result(10 * AWAITED_S) for one in writing)
        finally:
            is_over.set()
        assert all(one.result(10 * AWAITED_S) for one in asking)
    with workspaces.at(places[0]) as lore:
        assert len(lore.list(limit=100)) == 2 + written // 2
        assert lore.recall("where does shard 19 of 0 keep its lock?").hits
    workspaces.close()
