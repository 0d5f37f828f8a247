"""What was called wrong, said again by an agent: in other words, turned round, and beside it.

    python -m bench.living.paraphrases [--half dev|held] [--show]

All that is wrong lies in one store, so that each statement is held against every tombstone.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import loremap
from loremap.app import Lore
from loremap.model.outcome import Refused, Stored, Superseded

DATA = Path(__file__).with_name("paraphrases.json")
SAID = ("paraphrase", "contrary", "neighbour", "unrelated")
BARS = {"paraphrase": 90.0, "contrary": 0.0, "neighbour": 0.0, "unrelated": 0.0}
"""How many of them are to be refused, in percent: at least, and at most."""


def refused(lore: Lore, items: Sequence[dict[str, str]]) -> dict[str, list[str]]:
    """What was refused, by what it is to what is wrong."""
    for item in items:
        outcome = lore.remember(item["wrong"])
        assert isinstance(outcome, Stored | Superseded), outcome
        lore.lessons.wrong(outcome.memory.id)
    found: dict[str, list[str]] = {kind: [] for kind in SAID}
    for item in items:
        for kind in SAID:
            agent = lore.as_session(f"{item['id']} {kind}", "claude")
            outcome = agent.remember(item[kind])
            if isinstance(outcome, Refused):
                assert "in other words" in outcome.reason, outcome
                found[kind].append(item["id"])
    return found


def main() -> None:
    """Print how much of each sort is refused."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=("dev", "held"), default="dev")
    parser.add_argument("--show", action="store_true", help="Name what misses its bar.")
    chosen = parser.parse_args()
    every = json.loads(DATA.read_text("utf-8"))
    items = [item for item in every if item["half"] == chosen.half]
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        os.environ["LOREMAP_HOME"] = home
        with loremap.open(folder) as lore:
            lore.init()
            found = refused(lore, items)
    for kind, ids in found.items():
        print(f"{kind:12} {len(ids):3} of {len(items)} refused")
        if chosen.show:
            named = {item["id"] for item in items} - set(ids) if kind == "paraphrase" else ids
            print("   ", *sorted(named))


if __name__ == "__main__":
    main()
