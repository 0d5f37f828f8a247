"""What a name means to those who take it from a module, and what an import brings."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.code.facts import Import
from loremap.code.resolution.declarations import Declarations
from loremap.code.resolution.packages import Packages
from loremap.code.resolution.questions import Questions
from loremap.code.resolution.table_cache import TableCache
from loremap.code.resolution.tables import Table
from loremap.code.resolution.values import (
    EXTERNAL,
    FOLDER,
    MODULE,
    PACKAGE,
    Value,
    Values,
    union,
)

_NESTED_MAX = 5
_STAR_DEPTH_MAX = 6
_COMPANION = "Companion"
"""In Kotlin the object whose members are a class's own where it has no other name."""


class Modules:
    """Looks names up in modules."""

    def __init__(
        self, ask: Questions, tables: TableCache, declared: Declarations, packages: Packages
    ) -> None:
        self._ask = ask
        self._tables = tables
        self._memo = tables.memo
        self._project = tables.project
        self._declared = declared
        self._packages = packages

    def in_module(self, path: str, name: str, depth: int = 0) -> Values:
        """What a name means to those who take it from a file."""
        self._memo.looked.append(path)
        return self._memo.once((path, -1, name, 0), self._in_module, path, name, depth)

    def _in_module(self, path: str, name: str, depth: int) -> Values:
        table = self._tables.table(path)
        if table is None:
            return ()
        found = self._ask.local(table, 0, name, 0)
        if found:
            return found
        if table.language.imports == "include":
            return self._packages.included(table, name)
        for star in table.stars:
            inner = self.from_star(table, star, name, depth)
            if inner:
                return inner
        if table.language.imports == "script":
            return self._common(table, name)
        if path.endswith("__init__.py"):
            return self.submodule(path.removesuffix("__init__.py").rstrip("/"), name)
        return ()

    def from_star(self, table: Table, star: Import, name: str, depth: int) -> Values:
        """What a name means in what `import *` brings."""
        if depth > _STAR_DEPTH_MAX:
            return ()
        if table.language.imports == "declared":
            return self._packages.of_star(table, star, name)
        path = self._project.paths.target(table.path, table.language.name, star.module, star.item)
        if path is None:
            brought = star._replace(item=name)
            return self.from_name(table, brought) if "::" in star.module else ()
        return self.in_module(path, name, depth + 1)

    def _common(self, table: Table, name: str) -> Values:
        """What a CommonJS module offers under a name."""
        if name == "default":
            return self._bound_to(table, "module.exports")
        found = self._bound_to(table, f"exports.{name}")
        if found:
            return found
        found = self._bound_to(table, f"module.exports.{name}")
        if found:
            return found
        return union(
            one
            for value in self._bound_to(table, "module.exports")
            for one in self._ask.member(value, name)
        )

    def _bound_to(self, table: Table, target: str) -> Values:
        found: list[Value] = []
        for binding in table.bindings.get((0, target), ()):
            if binding.value:
                found += self._ask.values(table, 0, binding.value)
        return union(found)

    def submodule(self, place: str, name: str) -> Values:
        """The module, or folder of modules, below a Python package."""
        below = self._project.paths.python.submodule(place, name)
        if below is None:
            return ()
        return (Value(MODULE if below in self._project.paths.files else FOLDER, below),)

    def imported(self, table: Table, brought: Import) -> Values:
        """What an import binds its name to."""
        strategy = table.language.imports
        if strategy == "python":
            return self._imported_python(table, brought)
        if strategy == "declared":
            return self._imported_declared(table, brought)
        path = self._project.paths.target(
            table.path, table.language.name, brought.module, brought.item
        )
        if path is None:
            found = self.from_name(table, brought) if strategy == "rust" else ()
            return found or (Value(EXTERNAL, _external(brought.module, brought.item)),)
        if strategy == "go":
            return (Value(PACKAGE, f"go:{path}"),)
        if strategy == "rust":
            last = brought.item or brought.module.split("::")[-1]
            return self.in_module(path, last) or (
                (Value(MODULE, path),) if _stem(path) == last else ()
            )
        if not brought.item:
            return (Value(MODULE, path),)
        return self.in_module(path, brought.item)

    def from_name(self, table: Table, brought: Import) -> Values:
        """What a path means that starts with a name which the file brings in elsewhere."""
        first, *rest = brought.module.removeprefix("self::").split("::")
        if not rest and not brought.item:
            return ()
        found = self._ask.values(table, brought.scope, first)
        for name in [*rest, *([brought.item] if brought.item else [])]:
            found = union(one for owner in found for one in self._ask.member(owner, name, 0))
        return tuple(one for one in found if one.kind != EXTERNAL)

    def _imported_declared(self, table: Table, brought: Import) -> Values:
        family = table.language.family or table.language.name
        module = brought.module.replace("\\", ".").replace("::", ".").strip(".")
        if brought.item:
            module = f"{module}.{brought.item}"
        package, _, name = module.rpartition(".")
        found = self._packages.packaged(f"{family}:{package}", name)
        if not found and "." in package:
            found = self._nested(family, module.split("."))
        if not found and table.language.nested_packages:
            found = self._relative(table, module)
        # PHP's `use` may name a namespace, whose members then follow.
        whose = family if "\\" in table.language.separators else ""
        return found or (Value(EXTERNAL, module, 0, whose),)

    def _relative(self, table: Table, module: str) -> Values:
        """What an import brings that is named from one of the packages around."""
        for outer in self._declared.packages_seen(table):
            family, _, around = outer.partition(":")
            found = self._nested(family, [*around.split("."), *module.split(".")]) if around else ()
            if found:
                return found
        return ()

    def _nested(self, family: str, parts: Sequence[str]) -> Values:
        """What a dotted name means that goes on below a type of a package."""
        for at in range(len(parts) - 1, max(0, len(parts) - _NESTED_MAX), -1):
            found = self._packages.packaged(f"{family}:{'.'.join(parts[:at])}", parts[at])
            for name in parts[at + 1 :] if found else ():
                if name != _COMPANION:
                    found = union(
                        one for owner in found for one in self._ask.member(owner, name, 0)
                    )
            if found:
                return found
        return ()

    def _imported_python(self, table: Table, brought: Import) -> Values:
        modules = self._project.paths.python
        module = brought.module
        if not brought.item and not brought.alias:
            module = module.partition(".")[0]
        place = modules.place(table.path, module)
        if place is None:
            if module.startswith("."):
                return ()
            return (Value(EXTERNAL, _external(module, brought.item)),)
        path = modules.file(place)
        if not brought.item:
            return (Value(MODULE, path) if path else Value(FOLDER, place),)
        if path is None:
            return self.submodule(place, brought.item)
        return self.in_module(path, brought.item) or self.submodule(place, brought.item)


def _external(module: str, item: str) -> str:
    return f"{module}.{item}" if item and item != "*" else module


def _stem(path: str) -> str:
    name = path.rpartition("/")[2].partition(".")[0]
    return path.split("/")[-2] if name == "mod" and "/" in path else name
