"""A session whose worktree was removed is learned from in another folder of its project."""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from session_tools import BEGAN, Clock, Transcript

import loremap
from loremap.app.lore import Lore, open_workspaces
from loremap.config.folders import folders
from loremap.interfaces.resident.learner import Learner
from loremap.memory.workspaces import Workspaces
from loremap.model.memory import Status
from loremap.model.session import Session
from loremap.sessions.importing import Fate
from loremap.sessions.session_memory import SessionMemory
from loremap.storage import learning, sessions
from past_tools import PastTranscript

TEST = "pytest tests/test_rates.py"
ERROR = "ModuleNotFoundError: No module named 'billing.rates'"


def git(folder: Path, *words: str) -> None:
    own = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(folder), *own, *words], check=True, capture_output=True)


@pytest.fixture
def worktree(home: Path, tmp_path: Path, clock: Clock) -> Iterator[Lore]:
    """A worktree of a repository, as a session in it sees the memory."""
    main, other = tmp_path / "shop", tmp_path / "shop-mend"
    main.mkdir()
    (main / "pyproject.toml").write_text("packages = []\n")
    for words in (("init", "-qb", "main"), ("add", "."), ("commit", "-qm", "The shop")):
        git(main, *words)
    git(main, "worktree", "add", "-q", str(other))
    with loremap.open(other, now=clock) as opened:
        opened.use_embedder(None)
        opened.init()
        yield opened


@pytest.fixture
def over(worktree: Lore, tmp_path: Path) -> Session:
    """A session that mended an error there and is over."""
    told = Transcript(worktree, tmp_path / "s1.jsonl")
    told.typed("the tests of the rates fail, please mend them")
    told.ran(TEST, output=f"{ERROR}\n1 failed", fails=True)
    told.said("The package does not name the module billing.rates.")
    told.edited(str(worktree.folder / "pyproject.toml"), new='packages = ["billing"]')
    told.ran(TEST, output="1 passed")
    return told.row(ended=True)


@pytest.fixture
def workspaces(worktree: Lore, clock: Clock) -> Iterator[Workspaces[Lore]]:
    """All folders, as the resident holds them."""
    found = open_workspaces(folders(), now=clock)
    found.engine.use_embedder(None)
    yield found
    found.close()


def test_it_is_learned_from_in_the_main_worktree(
    worktree: Lore, over: Session, workspaces: Workspaces[Lore]
) -> None:
    shutil.rmtree(worktree.folder)
    Learner(workspaces).look(at_all=True)
    with worktree.store.read() as conn:
        assert learning.unread(conn, since=over.created_at) == []
        assert "changed pyproject.toml" in learning.summary(conn, "s1")
    (found,) = worktree.list(statuses=(Status.CANDIDATE,))
    assert (found.files, found.project_id) == (("pyproject.toml",), worktree.project_id)


@pytest.mark.parametrize(
    ("folder", "named"), [(".trees/mend", "pyproject.toml"), ("tools", "tools/new.py")]
)
def test_an_import_names_its_files_as_they_lie_in_the_checkout(
    folder: str,
    named: str,
    worktree: Lore,
    tmp_path: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    gone = tmp_path / "shop" / folder
    told = PastTranscript(tmp_path, gone, "p1", BEGAN - timedelta(days=30))
    told.typed("list the packages please")
    told.used("Edit", {"file_path": str(gone / Path(named).name), "new_string": "x = 1"})
    with loremap.open(tmp_path / "shop", now=clock) as main:
        (one,) = SessionMemory(main).import_past().sessions
        assert one.fate is Fate.LEARNED
        with main.store.read() as conn:
            assert f"changed {named}" in learning.summary(conn, "p1")


def test_or_where_another_session_worked(
    worktree: Lore, over: Session, workspaces: Workspaces[Lore], tmp_path: Path
) -> None:
    clone = tmp_path / "elsewhere" / "shop"
    git(tmp_path, "clone", "-q", "--no-local", str(tmp_path / "shop"), str(clone))
    git(clone, "remote", "remove", "origin")
    with worktree.store.append() as conn:
        earlier = Session(id="s0", client="claude", created_at=over.created_at,
                          project_id=over.project_id, folder=str(clone))  # fmt: skip
        sessions.upsert(conn, earlier)
    shutil.rmtree(worktree.folder)
    shutil.rmtree(tmp_path / "shop")
    assert workspaces.folder_of(over) == clone


def test_not_where_another_project_lies_now(
    worktree: Lore, over: Session, workspaces: Workspaces[Lore], tmp_path: Path
) -> None:
    shutil.rmtree(worktree.folder)
    shutil.rmtree(tmp_path / "shop")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "README").write_text("another\n")
    for words in (("init", "-qb", "main"), ("add", "."), ("commit", "-qm", "Another")):
        git(tmp_path / "shop", *words)
    assert workspaces.folder_of(over) is None


def test_where_no_folder_is_left_that_is_said_once(
    worktree: Lore,
    over: Session,
    workspaces: Workspaces[Lore],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    shutil.rmtree(worktree.folder)
    shutil.rmtree(tmp_path / "shop")
    learner = Learner(workspaces)
    with caplog.at_level(logging.WARNING, "loremap.resident"):
        for _ in range(3):
            learner.look(at_all=True)
    assert [one.message for one in caplog.records] == [
        "learn: a session is left, for no folder of its project is there"
    ]
