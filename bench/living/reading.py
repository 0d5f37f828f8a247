"""How long 10,000 memories take to be read for facts, and how long one write holds the store.

python -m bench.living.reading [--memories 10000]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from pathlib import Path

from loremap import app
from loremap.memory.admission.limits import Limits
from loremap.memory.known_facts import done_passes
from loremap.model.memory import Candidate

SENTENCES = json.loads((Path(__file__).parent / "sentences.json").read_text("utf-8"))
BATCH = 500
LIMITS = Limits(content_bytes=1 << 20, per_session=1 << 30)


def texts(number: int) -> list[str]:
    """Sentences of coding memories, two at a time and each time with a name of its own."""
    rng = random.Random(7)
    said = [one["text"] for one in SENTENCES]
    return [
        f"{rng.choice(said)} Service-{at % 900} uses Queue-{at % 70}. {rng.choice(said)} ({at})"
        for at in range(number)
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LOREMAP_HOME"] = f"{folder}/home"
        Path(f"{folder}/home").mkdir(mode=0o700)
        Path(f"{folder}/home/config.toml").write_text('[embedding]\nprovider = "none"\n', "utf-8")
        Path(f"{folder}/project").mkdir()
        with app.open(f"{folder}/project") as lore:
            said = texts(given.memories)
            for start in range(0, len(said), BATCH):
                lore.admit_all(
                    [Candidate(content=text) for text in said[start : start + BATCH]],
                    limits=LIMITS,
                )
            began = time.perf_counter()
            held = [took for _, took in done_passes(lore)]
            whole = time.perf_counter() - began
            print(
                f"{given.memories} memories read in {whole:.1f} s, {len(lore.facts.list())} facts; "
                f"{len(held)} writes, the longest {1000 * max(held):.0f} ms, "
                f"the median {1000 * sorted(held)[len(held) // 2]:.0f} ms"
            )
            began = time.perf_counter()
            lore.recall("What does Service-7 use?", recipe="facts", gate=False)
            first = time.perf_counter() - began
            began = time.perf_counter()
            lore.recall("What does Service-8 use?", recipe="facts", gate=False)
            then = time.perf_counter() - began
            print(f"recipe: first {1000 * first:.0f} ms, then {1000 * then:.0f} ms")


if __name__ == "__main__":
    main()
