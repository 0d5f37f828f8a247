"""Test files joined to the modules they test: by what they import, then by their names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log

from loremap.code.module_map.features import says_same

_SAME_FOLDER = 6.0
_NAMED_FILE = 4.0
_NAMED_FOLDER = 4.0
_IMPORTS = 4.0
_NEIGHBOURS = 3.0
"""What the other tests of a folder say of one, against what it says itself."""
_LEAST = 0.8
_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "testing", "e2e", "unit"})
_DECORATION = re.compile(
    r"(?i)^tests?[_\-.]|[_\-.](tests?|spec|specs|bench|e2e|unit)$|(?-i:(?<=[a-z0-9])(Tests?|Spec))$"
)

_NAMED_AS_TEST = re.compile(
    r"(?i)(^|/)tests?([_\-.][^/]*)?\.\w+$|[_\-.](tests?|specs?)\.\w+$|(?-i:(?<=[a-z0-9])(Tests?|Spec))\.\w+$"
)

Modules = Mapping[str, Sequence[str]]
"""Name → files."""


def tested_by(
    tests: Iterable[str], modules: Modules, joins: Iterable[tuple[str, str, float]]
) -> dict[str, tuple[str, ...]]:
    """For each module the files that test it, the surest first; a folder ending in `/` where all
    of it does."""
    tests = sorted(tests)
    scores = _scores(tests, modules, joins)
    shared = _shared(tests, scores)
    joined: dict[str, tuple[str, float]] = {}
    for test in tests:
        both = dict(scores[test])
        for module, share in shared.get(_subject_folder(test), {}).items():
            both[module] = both.get(module, 0.0) + _NEIGHBOURS * share
        if both:
            best = min(both, key=lambda module: (-both[module], module))
            if both[best] >= _LEAST:
                joined[test] = (best, both[best])
    return _by_module(joined)


def _shared(
    tests: Sequence[str], scores: Mapping[str, Mapping[str, float]]
) -> dict[str, dict[str, float]]:
    """What the tests of each folder with a subject say together: shares of 1 by module."""
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for test in tests:
        if folder := _subject_folder(test):
            for module, score in scores[test].items():
                sums[folder][module] += score
    return {
        folder: {module: score / (sum(said.values()) or 1.0) for module, score in said.items()}
        for folder, said in sums.items()
    }


def _subject_folder(test: str) -> str:
    """The first folder below those that only say "tests": `tests/auth`; empty for none."""
    parts = test.split("/")[:-1]
    only_tests = [part.lower() in _TEST_FOLDERS for part in parts]
    if True not in only_tests:
        return ""
    at = only_tests.index(True)
    while at < len(parts) and only_tests[at]:
        at += 1
    return "/".join(parts[: at + 1]) if at < len(parts) else ""


def _scores(
    tests: Sequence[str], modules: Modules, joins: Iterable[tuple[str, str, float]]
) -> dict[str, dict[str, float]]:
    holder = {path: name for name, files in modules.items() for path in files}
    imported: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    wanted = set(tests)
    for one, two, weight in joins:
        if one in wanted and two in holder:
            imported[one][holder[two]] += weight
    reach = defaultdict[str, int](int)
    for found in imported.values():
        for module in found:
            reach[module] += 1
    rarity = {name: log(1 + len(tests) / (1 + reach[name])) for name in modules}
    names = _NameIndex(modules)
    scores: dict[str, dict[str, float]] = {}
    for test in tests:
        score = names.scores(test)
        total = sum(weight * rarity[name] for name, weight in imported[test].items())
        for name, weight in imported[test].items():
            if total:
                score[name] = score.get(name, 0.0) + _IMPORTS * weight * rarity[name] / total
        scores[test] = score
    return scores


class _NameIndex:
    """Modules by the names of their files and folders."""

    def __init__(self, modules: Modules) -> None:
        self._by_stem: dict[str, set[str]] = defaultdict(set)
        self._by_inner: dict[str, set[str]] = defaultdict(set)
        self._by_folder: dict[str, set[str]] = defaultdict(set)
        self._names = {name: _letters(name.rpartition(".")[2]) for name in modules}
        self._meant: dict[str, list[str]] = {}
        for name, files in modules.items():
            for path in files:
                folder, _, file = path.rpartition("/")
                self._by_folder[folder].add(name)
                self._by_inner[folder.rpartition("/")[2].lower()].add(name)
                if bare := _letters(file.partition(".")[0]):
                    self._by_stem[bare].add(name)

    def scores(self, test: str) -> dict[str, float]:
        """How much the place and the name of a test speak for each module."""
        found: dict[str, float] = defaultdict(float)
        folder, _, file = test.rpartition("/")
        home = re.sub(r"/(tests?|__tests__|specs?)$", "", folder)
        for name in self._by_folder.get(home, ()) if home or folder == home else ():
            found[name] += _SAME_FOLDER / len(self._by_folder[home])
        subject = _letters(_DECORATION.sub("", _DECORATION.sub("", file.partition(".")[0])))
        for name in self._by_stem.get(subject, ()):
            found[name] += _NAMED_FILE / len(self._by_stem[subject])
        for name in self._called(subject):
            found[name] += _NAMED_FILE
        if not (about := _subject_folder(test).rpartition("/")[2].lower()):
            return found
        meant = self._called(_about(about))
        around = [name for name in self._names if about in name.lower().split(".")[:-1]]
        for name in meant or around or sorted(self._by_inner.get(about, ())):
            found[name] += _NAMED_FOLDER
        return found

    def _called(self, word: str) -> list[str]:
        """The modules whose last name means `word`."""
        if word not in self._meant:
            self._meant[word] = [
                name for name, last in self._names.items() if word and says_same(word, last)
            ]
        return self._meant[word]


def _about(folder: str) -> str:
    """What a folder of tests is about: `forms` for `forms_tests`."""
    return _letters(re.sub(r"[_\-]tests?$|^tests?[_\-]", "", folder))


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _by_module(joined: Mapping[str, tuple[str, float]]) -> dict[str, tuple[str, ...]]:
    """Files by module, whole folders as one."""
    below: dict[str, Counter[str]] = defaultdict(Counter)
    for test, (module, _) in joined.items():
        parts = test.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            below["/".join(parts[:depth])][module] += 1
    named: dict[str, dict[str, float]] = defaultdict(dict)
    for test, (module, score) in joined.items():
        widest = _widest(test, below)
        if widest != test or _NAMED_AS_TEST.search(test):
            named[module][widest] = max(score, named[module].get(widest, 0.0))
    return {
        module: tuple(sorted(found, key=lambda path: (-round(found[path], 1), path)))
        for module, found in named.items()
    }


def _widest(test: str, below: Mapping[str, Counter[str]]) -> str:
    """The highest folder of tests all about one module, or the file itself."""
    parts = test.split("/")[:-1]
    for depth in range(1, len(parts) + 1):
        folder = "/".join(parts[:depth])
        whole = below[folder].total() > 1 or _subject_folder(test) == folder
        if whole and len(below[folder]) == 1 and _is_test_folder(folder):
            return f"{folder}/"
    return test


def _is_test_folder(folder: str) -> bool:
    """Whether only tests lie there, so that the folder can stand for them."""
    return any(part.lower() in _TEST_FOLDERS for part in folder.split("/"))
