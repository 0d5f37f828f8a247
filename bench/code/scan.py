"""How long a scan takes against the parser alone, how much memory, and how fast questions are.

    python -m bench.code.scan --repo FOLDER [--repo FOLDER …] [--million]

A FOLDER is a checkout; nothing is written there. The parser's time is that of tree-sitter on the
same files, read before, on one core; a scan uses all cores. Two ratios are taken over it: by the
clock, until `outline`, `callers` and `locate` have answered from the whole repository, each about
the same five symbols; and in processor time, of this process and its workers, until all files are
linked, over the parser's processor time. Vectors are made later and are not in it. `--million`
copies the first checkout until it has a million lines and measures the memory of a scan of that.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

from loremap.code.checkout import Code
from loremap.code.languages import language_of, tools
from loremap.code.repository import repository_at
from loremap.storage.graph import read

RESULTS = Path(__file__).parent.parent / "results" / "scan.json"
CLOCK_BAR, PROCESSOR_BAR = 2.5, 4.0
CHANGE_SHARE_BAR, CHANGE_BAR_S, QUESTION_BAR_MS, MEMORY_BAR_MB = 0.05, 0.05, 20, 1000
QUESTIONS = 40
FIRST_QUESTIONS = 5
MILLION = 1_000_000


def main() -> int:
    """Measure, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, action="append", required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--million", action="store_true")
    given = parser.parse_args()
    figures: dict[str, Any] = {"clock_bar": CLOCK_BAR, "processor_bar": PROCESSOR_BAR, "repos": []}
    for repo in given.repo:
        with tempfile.TemporaryDirectory() as folder:
            figures["repos"].append(measured(repo, Path(folder), runs=given.runs))
    if given.million:
        with tempfile.TemporaryDirectory() as folder:
            figures["million_lines"] = million(given.repo[0], Path(folder))
    print(json.dumps(figures, indent=2))
    RESULTS.write_text(json.dumps(figures, indent=2) + "\n")
    missed = list(missed_bars(figures))
    for line in missed:
        print(f"MISSED: {line}")
    return 1 if missed else 0


def missed_bars(figures: Mapping[str, Any]) -> Iterator[str]:
    """One line for each bar that a run did not reach; a question's bar is for its slowest."""
    for one in figures["repos"]:
        for missed in _missed_by(one, figures):
            yield f"{one['repo']}: {missed}"
    lines = figures.get("million_lines")
    if lines and lines["at_most_mb"] > lines["bar_mb"]:
        yield f"a million lines {lines['at_most_mb']} MB, at most {lines['bar_mb']}"


def _missed_by(one: Mapping[str, Any], bars: Mapping[str, Any]) -> Iterator[str]:
    if one["clock_ratio"] > bars["clock_bar"]:
        yield f"answers after {one['clock_ratio']} x parse, at most {bars['clock_bar']}"
    if one["processor_ratio"] > bars["processor_bar"]:
        yield f"{one['processor_ratio']} x parse in processor time, at most {bars['processor_bar']}"
    if one["change_ms"]["worst"] > one["change_bar_ms"]:
        yield f"change {one['change_ms']['worst']} ms, at most {one['change_bar_ms']}"
    for kind, took in one["question_ms"].items():
        if kind.endswith("_worst") and took > one["question_bar_ms"]:
            yield f"{kind} {took} ms, at most {one['question_bar_ms']}"


def measured(repo: Path, folder: Path, *, runs: int) -> dict[str, object]:
    """The figures of one checkout, copied so that a file can be changed."""
    root = folder / "checkout"
    subprocess.run(["git", "clone", "-q", "--shared", repo, root], check=True)
    code = Code(repository_at(root), graphs=folder / "warm")
    code.scan()
    paths = read.linkable(code.graph.conn)
    parses = [parse_seconds(root, paths) for _ in range(runs)]
    parse_s, parse_processor_s = (min(kind) for kind in zip(*parses, strict=True))
    asked = sampled(code)
    scans = [scan_seconds(root, folder / f"run{run}", asked) for run in range(runs)]
    clock_s, whole_s, processor_s = (list(kind) for kind in zip(*scans, strict=True))
    change_s = changes(code, root, paths)
    counts = code.counts()
    return {
        "repo": repo.name,
        "files": counts.files,
        "lines": counts.lines,
        "symbols": counts.symbols,
        "edges": counts.edges,
        "parse_s": round(parse_s, 2),
        "parse_processor_s": round(parse_processor_s, 2),
        "answering_s": [round(one, 2) for one in clock_s],
        "whole_s": [round(one, 2) for one in whole_s],
        "processor_s": [round(one, 2) for one in processor_s],
        "clock_ratio": round(statistics.median(clock_s) / parse_s, 2),
        "processor_ratio": round(statistics.median(processor_s) / parse_processor_s, 2),
        "change_ms": {"median": _ms(statistics.median(change_s)), "worst": _ms(max(change_s))},
        "change_bar_ms": _ms(max(CHANGE_BAR_S, CHANGE_SHARE_BAR * statistics.median(clock_s))),
        "question_ms": questions(code),
        "question_bar_ms": QUESTION_BAR_MS,
    }


def parse_seconds(root: Path, paths: list[str]) -> tuple[float, float]:
    """How long the parser alone takes for those files on one core: by the clock, and of it."""
    sources = [((root / path).read_bytes(), language_of(path)) for path in paths]
    started, worked = time.perf_counter(), time.process_time()
    for source, language in sources:
        assert language is not None
        tools(language).parser.parse(source)
    return time.perf_counter() - started, time.process_time() - worked


