"""Puts one fault after another into a copy of the tree and tells which of them the tests notice:
`python tests/mutants/run.py`, or `make test-mutants`.

What was found is kept in build/mutants.json, so a run that was stopped goes on where it was; a
fault is tried again once its file or a test that ought to notice it has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue

from copied_tree import CopiedTree
from mutant_list import ROOT, Mutant, mutants
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

LEAST_SHARE = 0.9
KEPT = ROOT / "build" / "mutants.json"


class Known:
    """What earlier runs found, by what it was found with."""

    def __init__(self, file: Path, *, again: bool) -> None:
        self._file = file
        self._found: dict[str, bool] = {}
        if file.exists() and not again:
            self._found = json.loads(file.read_text("utf-8"))

    def of(self, fault: Mutant) -> bool | None:
        """Whether it was noticed; None where that is not known."""
        return self._found.get(_key(fault))

    def note(self, fault: Mutant, *, noticed: bool) -> None:
        """Keep whether it was noticed."""
        self._found[_key(fault)] = noticed
        self._file.parent.mkdir(exist_ok=True)
        self._file.write_text(json.dumps(self._found), "utf-8")


def _key(fault: Mutant) -> str:
    files = [ROOT / fault.path, *(ROOT / test.partition("::")[0] for test in fault.tests)]
    parts = [repr(fault).encode(), *(file.read_bytes() for file in files)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def tried(faults: Sequence[Mutant], known: Known, *, jobs: int) -> Iterator[tuple[Mutant, bool]]:
    """Each fault and whether it was noticed, as they are found out, `jobs` at a time."""
    new = []
    for fault in faults:
        found = known.of(fault)
        if found is None:
            new.append(fault)
        else:
            yield fault, found
    with ExitStack() as stack:
        trees: SimpleQueue[CopiedTree] = SimpleQueue()
        for _ in range(min(jobs, len(new))):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mutants-"))
            trees.put(CopiedTree(Path(folder)))

        def notices(fault: Mutant) -> bool:
            tree = trees.get()
            try:
                return tree.notices(fault)
            finally:
                trees.put(tree)

        pool = stack.enter_context(ThreadPoolExecutor(jobs))
        waiting = {pool.submit(notices, fault): fault for fault in new}
        stack.callback(lambda: [one.cancel() for one in waiting])
        for done in as_completed(waiting):
            fault = waiting[done]
            known.note(fault, noticed=done.result())
            yield fault, done.result()


def refuse_failing(faults: Sequence[Mutant]) -> None:
    """End where the tests fail without any fault: they would notice everything."""
    tests = tuple(sorted({test for fault in faults for test in fault.tests}))
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = CopiedTree(Path(folder))
        if not tree.passes(tests):
            sys.exit(f"The tests fail as they are; nothing was tried.\n{tree.said[-2_000:]}")


def table(results: dict[Mutant, bool]) -> Table:
    """What was noticed and what was not, in the order of the list."""
    shown = Table("file", "fault", "")
    for fault in sorted(results, key=mutants().index):
        shown.add_row(fault.file, fault.fault, "killed" if results[fault] else "[bold]survived[/]")
    return shown


def main() -> None:
    """Try every fault and end with 1 where too few were noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="how many faults are tried at a time")
    parser.add_argument("--only", default="", help="only faults of files with this in their path")
    parser.add_argument("--again", action="store_true", help="forget what earlier runs found")
    options = parser.parse_args()
    faults = [fault for fault in mutants() if options.only in fault.file]
    known, console = Known(KEPT, again=options.again), Console()
    results: dict[Mutant, bool] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as shown:
        task = shown.add_task("the tests as they are", total=len(faults))
        refuse_failing([fault for fault in faults if known.of(fault) is None])
        for fault, noticed in tried(faults, known, jobs=options.jobs):
            results[fault] = noticed
            shown.update(task, advance=1, description=fault.file)
    console.print(table(results))
    killed = sum(results.values())
    console.print(f"{killed} of {len(results)} killed: {killed / max(1, len(results)):.0%}")
    sys.exit(killed < LEAST_SHARE * len(results))


if __name__ == "__main__":
    main()
