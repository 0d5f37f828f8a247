"""One engine for many folders and sessions."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from loremap.app.lore import open_workspaces
from loremap.config.folders import folders
from loremap.model.outcome import Stored


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