def sampled(code: Code) -> list[tuple[str, str]]:
    """Path and name of the symbols that a first scan is asked about."""
    rows = code.graph.conn.execute(
        "SELECT f.path, s.qualified FROM symbols s JOIN files f ON f.id = s.file_id "
        "WHERE s.kind IN ('function', 'method') ORDER BY 1, 2"
    ).fetchall()
    return random.Random(7).sample(rows, min(FIRST_QUESTIONS, len(rows)))


def scan_seconds(
    root: Path, graphs: Path, asked: list[tuple[str, str]]
) -> tuple[float, float, float]:
    """How long it takes from nothing: by the clock until the first questions are answered, until
    all is there, and of all processors until then."""
    started, worked = time.perf_counter(), _worked()
    code = Code(repository_at(root), graphs=graphs)
    for path, name in asked:
        code.outline(path)
        code.callers(f"{path}::{name}")
        code.locate(name)
    answered = time.perf_counter() - started
    code.scan()
    whole = time.perf_counter() - started
    code.close()
    shutil.rmtree(graphs)
    return answered, whole, _worked() - worked


def _worked() -> float:
    """The processor seconds of this process and of the workers that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def changes(code: Code, root: Path, paths: list[str]) -> list[float]:
    """How long it takes until a changed file is in the graph, over a sample of files."""
    took = []
    for number, path in enumerate(random.Random(7).sample(paths, min(20, len(paths)))):
        file = root / path
        before = file.read_bytes()
        if language_of(path) == "python":
            file.write_bytes(before + f"\n\ndef added_{number}():\n    return {number}\n".encode())
        else:
            file.write_bytes(before + b"\n// changed\n")
        started = time.perf_counter()
        code.fresh()
        took.append(time.perf_counter() - started)
        file.write_bytes(before)
        code.fresh()
    return took


def questions(code: Code) -> dict[str, float]:
    """The slowest of each kind of question, over a sample of symbols, warm."""
    conn = code.graph.conn
    time.sleep(2.5)  # until the files just written count as settled
    code.fresh()
    chosen = random.Random(7)
    names = [
        f"{path}::{qualified}"
        for path, qualified in conn.execute(
            "SELECT f.path, s.qualified FROM symbols s JOIN files f ON f.id = s.file_id "
            "WHERE s.kind IN ('function', 'method', 'class')"
        )
    ]
    some = chosen.sample(names, min(QUESTIONS, len(names)))
    most = [
        f"{path}::{qualified}"
        for path, qualified in conn.execute(
            "SELECT f.path, s.qualified FROM symbols s JOIN files f ON f.id = s.file_id "
            "JOIN edges e ON e.target = s.id WHERE s.position > 0 GROUP BY s.id "
            "ORDER BY count(*) DESC LIMIT 5"
        )
    ]
    files = chosen.sample(read.linkable(conn), min(QUESTIONS, len(read.linkable(conn))))
    code.impact(most[0])  # loads what impact and paths need
    asked: dict[str, list[Callable[[], object]]] = {
        "outline": [lambda path=path: code.outline(path) for path in files],
        "symbol": [lambda name=name: code.symbols(name) for name in some],
        "callers": [lambda name=name: code.callers(name) for name in (*some, *most)],
        "callees": [lambda name=name: code.callees(name) for name in some],
        "references": [lambda name=name: code.references(name) for name in some],
        "dependencies": [lambda path=path: code.dependencies(path) for path in files],
        "impact": [lambda name=name: code.impact(name) for name in some],
        "impact_of_most_used": [lambda name=name: code.impact(name) for name in most],
        "path": [
            lambda one=one, two=two: code.path_between(one, two)
            for one, two in zip(some, cycle(most), strict=False)
        ],
        "look_alone": [code.fresh] * QUESTIONS,
    }
    return {kind: _ms(statistics.median(map(_timed, calls))) for kind, calls in asked.items()} | {
        f"{kind}_worst": _ms(max(map(_timed, calls))) for kind, calls in asked.items()
    }


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


def million(repo: Path, folder: Path) -> dict[str, object]:
    """The memory of a scan of a million lines, this process and its workers together."""
    root = folder / "million"
    copies, lines = 0, 0
    while lines < MILLION:
        copies += 1
        shutil.copytree(repo, root / f"copy{copies}", ignore=shutil.ignore_patterns(".git"))
        found = subprocess.run(
            ["git", "-C", repo, "ls-files", "-z"], check=True, capture_output=True, text=True
        ).stdout
        lines += sum(
            (repo / name).read_bytes().count(b"\n")
            for name in found.split("\0")
            if name and language_of(name) and (repo / name).is_file()
        )
    script = (
        "import sys, json, resource; from pathlib import Path\n"
        "from loremap.code.repository import repository_at\n"
        "from loremap.code.checkout import Code\n"
        "code = Code(repository_at(Path(sys.argv[1])), graphs=Path(sys.argv[2]))\n"
        "code.scan(); lines = code.counts().lines\n"
        "mb = lambda who: resource.getrusage(who).ru_maxrss / 1024\n"
        "own, worker = mb(resource.RUSAGE_SELF), mb(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps({'lines': lines, 'own_mb': own, 'largest_worker_mb': worker}))\n"
    )
    started = time.perf_counter()
    said = subprocess.run(
        [sys.executable, "-c", script, str(root), str(folder / "graphs")],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    figures: dict[str, object] = json.loads(said)
    workers = len(os.sched_getaffinity(0))
    largest = float(str(figures["largest_worker_mb"]))
    return figures | {
        "took_s": round(time.perf_counter() - started, 1),
        "at_most_mb": round(float(str(figures["own_mb"])) + workers * largest),
        "bar_mb": MEMORY_BAR_MB,
    }


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main())
