"""What a command of `lore` costs as a whole process: asked of a warm resident, and on its own.

Run: python -m bench.speed.cli [--memories 10000] [--runs 100] [--few 10] [--lore PROGRAM]

The unit is a bare Python process. What the interpreter and the installation take before the first
line of ours is measured beside it, with an entry point that does nothing; so is one embedding.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.speed.hooks import bare, home_of, warm_resident
from bench.speed.sentences import Writer
from bench.speed.stores import REAL_VECTORS, default_work
from bench.speed.timing import RESULTS, Bar, Times, summed, table, written
from loremap import app as memory
from loremap.interfaces.resident import reach

RUNS, FEW, WARM_UP = 100, 10, 3
MAX_TIMES = 4.0
SEED = 17
EMPTY_ENTRY = [sys.executable, "-c", "import sys"]
"""What an installed command costs that does nothing: the interpreter, with its site packages."""


def lore_program() -> Path:
    """The installed command."""
    return Path(sys.executable).with_name("lore")


def run(program: Path, folder: Path, *arguments: str) -> bytes:
    """Run one command to its end; what it printed."""
    ran = subprocess.run(
        [str(program), *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True
    )  # a check that fires is no error
    if ran.returncode or ran.stderr:
        raise RuntimeError(f"lore {arguments}: {ran.returncode} {ran.stderr.decode()}")
    return ran.stdout


def asked(program: Path, folder: Path, runs: int, words: Sequence[str]) -> list[Times]:
    """Each command in turn with a bare process, so that all meet the same machine."""
    commands = {name: Times(name) for name in ("list", "check", "status", "recall")}
    unit, entry = Times("bare process"), Times("entry that does nothing")
    for place in range(WARM_UP + runs):
        kept = place >= WARM_UP
        (unit if kept else Times("")).run(bare)
        (entry if kept else Times("")).run(lambda: subprocess.run(EMPTY_ENTRY, check=True))
        said = f"{words[place % len(words)]} ({place})"
        for name, times in commands.items():
            more = {"check": ("--command", said), "recall": (said,)}.get(name, ())
            (times if kept else Times("")).run(
                lambda name=name, more=more: run(program, folder, name, *more)  # type: ignore[misc]
            )
    return [unit, entry, *commands.values()]


def embedded(folder: Path, runs: int, words: Sequence[str]) -> Times:
    """One embedding of a question, in a process that has the model."""
    times = Times("one embedding")
    with memory.open(folder) as lore:
        embedder = lore.embedder()
        if embedder is None:
            raise RuntimeError(lore.model_trouble)
        embedder.embed(["warm up"], query=True)
        for place in range(runs):
            said = f"{words[place % len(words)]} ({place})"
            times.run(lambda said=said: embedder.embed([said], query=True))  # type: ignore[misc]
    return times


def alone(program: Path, folder: Path, runs: int) -> list[Times]:
    """Without a resident."""
    times = [Times("--help, alone"), Times("list, alone")]
    for _ in range(runs):
        for each, argument in zip(times, ("--help", "list"), strict=True):
            each.run(lambda argument=argument: run(program, folder, argument))  # type: ignore[misc]
    return times


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write down; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--few", type=int, default=FEW)
    parser.add_argument("--real-vectors", type=int, default=REAL_VECTORS)
    parser.add_argument("--lore", type=Path, default=lore_program())
    parser.add_argument("--work", type=Path, default=default_work())
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    sentences = Writer(SEED).sentences()
    words = [next(sentences) for _ in range(50)]
    with home_of(given.memories, work=given.work, real_vectors=given.real_vectors) as places:
        home, folder = places
        warm_resident(home)
        times = asked(given.lore, folder, given.runs, words)
        reach.stop(home)
        embedding = embedded(folder, given.runs, words)
        rest = alone(given.lore, folder, given.few)
    most = MAX_TIMES * times[0].median_ms
    bars = [
        Bar(f"median of lore {each.name} with a resident, in ms", each.median_ms,
            most + (embedding.median_ms if each.name == "recall" else 0.0))
        for each in times[2:]
    ]  # fmt: skip
    times += [embedding, *rest]
    print(table(f"{given.memories:,} memories, {given.runs} runs each", times, bars))
    print(f"  {written('cli', summed(times, bars), folder=given.results)}")
    return int(not all(bar.met for bar in bars))


if __name__ == "__main__":
    sys.exit(main())
