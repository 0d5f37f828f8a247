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
from loremap.code.resolution.members import Members
from loremap.code.resolution.memo import Memo
from loremap.code.resolution.modules import Modules
from loremap.code.resolution.names import Names
from loremap.code.resolution.packages import Packages
from loremap.code.resolution.results import Results
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

LINES_HELD = 220_000
"""After how many lines of files the names of those not asked for since are let go."""


class Evaluator:
    """Finds the values of chains, each once.

    Its parts ask each other over it: a name may be an import, whose module binds it to a call,
    whose result is a member.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.memo = Memo()
        self._tables: dict[str, Table | None] = {}
        self._older_tables: dict[str, Table | None] = {}
        self._lines = 0
        names, self._packages, modules = Names(self), Packages(self), Modules(self)
        self._classes, members, results = Classes(self), Members(self), Results(self)
        self.name, self.local, self.owners = names.name, names.local, names.owners
        self.with_types = self._packages.with_types
        self.macro, self.in_file = names.macro, names.in_file
        self.packages_seen, self.packaged = self._packages.packages_seen, self._packages.packaged
        self.plain_builds, self.included = self._packages.plain_builds, self._packages.included
        self.from_star, self.types_of = self._packages.from_star, self._packages.types_of
        self.other_parts, self.full_name = self._packages.other_parts, self._packages.full_name
        self.may_have, self.stars = self._packages.may_have, self._packages.stars
        self.in_module, self.imported = modules.in_module, modules.imported
        self.submodule, self.from_name = modules.submodule, modules.from_name
        self.definition, self.mro = self._classes.definition, self._classes.mro
        self.bases = self._classes.bases
        self.member, self.is_bare = members.member, members.is_bare
        self.element, self.result = results.element, results.result
        self.returned, self.inside = results.returned, results.inside

    def table(self, path: str) -> Table | None:
        """The names of a file."""
        self.memo.looked.append(path)
        try:
            return self._tables[path]
        except KeyError:
            return self._held(path)

    def _held(self, path: str) -> Table | None:
        """The names of a file that were not asked for of late; the longest unasked ones are let go.

        Which files are held changes no answer.
        """
        if path in self._older_tables:
            table = self._older_tables.pop(path)
        else:
            facts = self.project.facts(path)
            table = Table(path, facts) if facts is not None else None
        self._lines += table.facts.lines if table is not None else 0
        if self._lines > LINES_HELD:
            self._older_tables, self._tables, self._lines = self._tables, {}, 0
        self._tables[path] = table
        return table

    def forget(self, paths: Iterable[str]) -> None:
        """Drops all that was learned, because these files have changed."""
        for path in paths:
            self._tables.pop(path, None)
            self._older_tables.pop(path, None)
        self._packages.forget()
        self._classes.forget()
        self.memo.forget()

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
