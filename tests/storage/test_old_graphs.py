"""Code graphs of checkouts that are gone are removed by and by; all others stay."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from store_tools import ME, NOW, memory

import loremap
from loremap.code.checkout import Code
from loremap.code.repository import repository_at
from loremap.memory.housekeeping import keep_house
from loremap.storage import memories, projects
from loremap.storage.graph.old import UNOPENED, remove_old_graphs
from loremap.storage.store import Store


def git(*arguments: str, at: Path) -> None:
    subprocess.run(
        ["git", "-c", "user.name=B", "-c", "user.email=b@example.org", *arguments],
        cwd=at,
        check=True,
        capture_output=True,
    )


def repository(folder: Path) -> Path:
    """A repository with one source file, committed."""
    folder.mkdir(parents=True)
    (folder / "area.py").write_text("def area(side):\n    return side * side\n", "utf-8")
    git("init", "-q", at=folder)
    git("add", ".", at=folder)
    git("commit", "-q", "-m", "All", at=folder)
    return folder


def scanned(root: Path, graphs: Path, *, opened_days_ago: float) -> Path:
    """The graph of a checkout that was last opened so long before NOW."""
    code = Code(repository_at(root), graphs=graphs)
    code.scan()
    path = code.graph.path
    code.close()
    then = (NOW - timedelta(days=opened_days_ago)).timestamp()
    os.utime(path, (then, then))
    return path


@pytest.mark.parametrize(
    ("known", "deleted", "opened_days_ago", "stays"),
    [
        (True, True, 31, False),
        (True, True, 29, True),  # a folder may be away for a while: a disk, a share
        (True, False, 400, True),
        (False, True, 31, False),
        (False, False, 31, False),  # nothing tells it from one that is gone
        (False, False, 29, True),
    ],
)
def test_what_nobody_opened_for_a_month_is_removed_where_no_checkout_stands(
    tmp_path: Path, known: bool, deleted: bool, opened_days_ago: float, stays: bool
) -> None:
    root, graphs = repository(tmp_path / "Ein Projekt"), tmp_path / "graphs"
    path = scanned(root, graphs, opened_days_ago=opened_days_ago)
    if deleted:
        root.rename(tmp_path / "away")
    homes = [root] if known else []
    assert remove_old_graphs(graphs, homes=homes, now=NOW) == ([] if stays else [path])
    left = {one.suffix for one in graphs.iterdir()}
    assert left == ({".db", ".lock"} if stays else set())


def test_a_worktree_is_a_checkout_of_its_own(tmp_path: Path) -> None:
    main, graphs = repository(tmp_path / "main"), tmp_path / "graphs"
    paths = {}
    for name in ("standing", "removed"):
        git("worktree", "add", "-q", str(tmp_path / name), at=main)
        paths[name] = scanned(tmp_path / name, graphs, opened_days_ago=90)
    (tmp_path / "removed").rename(tmp_path / "away")
    assert remove_old_graphs(graphs, homes=[main], now=NOW) == [paths["removed"]]
    assert paths["standing"].exists()


def test_to_open_a_graph_is_to_keep_it(tmp_path: Path) -> None:
    root, graphs = repository(tmp_path / "project"), tmp_path / "graphs"
    path = scanned(root, graphs, opened_days_ago=90)
    code = Code(repository_at(root), graphs=graphs)
    assert code.counts().files == 1
    code.close()
    now = datetime.now(UTC)
    assert remove_old_graphs(graphs, homes=[], now=now + UNOPENED / 2) == []
    assert remove_old_graphs(graphs, homes=[], now=now + 2 * UNOPENED) == [path]


def test_the_house_knows_where_projects_lie(store: Store, tmp_path: Path) -> None:
    graphs = tmp_path / "graphs"
    paths = {}
    for name in ("standing", "removed"):
        root = repository(tmp_path / name)
        with store.write(now=NOW, actor=ME) as tx:
            projects.settle(tx, repository_at(root))
            memories.insert_memory(tx, memory(f"About {name}."))
        paths[name] = scanned(root, graphs, opened_days_ago=90)
    (tmp_path / "removed").rename(tmp_path / "away")
    assert keep_house(store, graphs=graphs, grace_days=30, now=NOW, actor=ME) == ()
    assert [path for path in paths.values() if path.exists()] == [paths["standing"]]


def test_a_write_removes_what_is_old(quick_home: Path, tmp_path: Path) -> None:
    graphs = quick_home / "graphs"
    path = scanned(repository(tmp_path / "gone"), graphs, opened_days_ago=0)
    os.utime(path, (0, 0))
    project = repository(tmp_path / "project")
    for text in ("Sides are given in metres.", "Areas are rounded half to even."):
        lore = loremap.open(project)
        lore.remember(text)
        lore.close()
    assert not path.exists()
