"""Measures call edges on PyCG's micro-benchmark with the product's own extraction and resolver.

    python -m bench.code.pycg --snippets FOLDER

A case is right where the calls found between its functions are those its callgraph.json lists.
PyCG names the functions of a class that it constructs, so a call of a class counts as a call of
its constructor, and as nothing where it has none; what PyCG expects and our facts cannot say is
counted as missed.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from loremap.code.extraction.extract import extract
from loremap.code.facts import FileFacts
from loremap.code.project import MemoryProject
from loremap.code.resolution.resolve import Resolver
from loremap.model.code import EdgeKind

Edge = tuple[str, str]


class Score(NamedTuple):
    """Edges found that are right, that are wrong, and that were missed."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        found = self.right + self.wrong
        return self.right / found if found else 1.0

    @property
    def recall(self) -> float:
        wanted = self.right + self.missed
        return self.right / wanted if wanted else 1.0


def expected(case: Path) -> set[Edge]:
    """The edges that the benchmark lists for a case."""
    graph = json.loads((case / "callgraph.json").read_text("utf-8"))
    return {(source, target) for source, targets in graph.items() for target in targets}


def found(case: Path) -> set[Edge]:
    """The edges that the product finds in a case, by PyCG's names."""
    files = {path.relative_to(case).as_posix(): path for path in sorted(case.rglob("*.py"))}
    facts = {name: extract(path.read_bytes(), "python") for name, path in files.items()}
    resolver = Resolver(MemoryProject(facts))
    names = {path: _names(path, one) for path, one in facts.items()}
    edges: set[Edge] = set()
    for path in facts:
        links = resolver.links(path)
        for edge in links.edges:
            kind = facts[edge.path].definitions[edge.target].kind
            if edge.kind is EdgeKind.CALLS and kind in ("function", "method"):
                edges.add((names[path][edge.source], names[edge.path][edge.target]))
        edges |= {(names[path][one.source], one.name) for one in links.outside}
    return edges


def _names(path: str, facts: FileFacts) -> list[str]:
    """PyCG's name of each definition; code of a class body belongs to what holds the class."""
    module = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    lambdas: dict[int, int] = defaultdict(int)
    names = [module]
    for one in facts.definitions[1:]:
        name = one.name
        if name.startswith("<"):
            lambdas[one.parent] += 1
            name = f"<lambda{lambdas[one.parent]}>"
        names.append(f"{names[one.parent]}.{name}")
    return names


def measured(snippets: Path) -> tuple[dict[str, Score], list[tuple[str, set[Edge], set[Edge]]]]:
    """The score of each category, and for each case what was wrong and what was missed."""
    scores: dict[str, Score] = {}
    errors: list[tuple[str, set[Edge], set[Edge]]] = []
    for graph in sorted(snippets.rglob("callgraph.json")):
        case = graph.parent
        wanted, got = expected(case), found(case)
        category = case.relative_to(snippets).parts[0]
        old = scores.get(category, Score(0, 0, 0))
        new = Score(len(wanted & got), len(got - wanted), len(wanted - got))
        scores[category] = Score(*(a + b for a, b in zip(old, new, strict=True)))
        if wanted != got:
            errors.append((case.relative_to(snippets).as_posix(), got - wanted, wanted - got))
    return scores, errors


def main() -> None:
    """Prints precision and recall per category and in all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--snippets", type=Path, required=True)
    parser.add_argument("--errors", action="store_true", help="also print every wrong edge")
    options = parser.parse_args()
    scores, errors = measured(options.snippets)
    total = Score(*(sum(column) for column in zip(*scores.values(), strict=True)))
    print(f"{'category':<16}{'right':>6}{'wrong':>6}{'missed':>7}{'precision':>11}{'recall':>8}")
    for name, score in [*sorted(scores.items()), ("all", total)]:
        counts = f"{score.right:>6}{score.wrong:>6}{score.missed:>7}"
        print(f"{name:<16}{counts}{score.precision:>11.3f}{score.recall:>8.3f}")
    if options.errors:
        for case, wrong, missed in errors:
            print(case, "wrong", sorted(wrong), "missed", sorted(missed))


if __name__ == "__main__":
    main()
