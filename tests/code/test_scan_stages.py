"""What is answered before a first scan is done, and what an answer says is still missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from checkout import code_of, keys, repository, write

from loremap.code.checkout import Code, Missing
from loremap.errors import NotFound
from loremap.storage.graph import read

COUNT = 90
"""Enough that files wait for their links."""
FILES = {
    "base.py": "class Base:\n    def __init__(self): ...\n    def run(self): ...\n",
    **{
        f"m{number:02}.py": f"from base import Base\ndef f{number}():\n    Base().run()\n"
        for number in range(9)
    },
    **{
        f"m{number:02}.py": f"import m{number - 1:02}\ndef f{number}():\n"
        f"    m{number - 1:02}.f{number - 1}()\n"
        for number in range(9, COUNT)
    },
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "project", FILES)


def edges(code: Code) -> list[tuple[object, ...]]:
    """All that a graph joins, without the numbers it gives."""
    rows = code.graph.conn.execute(
        """SELECT f.path, s.qualified, g.path, t.qualified, e.kind, e.line FROM edges e
        JOIN symbols s ON s.id = e.source JOIN files f ON f.id = s.file_id
        JOIN symbols t ON t.id = e.target JOIN files g ON g.id = t.file_id"""
    )
    imports = code.graph.conn.execute(
        "SELECT f.path, i.module, i.items, i.target, i.line FROM imports i "
        "JOIN files f ON f.id = i.file_id"
    )
    return sorted((*rows, *imports), key=str)


def test_an_outline_waits_for_no_links(root: Path) -> None:
    code = code_of(root)
    assert keys(code, "base.py") == {"Base", "Base.__init__", "Base.run"}
    assert [one.path for one in code.symbols("f7")] == ["m07.py"]
    assert code.missing() == Missing(unread=0, unlinked=COUNT + 1)
    assert not edges(code)


def test_a_task_is_located_before_all_is_linked_as_after(root: Path) -> None:
    code = code_of(root)
    early = code.locate("what f33 returns")
    assert early.files[0].path == "m33.py"
    assert "used by" in str(early.files)
    assert code.missing().unlinked > COUNT - 9
    code.scan()
    assert code.locate("what f33 returns") == early


@pytest.mark.parametrize(
    ("ask", "who"),
    [
        (lambda code: code.callers("f40"), {"f41"}),
        (lambda code: code.callees("f40"), {"f39"}),
        (lambda code: code.references("f40"), {"f41"}),
        (lambda code: code.callers("Base.run"), {f"f{number}" for number in range(9)}),
    ],
)
def test_what_says_a_name_is_linked_when_it_is_asked_about(
    root: Path, ask: Callable[[Code], list], who: set[str]
) -> None:
    code = code_of(root)
    ends = {end.qualified for edge in ask(code) for end in (edge.source, edge.target)}
    assert {end for end in ends if not end.startswith("Base")} - {"f40"} == who
    assert 0 < code.missing().unlinked < COUNT


@pytest.mark.parametrize(
    "ask",
    [
        lambda code: code.fresh(),
        lambda code: code.impact("f0"),
        lambda code: code.callers("base.py"),
        lambda code: code.callers("Base"),
        lambda code: code.callers("Base.__init__"),
    ],
)
def test_what_may_be_used_under_any_name_links_all(
    root: Path, ask: Callable[[Code], object]
) -> None:
    code = code_of(root)
    keys(code, "base.py")
    ask(code)
    assert not code.missing()


def test_a_graph_made_in_stages_is_the_one_made_at_once(root: Path, tmp_path: Path) -> None:
    code = code_of(root)
    keys(code, "base.py")
    code.callers("f40")
    write(
        root, {"m39.py": "def f39(): ...\ndef late(): ...\n", "m41.py": "import m39\nm39.late()\n"}
    )
    assert {edge.source.path for edge in code.callers("late")} == {"m41.py"}
    assert not list(code.callers("f40"))
    code.scan()
    assert not code.missing()
    whole = code_of(repository(tmp_path / "other" / "project", FILES))
    write(
        whole.repository.root, {path: (root / path).read_bytes() for path in ("m39.py", "m41.py")}
    )
    whole.scan()
    assert edges(code) == edges(whole)


def test_a_change_of_few_files_is_linked_at_once(root: Path) -> None:
    code = code_of(root)
    code.scan()
    write(root, {"m50.py": "import m49\ndef f50():\n    m49.f49()\ndef g50(): ...\n"})
    assert keys(code, "m50.py") == {"f50", "g50"}
    assert not code.missing()


def test_a_scan_that_was_stopped_says_what_is_not_read(root: Path) -> None:
    code = code_of(root)

    def stop(_stage: str, _done: int, _total: int) -> None:
        raise KeyboardInterrupt

    code.progress = stop
    with pytest.raises(KeyboardInterrupt):
        code.scan()
    read_so_far = set(read.linkable(code.graph.conn))
    missing = code.missing()
    assert (missing.unread, missing.unlinked) == (COUNT + 1 - len(read_so_far), len(read_so_far))
    code.kept = True  # as beside a process that scans: the graph is taken as it is
    unread = next(path for path in FILES if path not in read_so_far)
    with pytest.raises(NotFound) as found:
        code.outline(unread)
    assert f"{missing.unread}" in found.value.hint
    code.kept = False
    code.progress = lambda _stage, _done, _total: None
    code.scan()
    assert not code.missing()


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        (Missing(), ""),
        (Missing(unread=1), "Still to be read: 1 file."),
        (Missing(unlinked=1200), "Still to be linked: 1,200 files; some uses may be missing."),
        (
            Missing(2, 3),
            "Still to be read: 2 files. Still to be linked: 3 files; some uses may be missing.",
        ),
    ],
)
def test_what_is_missing_is_said(missing: Missing, said: str) -> None:
    assert (missing.said(), bool(missing)) == (said, bool(said))
