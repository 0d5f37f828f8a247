"""Facts read from sentences of coding memories, against those a careful reader wrote down.

    python -m bench.living.facts [--half dev|held] [--show]

Each of sentences.json was written by somebody who had not seen the rules; rules are fitted on `dev`
alone. A fact counts where subject, predicate and object are those of the reader, compared as names.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loremap.memory.facts.names import Known, Names, kind_of
from loremap.memory.facts.read import Reader, Reading
from loremap.model.entity import EntityKind, entity_key

DATA = Path(__file__).parent / "sentences.json"
PRECISION_BAR, RECALL_BAR = 0.90, 0.40
Triple = tuple[str, str, str]


@dataclass
class Figures:
    """What was read rightly, read wrongly, and not read."""

    right: list[tuple[str, Triple]] = field(default_factory=list)
    wrong: list[tuple[str, Triple]] = field(default_factory=list)
    missed: list[tuple[str, Triple]] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """The share of what was read that is right."""
        return len(self.right) / max(1, len(self.right) + len(self.wrong))

    @property
    def recall(self) -> float:
        """The share of what stands there that was read."""
        return len(self.right) / max(1, len(self.right) + len(self.missed))


def measured(records: list[dict[str, Any]]) -> Figures:
    """The figures over some sentences."""
    figures = Figures()
    for record in records:
        text = record["text"]
        gold = {(entity_key(s), p, entity_key(o)): (s, p, o) for s, p, o in record["facts"]}
        read = {_key(one): _said(one) for one in reader_for(record).read(text).facts}
        figures.right += [(text, gold[key]) for key in read if key in gold]
        figures.wrong += [(text, said) for key, said in read.items() if key not in gold]
        figures.missed += [(text, said) for key, said in gold.items() if key not in read]
    return figures


def reader_for(record: dict[str, Any]) -> Reader:
    """Who reads a sentence where those things are known that it says are."""
    known = {entity_key(name): Known(entity_key(name), name, kind_of(name))
             for name in record["known"]}  # fmt: skip
    return Reader(Names(known, frozenset(known)), Known("project", "project", EntityKind.PROJECT))


def _key(one: Reading) -> Triple:
    return (one.subject.key, one.predicate, entity_key(_object(one)))


def _said(one: Reading) -> Triple:
    return (one.subject.name, one.predicate, _object(one))


def _object(one: Reading) -> str:
    return one.object.name if one.object is not None else one.value or ""


def main() -> int:
    """Measure and print; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("dev", "held"), default="dev")
    parser.add_argument("--show", action="store_true", help="every sentence that went wrong")
    given = parser.parse_args()
    records = [one for one in json.loads(DATA.read_text("utf-8")) if one["half"] == given.half]
    figures = measured(records)
    if given.show and given.half == "dev":
        for title, found in (("wrong", figures.wrong), ("missed", figures.missed)):
            for text, said in found:
                print(f"{title}  {' | '.join(said)}\n        {text}")
    print(Counter(said[1] for _, said in figures.wrong).most_common())
    print(
        f"{given.half}: {len(records)} sentences, precision {figures.precision:.3f}, "
        f"recall {figures.recall:.3f} ({len(figures.right)} right, {len(figures.wrong)} wrong, "
        f"{len(figures.missed)} missed)"
    )
    return 0 if figures.precision >= PRECISION_BAR and figures.recall >= RECALL_BAR else 1


if __name__ == "__main__":
    sys.exit(main())
