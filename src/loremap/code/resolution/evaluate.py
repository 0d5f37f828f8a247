"""What chains mean: finds the definitions, instances and modules that a chain may stand for.

Precision first: what cannot be determined has no value, and what may be more than a few things
has none either. Nothing is found by its name alone, but in languages that write no types a
parameter is taken to be of the type that it is named after.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loremap.code.project import Project
from loremap.code.resolution.chain_parts import parts_of
from loremap.code.resolution.classes import Classes
from loremap.code.resolution.declarations import Declarations
from loremap.code.resolution.members import Members
from loremap.code.resolution.modules import Modules
from loremap.code.resolution.names import Names
from loremap.code.resolution.packages import Packages
from loremap.code.resolution.results import Results
from loremap.code.resolution.table_cache import TableCache
from loremap.code.resolution.tables import Table
from loremap.code.resolution.values import (
    BOX,
    EXTERNAL,
    FUNCTION,
    GENERATOR,
    SUPER,
    SUPER_CALL,
    Value,
    Values,
    is_outside,
    union,
)


class Evaluator:
    """Finds the values of chains, each once.

    Its parts know those before them; what leads further they ask of it, as `Questions`.
    """

    def __init__(self, project: Project) -> None:
        self._tables = tables = TableCache(project)
        self.project, self.memo, self.table = project, tables.memo, tables.table
        self._declared = declared = Declarations(tables)
        results = Results(self, tables, declared)
        self._classes = classes = Classes(self, tables, declared, results)
        self._packages = packages = Packages(self, tables, declared, classes)
        modules = Modules(self, tables, declared, packages)
        members = Members(self, tables, declared, results, classes, packages, modules)
        names = Names(self, tables, declared, classes, packages, modules)
        self.name, self.local, self.in_file = names.name, names.local, names.in_file
        self.member, self.in_module = members.member, modules.in_module
        self.mro, self.bases = classes.mro, classes.bases
        self.element, self.result, self.returned = results.element, results.result, results.returned

    def forget(self, paths: Iterable[str]) -> None:
        """Drops all that was learned, because these files have changed."""
        self._tables.forget(paths)
        self._declared.forget()
        self._classes.forget()

    def values(self, table: Table, scope: int, chain: str, line: int = 0) -> Values:
        """What `chain`, written in `scope` at `line`, may stand for."""
        _, link, root, indexed, members = parts_of(chain)
        if line and scope and line <= table.shadows.get((scope, root), 0):
            scope, line = table.parents[scope], 0
        if line:
            lines = table.several.get((scope, root))
            if not link:
                line = _settled(lines, line) if lines else 0
            elif not lines and not (indexed and table.several):
                line = 0
        if scope and not line:
            scope = table.owner(scope, root)
        if members is not None and not table.language.extension_functions:
            start = self._before(table, scope, root, line)
            if not start:
                return ()
            if len(start) == 1 and is_outside(start[0]):
                return () if indexed else (Value(EXTERNAL, start[0].path + members),)
        return self.seen(table, scope, chain, line)

    def seen(self, table: Table, scope: int, chain: str, line: int) -> Values:
        """The values of a chain, in the scope that stands for all that see the same."""
        path = table.path
        key = (path, scope, chain, line)
        known = self.memo.known.get(key)
        if known is not None and not (known[2] and self.memo.flows and path == self.memo.home):
            if known[1]:
                self.memo.looked += known[1]
            self.memo.asked += known[2]
            return known[0]
        return self.memo.once(key, self._found, table, scope, chain, line)

    def _found(self, table: Table, scope: int, chain: str, line: int) -> Values:
        before, link, _, _, _ = parts_of(chain)
        if not link:
            return self.name(table, scope, chain, line)
        if link == "()":
            return self._called(table, scope, before, line)
        values = self._before(table, scope, before, line)
        extensions = table.language.extension_functions and link[0] == "."
        if not values and not extensions:
            return ()
        path = table.path
        found: list[Value] = []
        for value in values:
            at = line if value.path == path else 0  # a line of this file says nothing of another
            found += (
                self.member(value, link[1:], at)
                if link[0] == "."
                else self.element(value, link, at)
            )
        if extensions and all(one.kind == EXTERNAL for one in found):
            return self._packages.extension(table, link[1:], values) or union(found)
        return union(found)

    def _before(self, table: Table, scope: int, chain: str, line: int) -> Values:
        """The values of a chain without its last link."""
        if line:
            return self.values(table, scope, chain, line)
        return self.seen(table, scope, chain, 0)

    def _called(self, table: Table, scope: int, before: str, line: int) -> Values:
        values = self._before(table, scope, before, line)
        if not values:
            return self._from_container(table, scope, before, line)
        found: list[Value] = []
        for value in runnable(table, values):
            if value.path == SUPER_CALL and value.kind == EXTERNAL:
                holder = table.class_around(scope)
                if holder:
                    found.append(Value(SUPER, table.path, holder))
                continue
            found += self.result(value, (table, scope, before, line))
        return union(found)

    def _from_container(self, table: Table, scope: int, method: str, line: int) -> Values:
        """What a container's own method gives: an element, or the container again."""
        owner, link, _, _, _ = parts_of(method)
        language = table.language
        one = link[1:] in language.element_methods
        if not one and link[1:] not in language.same_methods:
            return ()
        owners = [
            value
            for value in self._before(table, scope, owner, line)
            if value.kind in (BOX, GENERATOR)
        ]
        if not one:
            return union(owners)
        return union(
            each
            for value in owners
            for each in self.element(value, "[]", line if value.path == table.path else 0)
        )


def runnable(table: Table, values: Values) -> Values:
    """Of a member's values those that a call may mean, where fields have names of their own."""
    if len(values) < 2 or not table.language.fields_apart:
        return values
    return tuple(one for one in values if one.kind == FUNCTION) or values


def _settled(lines: Sequence[int], line: int) -> int:
    """The first line at which a name is worth the same as at `line`; 0 before all bindings."""
    return max((one + 1 for one in lines if one < line), default=0)
