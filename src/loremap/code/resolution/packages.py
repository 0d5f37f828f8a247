"""What a file sees without an import: its package, what it includes, other parts of a type."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from loremap.code.builds import OTHER_BUILD, is_for_elsewhere
from loremap.code.facts import EVERYWHERE, Import
from loremap.code.project import extension_name, part_name, type_names
from loremap.code.resolution.tables import FUNCTION_KINDS, Table
from loremap.code.resolution.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MODULE,
    Value,
    Values,
    union,
)

if TYPE_CHECKING:
    from loremap.code.resolution.evaluate import Evaluator


_DECLARED_NAME = re.compile(r"\b(?:class|struct|interface|record|delegate [\w<>]+)\s+(\w+)\s*<")
_STAR_DEPTH_MAX = 6
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


class Packages:
    """Looks names up in all files of a package."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._memo = evaluator.memo
        self._project = evaluator.project
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
            other = self._evaluator.table(path)
            if other is not None and self._project.paths.sharp.folder(path) == folder:
                found += [one for one in other.stars if one.item == EVERYWHERE]
        return list(dict.fromkeys(found))

    def extension(self, table: Table, name: str, values: Values) -> Values:
        """The function `name` that a file sees and that extends the type of one of `values`.

        What nothing is known of may be of any type that is not the project's own; where a file
        imports the function by its name, of any.
        """
        found: Values = ()
        for one in table.imports.get((0, name), ()):
            package, _, own = _full(one).rpartition(".")
            found += self._extending(self._key(table, package), own, values, named=True)
        for package in self.packages_seen(table):
            found = found or self._extending(package, name, values)
        for one in self.stars(table) if not found else ():
            package = _full(one)
            found += self._extending(self._key(table, package), name, values)
            if table.language.implicit_classes and not found:
                package, _, within = package.rpartition(".")
                found += self._extending(self._key(table, package), name, values, within=within)
        return found if len({one.path for one in found}) == 1 else ()

    def _key(self, table: Table, package: str) -> str:
        return f"{table.language.family or table.language.name}:{package}"

    def _extending(
        self, package: str, name: str, values: Values, *, named: bool = False, within: str = ""
    ) -> Values:
        """The functions `name` of a package that extend the type of one of `values`.

        Those of a class are seen in its package, or where all of the object `within` is imported.
        """
        found: list[Value] = []
        self._memo.looked.append(f"package:{package}")
        for path in self._project.defining(package, extension_name(name)):
            other = self._evaluator.table(path)
            if other is not None:
                fitting = self._fitting(other, name, values, named=named)
                found += [one for one in fitting if _held_by(other, one.index) == within]
        return tuple(dict.fromkeys(found))

    def _fitting(self, table: Table, name: str, values: Values, *, named: bool) -> list[Value]:
        """Of a file's functions that extend types, those that extend one of `values`."""
        found: list[Value] = []
        for index in table.extending.get(name, ()):
            types = {one[1:3] for one in self._extended(table, index)}
            known = [one for one in values if one.kind == INSTANCE]
            above = {at for one in known for at in self._evaluator.mro(one.path, one.index)}
            if (above & types) or (not types) or (named and not known):
                receiver = known[0][:3] if known else None
                found.append(Value(FUNCTION, table.path, index, "", receiver))
        return found[:1] if table.language.overloads else found

    def _extended(self, table: Table, index: int) -> Values:
        """The types of the project that a function extends; none where that is another's."""
        one = table.facts.definitions[index]
        if one.bases:
            found = self._evaluator.values(table, 0, one.bases[0])
        else:
            found = self._evaluator.values(table, index, one.params[0]) if one.params else ()
        return tuple(each for each in found if each.kind in (CLASS, INSTANCE))

    def packaged(self, package: str, name: str) -> Values:
        """What a top-level name means in a package; nothing where files of it disagree."""
        self._memo.looked.append(f"package:{package}")
        found: list[Value] = []
        for path in self.plain_builds(self._project.defining(package, name))[:PARTS_MAX]:
            table = self._evaluator.table(path)
            if table is not None:
                found += self._evaluator.local(table, 0, name, 0) or ()
        if not found:
            return self._of_package_object(package, name)
        if len(found) > 1 and all(self._is_open(one) for one in found):
            plain = [one for one in found if not self._takes_types(one)]
            return tuple((plain or found)[:1])  # parts of one type
        return union(found) if len({one.path for one in found}) == 1 else ()

    def _of_package_object(self, package: str, name: str) -> Values:
        """A member of the object that a package is written as in part (Scala)."""
        outer, dot, last = package.rpartition(".")
        for path in self._project.defining(outer, last) if dot else ():
            table = self._evaluator.table(path) if path.endswith(".scala") else None
            if table is None:
                continue
            for at in table.definitions.get((0, last), ()):
                if is_package_object(table, at) and (at, name) in table.definitions:
                    return self._evaluator.member(Value(CLASS, path, at), name, 0)
        return ()

    def plain_builds(self, paths: Sequence[str]) -> Sequence[str]:
        """Of several files that define a name those that a plain build takes."""
        if len(paths) < 2 or not paths[0].endswith(".go"):
            return paths
        kept: list[str] = []
        for path in paths:
            table = self._evaluator.table(path)
            if table is None or is_for_elsewhere(path):
                continue
            if not table.facts.package.endswith(OTHER_BUILD):
                kept.append(path)
        return kept

    def _is_open(self, value: Value) -> bool:
        table = self._evaluator.table(value.path) if value.kind == CLASS else None
        return table is not None and table.language.open_types

    def from_star(self, table: Table, star: Import, name: str, depth: int) -> Values:
        """What a name means in what `import *` brings."""
        if depth > _STAR_DEPTH_MAX:
            return ()
        if table.language.imports == "declared":
            module = star.module.removesuffix("*").rstrip(".\\:")
            family = table.language.family or table.language.name
            found = self.packaged(f"{family}:{module}", name) or self._of_type(family, module, name)
            if found or not table.language.nested_packages:
                return found
            return self._relative(table, star._replace(module=module), name)
        path = self._project.paths.target(table.path, table.language.name, star.module, star.item)
        if path is None:
            brought = star._replace(item=name)
            return self._evaluator.from_name(table, brought) if "::" in star.module else ()
        return self._evaluator.in_module(path, name, depth + 1)

    def _relative(self, table: Table, star: Import, name: str) -> Values:
        """What a name means in an import named from a package around, or from a value in scope."""
        for outer in self.packages_seen(table):
            family, _, around = outer.partition(":")
            module = f"{around}.{star.module}"
            found = around and (
                self.packaged(f"{family}:{module}", name) or self._of_type(family, module, name)
            )
            if found:
                return found
        owners = self._evaluator.values(table, star.scope, star.module)
        found = union(
            one
            for owner in owners
            if owner.kind in (CLASS, INSTANCE, FUNCTION)
            for one in self._evaluator.member(owner, name, 0)
        )
        return tuple(one for one in found if one.kind != EXTERNAL)

    def _of_type(self, family: str, module: str, name: str) -> Values:
        """What a name means where all members of a type are imported."""
        package, _, holder = module.rpartition(".")
        if not self._project.defining(f"{family}:{package}", holder):
            self._memo.looked.append(f"package:{family}:{package}")
            return ()
        owners = self.packaged(f"{family}:{package}", holder)
        found = union(one for owner in owners for one in self._evaluator.member(owner, name, 0))
        return tuple(one for one in found if one.kind != EXTERNAL)

    def included(self, table: Table, name: str) -> Values:
        """What a name means in the files that a file includes, the nearest first."""
        for path in self._reached(table.path):
            other = self._evaluator.table(path)
            found = self._evaluator.local(other, 0, name, 0) if other is not None else None
            if found:  # a namespace is all that this file sees of it
                return tuple(
                    Value(MODULE, table.path) if one.kind == MODULE else one for one in found
                )
        return ()

    def _reached(self, path: str) -> Sequence[str]:
        """The files that a file includes, and those that they do."""
        known = self._reaches.get(path)
        if known is not None:
            return known
        found: dict[str, None] = {}
        waiting = [path]
        for one in waiting:
            table = self._evaluator.table(one)
            if table is None or len(found) >= _REACHED_MAX:
                continue
            for star in table.stars:
                target = self._project.paths.target(one, table.language.name, star.module)
                if target is not None and target not in found and target != path:
                    found[target] = None
                    waiting.append(target)
        self._reaches[path] = tuple(found)
        return self._reaches[path]

    def other_parts(self, table: Table, index: int, member: str = "") -> list[tuple[Table, int]]:
        """Where other files, or this one, write `member` of an open type, or else bases of it."""
        package = table.package
        full = self.full_name(table, index)
        self._memo.looked.append(f"package:{package}")
        found: list[tuple[Table, int]] = []
        for path in self._project.defining(package, part_name(full, member))[:PARTS_MAX]:
            other = self._evaluator.table(path)
            if other is not None:
                parts = self.types_of(other).get(full, ())
                found += [(other, at) for at in parts if (path, at) != (table.path, index)]
        if table.language.arities and len(found) > 0:
            generic = is_generic(table, index)
            return [one for one in found if is_generic(*one) == generic]
        return found

    def with_types(self, value: Value, *, given: bool = True) -> Value:
        """The type of the same name that takes parameters, or else takes none; itself if none."""
        table = self._evaluator.table(value.path)
        if table is None or not table.language.arities:
            return value
        if is_generic(table, value.index) == given:
            return value
        package = table.package
        full = self.full_name(table, value.index)
        self._memo.looked.append(f"package:{package}")
        for path in self._project.defining(package, full)[:PARTS_MAX]:
            other = self._evaluator.table(path)
            for at in self.types_of(other).get(full, ()) if other is not None else ():
                if other is not None and is_generic(other, at) == given:
                    return value._replace(path=path, index=at)
        return value

    def _takes_types(self, value: Value) -> bool:
        table = self._evaluator.table(value.path)
        return table is not None and table.language.arities and is_generic(table, value.index)

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


def _held_by(table: Table, index: int) -> str:
    """The object that holds the implicit class of a function; empty where a package does."""
    if not table.language.implicit_classes:
        return ""
    holder = table.parents[table.parents[index]]
    return "" if is_package_object(table, holder) else table.facts.definitions[holder].name


def _full(brought: Import) -> str:
    """The dotted name that an import brings, or whose members it brings."""
    module = brought.module.replace("::", ".").replace("\\", ".").removesuffix("*").strip(".")
    plain = not brought.item or brought.item in ("*", EVERYWHERE)
    return module if plain else f"{module}.{brought.item}"
