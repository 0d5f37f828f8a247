"""Every file is read and linked under limits; what passes them is given up, counted and named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import code_of, repository

from loremap.code.resolution import memo
from loremap.code.scan import pool
from loremap.code.scan.pool import Crew, Failed, Worker, worker_count

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")
SMALL = {f"m{number:03}.py": f"def f{number}(): ...\n" for number in range(70)}
DENSE = "".join(f"def f{n}(a, b):\n    return f{n + 1}(a.b.c, [b], a)\n\n\n" for n in range(18_000))
"""A file of just under a megabyte that takes hundreds of megabytes to read."""


@pytest.mark.parametrize(
    ("memory_mb", "most"),
    [(0, 1), (pool.OWN_MB + 2 * pool.WORKER_MB, 2), (10**6, pool.MAX_WORKERS)],
)
def test_there_are_no_more_workers_than_the_memory_is_for(
    memory_mb: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(64), raising=False)
    assert worker_count(memory_mb) == most


@POSIX
def test_a_file_that_takes_too_much_memory_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "WORKER_MB", 110)
    monkeypatch.setattr(pool, "worker_count", lambda _: 1)
    root = repository(tmp_path / "checkout", {**SMALL, "dense.py": DENSE})
    (root / "m000.py").write_text("from m001 import f1\n\ndef f0():\n    f1()\n")
    code = code_of(root)
    code._memory_mb = 0
    report = code.scan()
    ((path, why),) = report.given_up
    assert path == "dense.py"
    assert f"failed: {why}" in (pool.TOO_LARGE, pool.DIED)  # as Python or the parser notices first
    assert {edge.source.qualified for edge in code.callers("f1")} == {"f0"}


def test_a_file_that_raises_too_many_questions_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memo, "STEPS_MAX", 20)
    calls = "".join(f"    f{n}()\n" for n in range(30))
    both = {"plain.py": "def f(): ...\n\ndef g(): f()\n", "asks.py": f"def many():\n{calls}"}
    code = code_of(repository(tmp_path / "checkout", both))
    report = code.scan()
    assert report.given_up == (("asks.py", "took too long"),)
    assert {edge.source.qualified for edge in code.callers("f")} == {"g"}
    assert not code.scan().changed  # it is not tried again until it changes
    assert code.scan().given_up == report.given_up


@POSIX
def test_an_item_that_kills_its_worker_is_tried_in_a_fresh_one_and_the_others_are_done(
    tmp_path: Path,
) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(f"def {name[0]}(): ...\n")
    hangs = tmp_path / "hangs.js"
    hangs.write_text(("'" * 199 + "\n") * 2500)
    items = [("a.py", ""), ("hangs.js", ""), ("b.py", "")]
    with Crew(pool.OWN_MB + pool.WORKER_MB) as crew:
        crew._lost = 100  # so that a file may take the least time
        (answers,) = crew.answers([("parse", (str(tmp_path),), items)])
    assert [one.path for one in answers if not isinstance(one, Failed)] == ["a.py", "b.py"]
    assert [one for one in answers if isinstance(one, Failed)] == [Failed(items[1], pool.TOO_LONG)]


@POSIX
def test_a_worker_ends_when_its_input_does() -> None:
    worker = Worker(pool.WORKER_MB)
    process = worker._process
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(60) == 0
    worker.close()


@POSIX
def test_what_was_given_up_is_said(tmp_path: Path, home: Path) -> None:
    root = repository(tmp_path / "checkout", {**SMALL, "dense.py": DENSE})
    script = (
        "import sys\n"
        "from loremap.code.scan import pool\n"
        "from loremap.interfaces.cli import main\n"
        "pool.OWN_MB, pool.WORKER_MB, pool.worker_count = 390, 110, lambda _: 1\n"
        "sys.exit(main())\n"
    )
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(
        '[embedding]\nprovider = "none"\n[scan]\nmemory_mb = 500\n', "utf-8"
    )
    said = subprocess.run(
        [sys.executable, "-c", script, "scan"], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    assert "1 file given up" in said
    assert "  dense.py: " in said


def test_what_lies_side_by_side_is_done_by_one_worker_until_another_has_nothing_to_do() -> None:
    tasks = [("parse", (), (number,)) for number in range(7)]
    shares = pool._Shares(2)
    shares.put(tasks)
    taken = [shares.take(place) for place in (0, 1, 0, 1, 0, 0, 1)]
    assert taken == [tasks[at] for at in (0, 3, 1, 4, 2, 6, 5)]
    shares.close()
    assert shares.take(0) is None


def test_a_scan_starts_its_workers_before_it_loads_what_only_they_need() -> None:
    script = "import sys, loremap.code.scan.update; print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    loaded = said.stdout.decode().split()
    assert "loremap.code.scan.pool" in loaded
    for heavy in ("codegraph.extraction.extract", "safety.redaction", "codegraph.terms"):
        assert f"loremap.{heavy}" not in loaded
