"""Measures the calls between files of a checkout, of one language at a time.

    python -m bench.code.calls --repo FOLDER [--language NAME] [--draw 60] [--judged FILE]

Without a compiler's word, two things can be told. A name that only one place of the project defines
is mostly meant by a call of that name in another file: the share of such calls that are joined to
it is *by name*, a lower bound, because some of them mean a library's function of the same name.
And sites drawn with a fixed seed can be read: `--draw` prints them with what was found, a person
notes what each means, and `--judged` scores that file (a list of `[path, line, name, meant]`, where
`meant` is `path::Qualified.name`, or empty where it is nothing of the project).
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from loremap.code.extraction.extract import extract
from loremap.code.facts import FileFacts, qualified_names
from loremap.code.languages import LANGUAGES, language_of
from loremap.code.project import MemoryProject
from loremap.code.resolution.chain_parts import parts_of
from loremap.code.resolution.evaluate import Evaluator
from loremap.code.resolution.resolve import Resolver
from loremap.code.resolution.tables import CLASS_KINDS, FUNCTION_KINDS
from loremap.model.code import EdgeKind
from loremap.model.paths import is_vendored_path

SEED = 11
MANIFESTS = tuple(
    "package.json [tj]sconfig*.json go.mod Cargo.toml *.csproj Directory.Build.*".split()
)
_LARGEST_BYTES = 1_000_000
_JOINS = frozenset({EdgeKind.CALLS, EdgeKind.REFERENCES})


class Site(NamedTuple):
    """A call: where it is written, the name that is called, and what it was joined to."""

    path: str
    line: int
    name: str
    chain: str
    found: tuple[str, ...]


class Checkout:
    """The facts of a folder's files of one family of languages, resolved."""

    def __init__(self, root: Path, language: str) -> None:
        family = LANGUAGES[language].family or language
        kin = {
            one.name
            for one in LANGUAGES.values()
            if (one.family or one.name) == family
            or one.imports == LANGUAGES[language].imports != "none"
        }
        self.facts = dict(_facts(root, kin))
        given = {
            path.relative_to(root).as_posix(): path.read_bytes()
            for pattern in MANIFESTS
            for path in root.rglob(pattern)
            if path.is_file()
        }
        project = MemoryProject(self.facts, given)
        self.evaluator = Evaluator(project)
        self._resolver = Resolver(project)
        self.names = {path: qualified_names(one) for path, one in self.facts.items()}
        self.defining = _defining(self.facts, self.names)

    def sites(self) -> Iterator[Site]:
        """The calls of all files, in order."""
        for path in sorted(self.facts):
            joined = self._joined(path)
            for call in self.facts[path].calls:
                name = called_name(call.target)
                if name and not call.implied:
                    yield Site(path, call.line, name, call.target, tuple(joined[call.line, name]))

    def _joined(self, path: str) -> dict[tuple[int, str], dict[str, None]]:
        """What each line's calls of a name were joined to."""
        found: dict[tuple[int, str], dict[str, None]] = defaultdict(dict)
        for edge in self._resolver.links(path).edges:
            if edge.kind not in _JOINS:
                continue
            one = self.facts[edge.path].definitions[edge.target]
            key = f"{edge.path}::{self.names[edge.path][edge.target]}"
            holder = self.facts[edge.path].definitions[one.parent].name
            if edge.kind is EdgeKind.CALLS or one.kind in CLASS_KINDS:
                for name in {one.name, holder}:
                    found[edge.line, name][key] = None
        return found


def _facts(root: Path, languages: set[str]) -> Iterator[tuple[str, FileFacts]]:
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        language = language_of(path)
        if language not in languages or is_vendored_path(path) or not file.is_file():
            continue
        source = file.read_bytes()
        if len(source) <= _LARGEST_BYTES:
            yield path, extract(source, language)


def _defining(
    facts: Mapping[str, FileFacts], names: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Where each name is defined that can be called; constructors are their class's."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, one in facts.items():
        for index, each in enumerate(one.definitions):
            own = each.name != one.definitions[each.parent].name and each.name[0:1] != "<"
            if own and each.kind in FUNCTION_KINDS | CLASS_KINDS:
                found[each.name].append(f"{path}::{names[path][index]}")
    return found


def called_name(chain: str) -> str:
    """The name that a chain calls; empty where it is no name."""
    before, link, _, _, _ = parts_of(chain)
    while link[:1] == "[":  # type arguments
        before, link, _, _, _ = parts_of(before)
    name = link[1:] if link[:1] == "." else before if not link else ""
    return name if name.replace("$", "_").isidentifier() else ""


def by_name(checkout: Checkout) -> tuple[list[Site], list[Site], list[Site]]:
    """The calls across files whose name one place alone defines: joined, joined elsewhere, lost."""
    right: list[Site] = []
    wrong: list[Site] = []
    lost: list[Site] = []
    for site in checkout.sites():
        places = checkout.defining.get(site.name, ())
        if len(places) != 1 or places[0].partition("::")[0] == site.path:
            continue
        if any(one.startswith(places[0]) for one in site.found):
            right.append(site)
        else:
            (wrong if site.found else lost).append(site)
    return right, wrong, lost


def drawn(checkout: Checkout, count: int, seed: int = SEED) -> list[Site]:
    """Calls of names that other files define and their own does not, at random, each line once."""
    sites = {
        (site.path, site.line, site.name): site
        for site in checkout.sites()
        if (places := checkout.defining.get(site.name))
        and not any(one.partition("::")[0] == site.path for one in places)
    }
    chosen = random.Random(seed).sample(sorted(sites), min(count, len(sites)))
    return [sites[key] for key in chosen]


def scored(checkout: Checkout, judged: Sequence[Sequence[object]]) -> dict[str, float]:
    """Precision and recall on sites whose meaning was noted by a reader."""
    found: dict[tuple[str, int, str], set[str]] = defaultdict(set)
    for site in checkout.sites():
        found[site.path, site.line, site.name].update(site.found)
    right = wrong = missed = 0
    for path, line, name, meant in judged:
        got = found[str(path), int(str(line)), str(name)]
        hit = bool(meant) and any(one.startswith(str(meant)) for one in got)
        right += hit
        wrong += bool(got) and not hit
        missed += bool(meant) and not hit
    return {
        "precision": round(right / max(1, right + wrong), 3),
        "recall": round(right / max(1, right + missed), 3),
        "sites": len(judged),
    }


def main() -> None:
    """Measure one checkout and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--language", required=True)
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--lost", type=int, default=0, help="how many lost calls to show")
    parser.add_argument("--judged", type=Path)
    given = parser.parse_args()
    checkout = Checkout(given.repo, given.language)
    right, wrong, lost = by_name(checkout)
    told = len(right) + len(wrong) + len(lost)
    figures = {
        "files": len(checkout.facts),
        "broken": sum(one.broken for one in checkout.facts.values()),
        "told_by_name": told,
        "joined": round(len(right) / max(1, told), 3),
        "joined_elsewhere": round(len(wrong) / max(1, told), 3),
    }
    if given.judged:
        figures |= scored(checkout, json.loads(given.judged.read_text("utf-8")))
    print(json.dumps(figures))
    for site in random.Random(SEED).sample(lost, min(given.lost, len(lost))):
        print(f"{site.path}:{site.line}\t{site.chain}\t{checkout.defining[site.name]}")
    if given.lost:
        print(Counter(site.name for site in lost).most_common(12))
    for site in drawn(checkout, given.draw):
        print(f"{site.path}:{site.line}\t{site.chain}\t{' '.join(site.found) or '-'}")


if __name__ == "__main__":
    main()
