"""What files declare, told without evaluating a chain: packages, parts of types, includes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loremap.code.builds import OTHER_BUILD, is_for_elsewhere
from loremap.code.facts import EVERYWHERE, Import
from loremap.code.project import part_name, type_names
from loremap.code.resolution.table_cache import TableCache
from loremap.code.resolution.tables import FUNCTION_KINDS, Table
from loremap.code.resolution.values import FUNCTION, Value, Values

_DECLARED_NAME = re.compile(r"\b(?:class|struct|interface|record|delegate [\w<>]+)\s+(\w+)\s*<")
PARTS_MAX = 40
"""In how many files a name, or a part of an open type, is looked for: what more files define is
reopened in all of them, as the outermost module of a Ruby project, or means too many things."""
_REACHED_MAX = 2_000
"""How many files, the nearest first, a file is taken to include."""


def is_generic(table: Table, index: int) -> bool:
    """Whether a type takes parameters."""
    one = table.facts.definitions[index]
    declared = _DECLARED_NAME.search(one.signature)
    return declared is not None and declared[1] == one.name


def is_package_object(table: Table, index: int) -> bool:
    """Whether an object holds members of the package of its name."""
    return table.facts.definitions[index].signature.startswith("package object")


class Declarations:
    """Looks up what the files of a project declare, each file's once."""

    def __init__(self, tables: TableCache) -> None:
        self._tables = tables
        self._memo = tables.memo
        self._project = tables.project
        self._types: dict[str, dict[str, list[int]]] = {}
        self._reaches: dict[str, Sequence[str]] = {}
        self._full_names: dict[tuple[str, int], str] = {}
        self._shared: dict[str, list[Import]] = {}

    def forget(self) -> None:
        """Drops what was learned of files."""
        self._types.clear()
        self._full_names.clear()
        self._reaches.clear()
        self._shared.clear()

    def packages_seen(self, table: Table) -> list[str]:
        """The packages whose names a file sees without an import, nearest first."""
        package = table.package
        if not package or table.language.package == "linked":
            return []
        if table.language.imports == "source" and not self._is_open_ended(table):
            return []
        found = [package]
        if table.language.outer_packages:
            family, _, named = package.partition(":")
            while named:
                named = named.rpartition(".")[0]
                found.append(f"{family}:{named}")
        return found

    def _is_open_ended(self, table: Table) -> bool:
        """Whether a script takes functions from where nobody can tell: it sources what only a run
        knows, or sources nothing, defines functions and may itself be sourced."""
        target = self._project.paths.target
        unknown = any(target(table.path, "bash", one.module) is None for one in table.stars)
        library = not table.stars and any(kind in FUNCTION_KINDS for kind in table.kinds)
        return unknown or library

    def stars(self, table: Table) -> Sequence[Import]:
        """The imports that bring all of something: the file's own, and its project's."""
        if not table.language.shared_imports:
            return table.stars
        folder = self._project.paths.sharp.folder(table.path)
        shared = self._shared.get(folder)
        if shared is None:
            shared = self._shared[folder] = self._everywhere(table, folder)
        return [*table.stars, *shared]

    def _everywhere(self, table: Table, folder: str) -> list[Import]:
        """What is imported for every file of a project."""
        used = self._project.paths.sharp.used(table.path)
        found = [Import(0, name, "*", "", 0) for name in used]
        for path in self._project.defining(f"{table.language.name}:", EVERYWHERE):
            other = self._tables.table(path)
            if other is not None and self._project.paths.sharp.folder(path) == folder:
                found += [one for one in other.stars if one.item == EVERYWHERE]
        return list(dict.fromkeys(found))

    def plain_builds(self, paths: Sequence[str]) -> Sequence[str]:
        """Of several files that define a name those that a plain build takes."""
        if len(paths) < 2 or not paths[0].endswith(".go"):
            return paths
        kept: list[str] = []
        for path in paths:
            table = self._tables.table(path)
            if table is None or is_for_elsewhere(path):
                continue
            if not table.facts.package.endswith(OTHER_BUILD):
                kept.append(path)
        return kept

    def reached(self, path: str) -> Sequence[str]:
        """The files that a file includes, and those that they do."""
        known = self._reaches.get(path)
        if known is not None:
            return known
        found: dict[str, None] = {}
        waiting = [path]
        for one in waiting:
            table = self._tables.table(one)
            if table is None or len(found) >= _REACHED_MAX:
                continue
            for star in table.stars:
                target = self._project.paths.target(one, table.language.name, star.module)
                if target is not None and target not in found and target != path:
                    found[target] = None
                    waiting.append(target)
        self._reaches[path] = tuple(found)
        return self._reaches[path]

    def macro(self, name: str) -> Values:
        """The macro of that name, where one file alone of the project defines it."""
        package = "rust:"
        self._memo.looked.append(f"package:{package}")
        found = [
            Value(FUNCTION, path, at)
            for path in self._project.defining(package, name)
            if (other := self._tables.table(path)) is not None
            for at in other.definitions.get((0, name), ())
            if other.facts.definitions[at].signature.startswith("macro_rules!")
        ]
        return tuple(found[:1]) if len({one.path for one in found}) == 1 else ()

    def other_parts(self, table: Table, index: int, member: str = "") -> list[tuple[Table, int]]:
        """Where other files, or this one, write `member` of an open type, or else bases of it."""
        package = table.package
        full = self.full_name(table, index)
        self._memo.looked.append(f"package:{package}")
        found: list[tuple[Table, int]] = []
        for path in self._project.defining(package, part_name(full, member))[:PARTS_MAX]:
            other = self._tables.table(path)
            if other is not None:
                parts = self.types_of(other).get(full, ())
                found += [(other, at) for at in parts if (path, at) != (table.path, index)]
        if table.language.arities and len(found) > 0:
            generic = is_generic(table, index)
            return [one for one in found if is_generic(*one) == generic]
        return found

    def with_types(self, value: Value, *, given: bool = True) -> Value:
        """The type of the same name that takes parameters, or else takes none; itself if none."""
        table = self._tables.table(value.path)
        if table is None or not table.language.arities:
            return value
        if is_generic(table, value.index) == given:
            return value
        package = table.package
        full = self.full_name(table, value.index)
        self._memo.looked.append(f"package:{package}")
        for path in self._project.defining(package, full)[:PARTS_MAX]:
            other = self._tables.table(path)
            for at in self.types_of(other).get(full, ()) if other is not None else ():
                if other is not None and is_generic(other, at) == given:
                    return value._replace(path=path, index=at)
        return value

    def types_of(self, table: Table) -> dict[str, list[int]]:
        """The classes and types of a file by their dotted names."""
        found = self._types.get(table.path)
        if found is None:
            found = self._types[table.path] = type_names(table.facts)
        return found

    def full_name(self, table: Table, index: int) -> str:
        """The dotted name of a definition."""
        key = (table.path, index)
        found = self._full_names.get(key)
        if found is None:
            names: list[str] = []
            while index:
                names.append(table.facts.definitions[index].name.replace("::", "."))
                index = table.parents[index]
            found = self._full_names[key] = ".".join(reversed(names))
        return found

    def may_have(self, table: Table, name: str) -> bool:
        """Whether a type that `table` holds a part of may have a member `name` of its own."""
        if not table.language.open_types:
            return True
        package = table.package
        if self._project.defining(package, part_name("", name)):
            return True
        self._memo.looked.append(f"package:{package}")
        return False
