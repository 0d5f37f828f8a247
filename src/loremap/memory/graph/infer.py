"""Which tags memories bear without anybody saying so, and from what that is read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from loremap.code.languages import language_of
from loremap.model.graph import PROJECT_TAG
from loremap.model.kind import Kind
from loremap.model.module import Module
from loremap.model.paths import role_of
from loremap.model.words import words

BY_SIDECAR = "sidecar"
"""What a tag was read from that the small model gave."""
CATEGORIES = {
    Kind.PREFERENCE: "preference",
    Kind.CORRECTION: "correction",
    Kind.HUMAN_FEEDBACK: "correction",
}
"""The kinds that are tags too."""
TELLING = frozenset({"tool", "service", "package", "concept"})
"""The kinds of entities that a memory is tagged with; files and modules are tags by their paths."""
LEAST = 2
"""So many memories must give reason for a tag: one alone is joined with nothing."""
MAX_SHARE = 0.5
"""A tag that would be on more of the memories here tells nothing of any of them."""
FEW = 10
"""Among fewer memories a share says nothing."""
LONGEST = 40
_NO_TAG = re.compile(r"[^\w.+#-]+")

Read = dict[str, str]
"""The tags of one memory, each with what it was read from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagged:
    """What of a memory tags are read from."""

    id: str
    content: str
    kind: Kind
    files: tuple[str, ...] = ()
    entities: tuple[tuple[str, str], ...] = ()
    """The kind and the name of each entity it speaks of."""
    project: str | None = None
    """The name of the project it belongs to."""
    own: frozenset[str] = frozenset()
    """The tags that somebody gave it."""


def inferred(memories: Sequence[Tagged], modules: Sequence[Module]) -> dict[str, Read]:
    """The tags of each memory that nobody set, with what each was read from; none that is on nearly
    everything, or on one memory alone."""
    places = _Places(modules)
    read = {memory.id: _read(memory, places) for memory in memories}
    counts = Counter(tag for one in memories for tag in {*read[one.id], *one.own})
    most = max(MAX_SHARE * len(memories), FEW)
    kept = {tag for tag, count in counts.items() if is_telling(tag, count=count, most=most)}
    return {
        memory.id: {tag: why for tag, why in read[memory.id].items() if tag in kept - memory.own}
        for memory in memories
    }


def is_telling(tag: str, *, count: int, most: float) -> bool:
    """Whether a tag sets the memories that bear it apart; the project's sets them apart from those
    of other projects."""
    return tag.startswith(PROJECT_TAG) or LEAST <= count <= most


def _read(memory: Tagged, places: _Places) -> Read:
    found: Read = {}
    for tag, why in _every(memory, places):
        if tag and len(tag) <= LONGEST:
            found.setdefault(tag, why)
    return found


def _every(memory: Tagged, places: _Places) -> Iterator[tuple[str, str]]:
    for path in memory.files:
        if language := language_of(path):
            yield language, "language"
        for name in places.of(path):
            yield tag_of(name), "path"
    for name in places.named_in(memory.content):
        yield tag_of(name), "module"
    for kind, name in memory.entities:
        if kind in TELLING:
            yield tag_of(name), "entity"
    if memory.kind in CATEGORIES:
        yield CATEGORIES[memory.kind], "kind"
    if memory.project:
        yield PROJECT_TAG + tag_of(memory.project), "project"


def tag_of(name: str) -> str:
    """A name as a tag: lower case, without blanks."""
    return _NO_TAG.sub("-", name.strip().lower()).strip("-.")


class _Places:
    """Which part of the project a path or a text is about: by the module map, or where nothing
    was scanned by the folder that a file lies in."""

    def __init__(self, modules: Sequence[Module]) -> None:
        product = [module for module in modules if not module.role]
        self._module_of = dict(_paths(product))
        self._words = {module.name: frozenset(words(module.name)) for module in product}

    def of(self, path: str) -> Iterable[str]:
        """The names that a path gives."""
        if self._words:
            above = (path[: at + 1] for at, sign in enumerate(path) if sign == "/")
            return {self._module_of[one]: None for one in (path, *above) if one in self._module_of}
        folder = path.rpartition("/")[0].rpartition("/")[2]
        return (folder,) if folder and not role_of(path) else ()

    def named_in(self, text: str) -> Iterable[str]:
        """The modules whose names a text says."""
        if not self._words:
            return ()
        said = set(words(text))
        return [name for name, terms in self._words.items() if terms and terms <= said]


def _paths(modules: Sequence[Module]) -> Iterator[tuple[str, str]]:
    for module in modules:
        for path in (*module.test_files, *module.entry_points, *module.core_files):
            yield path, module.name


def changes_of(
    wanted: Mapping[str, Read], held: Mapping[tuple[str, str], str], refused: set[tuple[str, str]]
) -> tuple[dict[str, list[tuple[str, str]]], dict[str, list[str]]]:
    """What is to be done: by tag the memories that get it, each with what it was read from, and
    those that lose it; what the small model read stays."""
    given: dict[str, list[tuple[str, str]]] = {}
    taken: dict[str, list[str]] = {}
    for id_, read in wanted.items():
        for tag, why in read.items():
            if (id_, tag) not in held and (id_, tag) not in refused:
                given.setdefault(tag, []).append((id_, why))
    for (id_, tag), why in held.items():
        if tag not in wanted.get(id_, {}) and why != BY_SIDECAR:
            taken.setdefault(tag, []).append(id_)
    return given, taken
