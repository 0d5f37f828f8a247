"""Commits as git keeps them, read without running what a repository names."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from git_tools import commit_all, git

from loremap.code.commits import (
    authors,
    changes_of,
    commits_between,
    contents,
    files_of,
    history_stamp,
    made_here,
    read_commits,
    symbols_of,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.py").write_text("class Cart:\n    def total(self):\n        return 1\n")
    commit_all(tmp_path, "First")
    return tmp_path


def test_commits_come_the_oldest_first_and_without_merges(root: Path) -> None:
    first = git(root, "rev-parse", "HEAD")
    git(root, "checkout", "-q", "-b", "topic")
    topic = commit_all(root, "On a branch")
    git(root, "checkout", "-q", "main")
    git(root, "merge", "-q", "--no-ff", "-m", "Merge topic", "topic")
    assert commits_between(root, ["HEAD"], [], limit=9) == [first, topic]
    assert commits_between(root, ["HEAD"], [first], limit=9) == [topic]
    assert commits_between(root, ["HEAD"], [], limit=1) == [topic]
    assert commits_between(root, ["0" * 40], [], limit=9) is None


def test_a_commit_is_read_whole(root: Path) -> None:
    id_ = commit_all(root, "Subject\n\nA body über all.\n")
    (one,) = read_commits(root, [id_, "0" * 40])
    assert (one.id, one.author, one.email) == (id_, "Ann", "ann@example.org")
    assert one.message == "Subject\n\nA body über all.\n"
    assert len(one.parents) == 1


def test_a_message_that_no_hand_wrote_is_left_out(root: Path) -> None:
    assert read_commits(root, [commit_all(root, "x" * 40_000)]) == []


def test_changes_are_told_by_file_and_line(root: Path) -> None:
    (root / "a.py").write_text("class Cart:\n    def total(self):\n        return 12\n")
    (root / "ü b.txt").write_text("new\n")
    id_ = commit_all(root)
    changed = changes_of(root, [id_])[id_]
    told = {one.path: (one.lines, one.added, one.changed) for one in changed.files}
    assert told == {
        "a.py": (((3, 3),), ("        return 12",), 2),
        "ü b.txt": (((1, 1),), ("new",), 1),
    }
    assert files_of(root, [id_]) == {id_: ("a.py", "ü b.txt")}
    assert symbols_of(root, id_, changed.files) == ("a.py::Cart.total",)
    assert contents(root, id_, ["ü b.txt", "none"]) == {"ü b.txt": b"new\n"}


def test_no_program_of_the_repository_runs(root: Path, tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    command = f"sh -c 'touch {trap}; cat'"
    for name in ("diff.evil.textconv", "diff.evil.command", "diff.external", "gpg.program"):
        git(root, "config", name, command)
    git(root, "config", "log.showSignature", "true")
    (root / ".gitattributes").write_text("*.py diff=evil\n")
    (root / "a.py").write_text("x = 1\n")
    id_ = commit_all(root)
    if Path("/dev/zero").exists():
        git(root, "config", "core.attributesFile", "/dev/zero")
    assert changes_of(root, [id_])[id_].size
    assert read_commits(root, commits_between(root, ["HEAD"], [], limit=9) or [])
    assert authors(root, ["HEAD"], limit=9) == {"ann@example.org": 2}
    assert not trap.exists()


def test_a_clone_knows_what_was_made_in_it(root: Path, tmp_path: Path) -> None:
    made = git(root, "rev-parse", "HEAD")
    assert made_here(root / ".git") == {made}
    clone = tmp_path / "clone"
    git(root, "clone", "-q", str(root), str(clone))
    assert made_here(clone / ".git") == frozenset()
    own = commit_all(clone)
    assert made_here(clone / ".git") == {own}
    assert made_here(None) == frozenset()


@pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
def test_a_log_that_never_ends_is_not_read(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    (tmp_path / "worktrees" / "a" / "logs").mkdir(parents=True)
    logs.mkdir()
    os.mkfifo(logs / "HEAD")
    (tmp_path / "worktrees" / "a" / "logs" / "HEAD").symlink_to("/dev/zero")
    assert made_here(tmp_path) == frozenset()


def test_it_shows_that_commits_came(root: Path) -> None:
    before = history_stamp(root / ".git")
    assert history_stamp(root / ".git") == before
    commit_all(root)
    assert history_stamp(root / ".git") != before
