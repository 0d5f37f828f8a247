"""What a member of a value may be."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.code.resolution.classes import Classes
from loremap.code.resolution.declarations import PARTS_MAX, Declarations, is_package_object
from loremap.code.resolution.modules import Modules
from loremap.code.resolution.packages import Packages
from loremap.code.resolution.questions import Questions
from loremap.code.resolution.results import Results
from loremap.code.resolution.table_cache import TableCache
from loremap.code.resolution.tables import CLASS_KINDS, FUNCTION_KINDS, Table
from loremap.code.resolution.values import (
    BOX,
    CLASS,
    EXTERNAL,
    FOLDER,
    FUNCTION,
    INSTANCE,
    MODULE,
    PACKAGE,
    SUPER,
    Value,
    Values,
    is_property,
    union,
)


class Members:
    """Looks members up: of objects and classes, modules, packages, containers."""

    def __init__(
        self,
        ask: Questions,
        tables: TableCache,
        declared: Declarations,
        results: Results,
        classes: Classes,
        packages: Packages,
        modules: Modules,
    ) -> None:
        self._ask = ask
        self._tables = tables
        self._memo = tables.memo
        self._project = tables.project
        self._declared = declared
        self._results = results
        self._classes = classes
        self._packages = packages
        self._modules = modules

    def member(self, value: Value, name: str, line: int = 0) -> Values:
        """What the member `name` of a value may be."""
        kind = value.kind
        if name[:1] == "!":
            macros = self._declared.macro(name[1:])
            return tuple(one._replace(receiver=value[:3]) for one in macros)
        if kind in (INSTANCE, CLASS):
            return self._class_member(value, name)
        if kind == MODULE:
            return self._modules.in_module(value.path, name)
        if kind == EXTERNAL:
            found = (
                self._packages.packaged(f"{value.place}:{value.path}", name) if value.place else ()
            )
            return found or (Value(EXTERNAL, f"{value.path}.{name}"),)
        if kind == BOX:
            return self._results.inside(value, f".{name}", line)
        if kind == PACKAGE:
            return self._package_member(value, name)
        if kind == FOLDER:
            return self._modules.submodule(value.path, name)
        if kind == FUNCTION and self._results.is_bare(value):
            return self._bare_member(value, name, line)
        if kind == SUPER:
            line_up = self._classes.mro(value.path, value.index)[1:]
            receiver = Value(INSTANCE, value.path, value.index)
            return self._looked_up(line_up, receiver, name)
        return ()

    def _package_member(self, value: Value, name: str) -> Values:
        """A name of a package, or a package in it; of open types also `Outer::Inner`."""
        found = self._packages.packaged(value.path, name)
        if found and not any(self._is_package_too(one) for one in found):
            return found
        if value.path.startswith("go:"):
            return found
        family, _, prefix = value.path.partition(":")
        full = f"{prefix}.{name}"
        for path in self._project.defining(f"{family}:", full):
            table = self._tables.table(path)
            for at in self._declared.types_of(table).get(full, ()) if table is not None else ():
                return (Value(CLASS, path, at),)
        further = name[:1].islower() or family == "php"
        return (Value(PACKAGE, f"{value.path}.{name}"),) if further else ()

    def _is_package_too(self, value: Value) -> bool:
        table = self._tables.table(value.path) if value.kind == CLASS else None
        return table is not None and is_package_object(table, value.index)

    def _bare_member(self, value: Value, name: str, line: int) -> Values:
        """The member of what a function gives that is called without brackets."""
        key = (value.path, value.index, f"<bare>{value.receiver}.{name}", line)
        return self._memo.once(key, self._given_member, value, name, line)

    def _given_member(self, value: Value, name: str, line: int) -> Values:
        made = self._results.result(value, None)
        return union(
            one
            for each in made
            for one in self.member(each, name, line if each.path == value.path else 0)
        )

    def _class_member(self, value: Value, name: str) -> Values:
        path, index = value.path, value.index
        self._memo.looked.append(path)
        return self._memo.once(
            (path, index, f"<{value.kind}>.{name}", 0), self._inherited, value, name
        )

    def _inherited(self, value: Value, name: str) -> Values:
        return self._looked_up(self._classes.mro(value.path, value.index), value, name)

    def _looked_up(self, line_up: Sequence[tuple[str, int]], value: Value, name: str) -> Values:
        for path, index in line_up:
            table = self._tables.table(path)
            if table is None:
                continue
            if self._declared.may_have(table, name):
                found = self._own_member(table, index, value, name)
                if found is not None:
                    return found
            if name == table.language.maker:
                return (Value(CLASS, value.path, value.index),)
        return self._outside_member(line_up, name)

    def _outside_member(self, line_up: Sequence[tuple[str, int]], name: str) -> Values:
        """The member of a base outside the project, where there is just one such base."""
        found: set[Value] = set()
        for path, index in line_up:
            table = self._tables.table(path)
            if table is None:
                continue
            for chain in table.facts.definitions[index].bases:
                for one in self._ask.values(table, table.parents[index], chain.removesuffix("()")):
                    if one.kind == EXTERNAL:
                        found.add(one)
        if len(found) == 1:
            return (Value(EXTERNAL, f"{found.pop().path}.{name}"),)
        return ()

    def _own_member(
        self, table: Table, index: int, value: Value, name: str, *, alone: bool = False
    ) -> Values | None:
        """What a class itself, without its bases, says of a member; None where nothing.

        With `alone` nothing outside this part of it is asked.
        """
        key = (index, name)
        defined = table.definitions.get(key)
        found: list[Value] = []
        known = False
        if defined:
            found += [one for at in table.apart(defined) for one in self._bound(table, at, value)]
            known = True
        if defined and not table.language.fields_apart:
            return union(found)
        for binding in table.bindings.get(key, ()):
            known = True
            if binding.value:
                line = table.shadows.get(key, 0)
                found += self._ask.values(table, index, binding.value, line)
        if key in table.boxes:
            known = True
            found.append(Value(BOX, table.path, index, name))
        for binding in table.attributes.get(key, ()):
            known = True
            if binding.value and binding.target.endswith("." + name):
                found += self._ask.values(table, binding.scope, binding.value, binding.line)
            elif binding.value:
                root = binding.target.partition(".")[0]
                found.append(Value(BOX, table.path, binding.scope, f"{root}.{name}"))
        if known or key in table.variables:
            return union(found)
        if table.language.embeds:
            for base in self._classes.bases(table.path, index):
                holder = self._tables.table(base.path)
                if holder is not None and holder.facts.definitions[base.index].name == name:
                    return (Value(INSTANCE, base.path, base.index),)
        if alone:
            return None
        outside = self._outside_method(table, index, value, name)
        if outside is None and table.language.open_types:
            return self._elsewhere(table, index, value, name)
        return outside

    def _elsewhere(self, table: Table, index: int, value: Value, name: str) -> Values | None:
        """What the other parts of an open type say of a member."""
        found: list[Value] = []
        for other, at in self._declared.other_parts(table, index, name):
            found += self._own_member(other, at, value, name, alone=True) or ()
        if not found:
            package = table.package
            full = f"{self._declared.full_name(table, index)}.{name}"
            for path in self._project.defining(package, full):
                inner = self._tables.table(path)
                parts = self._declared.types_of(inner).get(full, ()) if inner is not None else ()
                found += [Value(CLASS, path, at) for at in parts]
        if found and all(one.kind == CLASS for one in found):
            return tuple(found[:1])
        return union(found) if found else None

    def _outside_method(self, table: Table, index: int, value: Value, name: str) -> Values | None:
        """A method written outside its type, in another file of the package."""
        package = table.package
        if not package or table.kinds[index] not in CLASS_KINDS:
            return None
        full = f"{table.facts.definitions[index].name}.{name}"
        self._memo.looked.append(f"package:{package}")
        found: list[Value] = []
        for path in self._declared.plain_builds(self._project.defining(package, full))[:PARTS_MAX]:
            other = self._tables.table(path)
            if other is None:
                continue
            for at in other.outside.get(name, ()):
                one = other.facts.definitions[at]
                if one.bases[:1] != [table.facts.definitions[index].name]:
                    continue
                if table.language.package != "linked" or any(
                    owner[1:3] == (table.path, index) for owner in self._classes.owners(other, at)
                ):
                    found.append(Value(FUNCTION, path, at, "", value[:3]))
        return union(found) if found else None

    def _bound(self, table: Table, index: int, value: Value) -> Values:
        """A member that is a definition, taken from `value`."""
        if table.kinds[index] not in FUNCTION_KINDS:
            return self._classes.definition(table, index)
        one = table.facts.definitions[index]
        if one.decorators and value.kind == INSTANCE and is_property(table, index):
            return self._results.returned(Value(FUNCTION, table.path, index, "", value[:3]), [])
        receiver = value[:3] if value.kind == INSTANCE or "classmethod" in one.decorators else None
        values = self._classes.definition(table, index)
        return tuple(
            each._replace(receiver=receiver) if each.kind == FUNCTION else each for each in values
        )
