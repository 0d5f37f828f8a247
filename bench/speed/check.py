"""How long a check takes over a store of many memories and triggers.

Run: python -m bench.speed.check [--memories 10000] [--triggers 2000] [--work DIR]
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bench.speed.stores import REAL_VECTORS, default_work, store_of
from bench.speed.timing import RESULTS, Bar, Times, summed, table, written
from bench.speed.triggers import HOSTILE, excerpts, library_source, triggers
from loremap.app import Lore
from loremap.model.memory import Trigger
from loremap.safety.patterns import TriggerSet, refusal_for

TEXTS = 400
WARM_UP = 50
TEXT_CHARS = 4_096
CORPUS_CHARS = 2_000_000
SEED = 7
MAX_MS = 5.0
COMMAND, FILE = "git push origin main --tags", "src/auth/login.py"
HOSTILE_CHARS = 100_000


def measured(lore: Lore, texts: Sequence[str], given: Sequence[Trigger]) -> list[Times]:
    """The check of each text, whole and in parts, in turn; the first texts only warm up."""
    engine = TriggerSet.compile(enumerate(given))
    parts = {
        "check": lambda text: lore.check(text=text),
        "check, command and file too": lambda text: lore.check(
            text=text, command=COMMAND, files=[FILE]
        ),
        "the matching of it": lambda text: engine.fired(text=text),
    }
    times = [Times(name) for name in parts]
    for place, text in enumerate(texts):
        for each, work in zip(times, parts.values(), strict=True):
            (each if place >= WARM_UP else Times("")).run(partial(work, text))
    return times


def reading(given: Sequence[Trigger]) -> list[Times]:
    """How long the triggers take to be read, once, and again with one more."""
    first, again = Times("reading the triggers"), Times("reading one more")
    entries = list(enumerate(given))
    first.run(partial(TriggerSet.compile, entries))
    more = [*entries, (len(entries), Trigger("literal", "one more"))]
    again.run(partial(TriggerSet.compile, more))
    return [first, again]


def hostile() -> list[Times]:
    """How long patterns made to hang an engine take on 100 KB; refused ones are left out."""
    dice = random.Random(SEED)
    texts = (
        "a" * HOSTILE_CHARS + "!cQx",
        "".join(dice.choices("ab", k=HOSTILE_CHARS)) + " cQ",
        "".join(chr(dice.randint(32, 126)) for _ in range(HOSTILE_CHARS)),
    )
    found = []
    for pattern in HOSTILE:
        trigger = Trigger("regex", pattern)
        if refusal_for(trigger) is None:
            times, one = Times(pattern), TriggerSet.compile([(0, trigger)])
            for text in texts:
                times.run(partial(one.fired, text=text))
            found.append(times)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write down; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--triggers", type=int, default=2_000)
    parser.add_argument("--texts", type=int, default=TEXTS)
    parser.add_argument("--real-vectors", type=int, default=REAL_VECTORS)
    parser.add_argument("--work", type=Path, default=default_work())
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    corpus = library_source(CORPUS_CHARS)
    held = triggers(given.triggers, corpus=corpus, seed=SEED)
    read = reading(held)
    texts = excerpts(corpus, WARM_UP + given.texts, chars=TEXT_CHARS, seed=SEED)
    with store_of(
        given.memories, work=given.work, triggers=held, real_vectors=given.real_vectors
    ) as lore:
        times = measured(lore, texts, held)
    check = times[0]
    took_ms = check.median_ms
    bars = [Bar("median check in ms", took_ms, MAX_MS)]
    title = f"{given.memories:,} memories, {given.triggers:,} triggers, {TEXT_CHARS} characters"
    print(table(title, times, bars))
    print(table(f"Reading {given.triggers:,} triggers", read, []))
    print(table("Patterns made to hang, on 100 KB", hostile(), []))
    print(f"  {written('check', summed([*times, *read], bars), folder=given.results)}")
    return int(not all(bar.met for bar in bars))


if __name__ == "__main__":
    sys.exit(main())
