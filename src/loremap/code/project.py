"""What the resolver asks of a project, and the answer held in memory."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from posixpath import dirname
from typing import Protocol

from loremap.code.facts import DECLARED, EVERYWHERE, EXTENSION, FileFacts
from loremap.code.imports import Paths
from loremap.code.languages import LANGUAGES
from loremap.model.code import SymbolKind

_WORD_END = re.compile(r"[.\[\](){}<>]")
_FUNCTION = SymbolKind.FUNCTION.value
_METHOD = SymbolKind.METHOD.value
_TYPES = frozenset({SymbolKind.CLASS.value, SymbolKind.TYPE.value})


class Project(Protocol):
    """The files of a project, as far as resolving needs them."""

    @property
    def paths(self) -> Paths:
        """All paths, and which of them an import means."""
        ...

    def facts(self, path: str) -> FileFacts | None:
        """The facts of a file, or None where it has none."""
        ...

    def defining(self, package: str, name: str) -> Sequence[str]:
        """The files of a package whose `package_names` hold `name`, in order of path."""
        ...


def package_of(path: str, facts: FileFacts) -> str:
    """The key of the package that sees a file's names without import; empty where none does."""
    language = LANGUAGES[facts.language]
    family = language.family or language.name
    if language.package == "folder":
        return f"{family}:{dirname(path)}"
    if language.package == "declared":
        return f"{family}:{facts.package}"
    return f"{family}:" if language.package in ("all", "linked") else ""


def package_names(facts: FileFacts) -> Iterator[str]:
    """The names that a file adds to its package, each once; `Type.method` for those outside."""
    seen: set[str] = set()
    language = LANGUAGES[facts.language]
    if any(one.item == EVERYWHERE for one in facts.imports):
        yield EVERYWHERE
    if language.extension_functions:
        extending = {one.name for one in facts.definitions if one.scope == EXTENSION}
        yield from (extension_name(name) for name in sorted(extending))
    for one in facts.definitions[1:]:
        if one.parent != 0 or one.name.startswith("<") or one.scope == DECLARED:
            continue
        if language.capitals_are_shared and not one.name[:1].isupper() and one.kind != _FUNCTION:
            continue
        outside = one.kind == _METHOD and one.bases
        name = f"{one.bases[0]}.{one.name}" if outside else one.name
        if name not in seen:
            seen.add(name)
            yield name
    if language.open_types:
        types = type_names(facts)
        yield from sorted(set(types) - seen)
        yield from sorted(_part_names(facts, types, language.self_names))


def extension_name(name: str) -> str:
    """The name in a package that says: this file extends some type by a function `name`."""
    return f".{name}"


def part_name(full: str, member: str) -> str:
    """The name in a package that says: this file writes `member` of the open type `full`.

    Without a member it says that the file gives the type a base; without a type, that it writes
    such a member of any.
    """
    return f"{full}#{member}"


def _part_names(
    facts: FileFacts, types: Mapping[str, Sequence[int]], self_names: Sequence[str]
) -> set[str]:
    """The part names of a file; one too many only costs the look that finds nothing."""
    full = {index: name for name, parts in types.items() for index in parts}
    members = {(one.rpartition(".")[0], one.rpartition(".")[2]) for one in types}
    for one in facts.definitions:
        if one.parent in full:
            members.add((full[one.parent], one.name))
        elif one.kind == _METHOD and one.bases:
            members.add(("", one.name))
    for binding in facts.bindings:
        root, dot, rest = binding.target.partition(".")
        holder = binding.scope
        if holder in full:
            members.add((full[holder], _WORD_END.split(root, maxsplit=1)[0]))
        if dot and root in self_names:
            while holder and holder not in full:
                holder = facts.definitions[holder].parent
            if holder:
                members.add((full[holder], _WORD_END.split(rest, maxsplit=1)[0]))
    based = {name for index, name in full.items() if facts.definitions[index].bases}
    return (
        {part_name(*member) for member in members}
        | {part_name("", name) for _, name in members}
        | {part_name(name, "") for name in based}
    )


def type_names(facts: FileFacts) -> dict[str, list[int]]:
    """The indexes of a file's classes and types by their dotted names."""
    names = [""]
    found: dict[str, list[int]] = defaultdict(list)
    for index, one in enumerate(facts.definitions[1:], start=1):
        holder = names[one.parent] if one.parent < index else ""
        own = one.name.replace("::", ".")
        names.append(f"{holder}.{own}" if holder else own)
        if one.kind in _TYPES:
            found[names[index]].append(index)
    return found


class MemoryProject:
    """A project whose facts are all at hand."""

    def __init__(
        self, facts: Mapping[str, FileFacts], manifests: Mapping[str, bytes] | None = None
    ) -> None:
        self._facts = facts
        self._paths = Paths(facts, manifests)
        self._defining: dict[tuple[str, str], list[str]] = defaultdict(list)
        for path in sorted(facts):
            package = package_of(path, facts[path])
            if package:
                for name in package_names(facts[path]):
                    self._defining[package, name].append(path)

    @property
    def paths(self) -> Paths:
        """All paths of the project."""
        return self._paths

    def facts(self, path: str) -> FileFacts | None:
        """The facts of a file."""
        return self._facts.get(path)

    def defining(self, package: str, name: str) -> Sequence[str]:
        """The files of a package that define a name."""
        return self._defining.get((package, name), ())
