"""Where the names that a file reads are defined, variables among them."""

from __future__ import annotations

from collections.abc import Iterator

from loremap.code.facts import FileFacts
from loremap.code.resolution.chain_parts import parts_of
from loremap.code.resolution.evaluate import Evaluator
from loremap.code.resolution.roots import Roots
from loremap.code.resolution.tables import CLASS_KINDS, Table
from loremap.code.resolution.values import CLASS, FUNCTION, INSTANCE, MODULE, UNION_MAX, Value

Place = tuple[str, int]
"""A path and the index of a definition in it."""


def reads(facts: FileFacts) -> Iterator[tuple[int, str, int]]:
    """Every chain that is read, with its scope and line."""
    yield from facts.references
    for scope, target, line, arguments, _, _ in facts.calls:
        for _, chain in arguments:
            yield scope, chain, line
        before, link, _, _, _ = parts_of(target)
        if link:
            yield scope, before, line
    for scope, _, value, line, _ in facts.bindings:
        if value:
            yield scope, value, line


class Places:
    """Looks up the places of one file's names."""

    def __init__(self, evaluator: Evaluator, table: Table, roots: Roots) -> None:
        self._project = evaluator.project
        self._evaluator = evaluator
        self._table = table
        self._roots = roots
        self._brought: dict[tuple[int, str], list[Place]] = {}

    def of(self, scope: int, chain: str, line: int) -> list[Place]:
        """The definitions, variables among them, that a name or member is."""
        before, link, _, _, _ = parts_of(chain)
        if not link:
            return self._named_places(scope, chain) or self._implied_places(scope, chain, line)
        if link[0] != ".":
            return []
        found: list[Place] = []
        for value in self._roots.values(scope, before, line):
            found += self._member_places(value, link[1:])
        return found if len(found) <= UNION_MAX else []

    def _implied_places(self, scope: int, name: str, line: int) -> list[Place]:
        """The methods that a bare name means where `self` need not be written."""
        if not self._table.language.implicit_self or (scope, name) in self._table.bindings:
            return []
        values = self._evaluator.values(self._table, scope, name, line)
        return [(one.path, one.index) for one in values if one.kind == FUNCTION]

    def _named_places(self, scope: int, name: str) -> list[Place]:
        table = self._table
        if not table.binds(name):
            return []
        at = scope
        while True:
            if table.kinds[at] not in CLASS_KINDS or at == scope:
                key = (at, name)
                one = table.facts.definitions[at]
                if at and name in one.params:
                    return []
                if key in table.definitions:
                    return [(table.path, index) for index in table.definitions[key]]
                if key in table.variables:
                    return [(table.path, table.variables[key])]
                if key in table.imports:
                    return self._imported_places(key)
                if key in table.bindings:
                    return []
            if at == 0:
                return []
            at = table.parents[at]

    def _imported_places(self, key: tuple[int, str]) -> list[Place]:
        known = self._brought.get(key)
        if known is not None:
            return known
        found: list[Place] = []
        for brought in self._table.imports[key]:
            if not brought.item:
                continue
            language = self._table.language.name
            path = self._project.paths.target(
                self._table.path, language, brought.module, brought.item
            )
            if path is not None and path in self._project.paths.files:
                found += self._module_places(path, brought.item)
        self._brought[key] = found
        return found

    def _module_places(self, path: str, name: str) -> list[Place]:
        table = self._evaluator.table(path)
        if table is not None and (0, name) in table.variables:
            return [(path, table.variables[0, name])]
        return [
            (one.path, one.index)
            for one in self._evaluator.in_module(path, name)
            if one.kind in (FUNCTION, CLASS)
        ]

    def _member_places(self, value: Value, name: str) -> list[Place]:
        if value.kind == MODULE:
            return self._module_places(value.path, name)
        if value.kind not in (CLASS, INSTANCE):
            return []
        for path, index in self._evaluator.mro(value.path, value.index):
            table = self._evaluator.table(path)
            if table is None:
                continue
            if (index, name) in table.definitions:
                return [(path, at) for at in table.definitions[index, name]]
            if (index, name) in table.variables:
                return [(path, table.variables[index, name])]
        return []
