"""What a name means in a package, and in what a file includes."""

from __future__ import annotations

from loremap.code.facts import EVERYWHERE, Import
from loremap.code.project import extension_name
from loremap.code.resolution.classes import Classes
from loremap.code.resolution.declarations import (
    PARTS_MAX,
    Declarations,
    is_generic,
    is_package_object,
)
from loremap.code.resolution.questions import Questions
from loremap.code.resolution.table_cache import TableCache
from loremap.code.resolution.tables import Table
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


class Packages:
    """Looks names up in all files of a package."""

    def __init__(
        self, ask: Questions, tables: TableCache, declared: Declarations, classes: Classes
    ) -> None:
        self._ask = ask
        self._tables = tables
        self._memo = tables.memo
        self._project = tables.project
        self._declared = declared
        self._classes = classes

    def extension(self, table: Table, name: str, values: Values) -> Values:
        """The function `name` that a file sees and that extends the type of one of `values`.

        What nothing is known of may be of any type that is not the project's own; where a file
        imports the function by its name, of any.
        """
        found: Values = ()
        for one in table.imports.get((0, name), ()):
            package, _, own = _full(one).rpartition(".")
            found += self._extending(self._key(table, package), own, values, named=True)
        for package in self._declared.packages_seen(table):
            found = found or self._extending(package, name, values)
        for one in self._declared.stars(table) if not found else ():
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
            other = self._tables.table(path)
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
            above = {at for one in known for at in self._classes.mro(one.path, one.index)}
            if (above & types) or (not types) or (named and not known):
                receiver = known[0][:3] if known else None
                found.append(Value(FUNCTION, table.path, index, "", receiver))
        return found[:1] if table.language.overloads else found

    def _extended(self, table: Table, index: int) -> Values:
        """The types of the project that a function extends; none where that is another's."""
        one = table.facts.definitions[index]
        if one.bases:
            found = self._ask.values(table, 0, one.bases[0])
        else:
            found = self._ask.values(table, index, one.params[0]) if one.params else ()
        return tuple(each for each in found if each.kind in (CLASS, INSTANCE))

    def packaged(self, package: str, name: str) -> Values:
        """What a top-level name means in a package; nothing where files of it disagree."""
        self._memo.looked.append(f"package:{package}")
        found: list[Value] = []
        for path in self._declared.plain_builds(self._project.defining(package, name))[:PARTS_MAX]:
            table = self._tables.table(path)
            if table is not None:
                found += self._ask.local(table, 0, name, 0) or ()
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
            table = self._tables.table(path) if path.endswith(".scala") else None
            if table is None:
                continue
            for at in table.definitions.get((0, last), ()):
                if is_package_object(table, at) and (at, name) in table.definitions:
                    return self._ask.member(Value(CLASS, path, at), name, 0)
        return ()

    def _is_open(self, value: Value) -> bool:
        table = self._tables.table(value.path) if value.kind == CLASS else None
        return table is not None and table.language.open_types

    def of_star(self, table: Table, star: Import, name: str) -> Values:
        """What a name means in a package, or a type, all of which is imported."""
        module = star.module.removesuffix("*").rstrip(".\\:")
        family = table.language.family or table.language.name
        found = self.packaged(f"{family}:{module}", name) or self._of_type(family, module, name)
        if found or not table.language.nested_packages:
            return found
        return self._relative(table, star._replace(module=module), name)

    def _relative(self, table: Table, star: Import, name: str) -> Values:
        """What a name means in an import named from a package around, or from a value in scope."""
        for outer in self._declared.packages_seen(table):
            family, _, around = outer.partition(":")
            module = f"{around}.{star.module}"
            found = around and (
                self.packaged(f"{family}:{module}", name) or self._of_type(family, module, name)
            )
            if found:
                return found
        owners = self._ask.values(table, star.scope, star.module)
        found = union(
            one
            for owner in owners
            if owner.kind in (CLASS, INSTANCE, FUNCTION)
            for one in self._ask.member(owner, name, 0)
        )
        return tuple(one for one in found if one.kind != EXTERNAL)

    def _of_type(self, family: str, module: str, name: str) -> Values:
        """What a name means where all members of a type are imported."""
        package, _, holder = module.rpartition(".")
        if not self._project.defining(f"{family}:{package}", holder):
            self._memo.looked.append(f"package:{family}:{package}")
            return ()
        owners = self.packaged(f"{family}:{package}", holder)
        found = union(one for owner in owners for one in self._ask.member(owner, name, 0))
        return tuple(one for one in found if one.kind != EXTERNAL)

    def included(self, table: Table, name: str) -> Values:
        """What a name means in the files that a file includes, the nearest first."""
        for path in self._declared.reached(table.path):
            other = self._tables.table(path)
            found = self._ask.local(other, 0, name, 0) if other is not None else None
            if found:  # a namespace is all that this file sees of it
                return tuple(
                    Value(MODULE, table.path) if one.kind == MODULE else one for one in found
                )
        return ()

    def _takes_types(self, value: Value) -> bool:
        table = self._tables.table(value.path)
        return table is not None and table.language.arities and is_generic(table, value.index)


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
