"""Joins one file to the project: what its calls, bases, reads and imports mean."""

from __future__ import annotations

import gc
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from loremap.codegraph.evaluate import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MODULE,
    UNION_MAX,
    Evaluator,
    Flows,
    Value,
    Values,
    is_outside,
    is_property,
)
from loremap.codegraph.facts import Call, FileFacts
from loremap.codegraph.project import Project
from loremap.codegraph.tables import CLASS_KINDS, FUNCTION_KINDS, Table, parts_of
from loremap.model.code import EdgeKind

_ROUNDS_MAX = 4
"""How often what calls pass on is followed further within a file."""
_DIGEST_BYTES = 12
_CALLED = re.compile(r"\(\)")
_RUNNABLE = frozenset({FUNCTION, CLASS})


class Link(NamedTuple):
    """One edge out of a file, from and to a definition's index."""

    source: int
    path: str
    target: int
    kind: EdgeKind
    line: int


class Outside(NamedTuple):
    """A call of what is not in the project, by its dotted name."""

    source: int
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Links:
    """All that one file is joined to."""

    edges: list[Link]
    outside: list[Outside]
    imports: list[str | None]
    """For each import of the facts, the file it means, or None."""
    consulted: frozenset[str] = field(default_factory=frozenset)
    """The paths, and `package:<key>` marks, whose interface these links depend on."""
    calls: int = 0
    """How many calls the file writes, and how many of them were resolved in the project."""
    resolved: int = 0


def interface_digest(facts: FileFacts) -> str:
    """Hash of all that can change how other files resolve; lines and calls are not in it."""
    known = [
        facts.language,
        facts.package,
        [
            (one.name, one.kind, one.parent, one.params, one.bases, one.decorators, one.scope)
            for one in facts.definitions
        ],
        [one[:4] for one in facts.imports],
        [(one.scope, one.target, one.value, one.firm) for one in facts.bindings],
        _calls_in_values(facts),
    ]
    data = json.dumps(known, ensure_ascii=False).encode("utf-8", "replace")
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()


def _calls_in_values(facts: FileFacts) -> list[tuple[int, str, list[tuple[str, str]]]]:
    """The calls whose result a binding takes, with what they are given: it may come back."""
    taken = {
        (one.scope, one.value[: found.start()])
        for one in facts.bindings
        for found in _CALLED.finditer(one.value)
    }
    return [
        (call.scope, call.target, call.arguments)
        for call in facts.calls
        if call.arguments and (call.scope, call.target) in taken
    ]


class Resolver:
    """Resolves the files of a project one by one, keeping what it learned of others."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._evaluator = Evaluator(project)

    def forget(self, paths: Iterable[str]) -> None:
        """Must be told when files have changed."""
        self._evaluator.forget(paths)

    def links(self, path: str) -> Links:
        """What the file at `path` is joined to; nothing where it has no facts."""
        collects = gc.isenabled()
        gc.disable()  # many small objects and no cycles: collecting would cost half as much again
        try:
            self._evaluator.start(path)
            table = self._evaluator.table(path)
            if table is None:
                return Links([], [], [])
            return _Linking(self._project, self._evaluator, table).links()
        finally:
            if collects:
                gc.enable()


class _Targets(NamedTuple):
    """What a call of one value runs."""

    edges: list[tuple[str, int, EdgeKind]]
    outside: list[str]
    inside: bool
    """Whether it means something in the project."""
    fixed: bool
    """Whether that does not depend on what the call passes."""


class _Linking:
    """The resolution of one file."""

    def __init__(self, project: Project, evaluator: Evaluator, table: Table) -> None:
        self._project = project
        self._evaluator = evaluator
        self._table = table
        self._edges: dict[Link, None] = {}
        self._outside: dict[Outside, None] = {}
        self._targets: dict[Value, _Targets] = {}
        self._starts: dict[tuple[int, str], tuple[int, Values]] = {}
        self._brought: dict[tuple[int, str], list[tuple[str, int]]] = {}

    def links(self) -> Links:
        calls = self._table.facts.calls
        found = [self._called(call) for call in calls]
        decorated = list(self._decorated())
        found, decorated = self._with_flows(found, decorated)
        resolved = 0
        for call, values in zip(calls, found, strict=True):
            if call.implied:
                values = tuple(one for one in values if one.kind in _RUNNABLE)
            resolved += self._add_call(call.scope, values, call.line, call)
        for scope, _, values, line in decorated:
            self._add_call(scope, tuple(one for one in values if one.kind in _RUNNABLE), line)
        self._add_bases()
        self._add_reads()
        imports = self._imports()
        return Links(
            list(self._edges),
            list(self._outside),
            imports,
            self._evaluator.consulted(),
            len(calls),
            resolved,
        )

    # Calls.

    def _values(self, scope: int, chain: str, line: int) -> Values:
        """What a chain means; what its root means in a scope is looked up once for all of them."""
        _, link, root, indexed, members = parts_of(chain)
        start = self._starts.get((scope, root))
        if start is None:
            start = self._starts[scope, root] = self._start(scope, root)
        owner, values = start
        if owner < 0 or indexed or (link and members is None):
            return self._evaluator.values(self._table, scope, chain, line)
        if not values or members is None:
            return values
        if len(values) == 1 and is_outside(values[0]):
            return (Value(EXTERNAL, values[0].path + members),)
        return self._evaluator.seen(self._table, owner, chain, 0)

    def _start(self, scope: int, root: str) -> tuple[int, Values]:
        """The scope that stands for `scope`, and what a name is worth; -1 where lines matter."""
        table = self._table
        if (scope, root) in table.several:
            return -1, ()
        owner = table.owner(scope, root) if scope else 0
        return owner, self._evaluator.seen(table, owner, root, 0)

    def _called(self, call: Call) -> Values:
        return self._values(call.scope, call.target, call.line)

    def _decorated(self) -> Iterator[tuple[int, int, Values, int]]:
        """The scope, the decorated definition, what is called on it, and the line."""
        table = self._table
        for index, one in enumerate(table.facts.definitions):
            for chain in one.decorators:
                values = self._evaluator.values(table, one.parent, chain, one.start_line)
                yield one.parent, index, values, one.start_line

    def _with_flows(
        self,
        found: list[Values],
        decorated: list[tuple[int, int, Values, int]],
    ) -> tuple[list[Values], list[tuple[int, int, Values, int]]]:
        """The values of calls once more, with what these calls pass to the file's functions."""
        flows: Flows = {}
        for _ in range(_ROUNDS_MAX):
            added = self._flows(found, decorated)
            if added == flows:
                break
            flows = added
            self._evaluator.at_home(self._table.path, flows)
            self._starts.clear()
            calls = self._table.facts.calls
            touched = self._touched(flows)
            found = [
                values if values and call.scope not in touched else self._called(call)
                for call, values in zip(calls, found, strict=True)
            ]
            decorated = list(self._decorated())
        return found, decorated

    def _touched(self, flows: Flows) -> set[int]:
        """The functions whose parameters are worth more now, and what is written in them."""
        touched = {scope for scope, _ in flows}
        for index, parent in enumerate(self._table.parents):
            if parent in touched:
                touched.add(index)
        return touched

    def _flows(
        self,
        found: list[Values],
        decorated: list[tuple[int, int, Values, int]],
    ) -> Flows:
        flows: Flows = {}
        path = self._table.path
        for call, values in zip(self._table.facts.calls, found, strict=True):
            if not call.arguments:
                continue
            for value in values:
                function = self._runs(value) if value.path == path else None
                if function is not None and function.path == path:
                    self._pass_on(flows, call, function)
        current: dict[int, Values] = {}
        for _, index, values, _ in reversed(decorated):  # the decorator nearest to it runs first
            given = current.get(index) or (Value(FUNCTION, path, index),)
            for value in values:
                if value.kind == FUNCTION and value.path == path:
                    _give(flows, value, self._table, "0", given)
                    current[index] = self._evaluator.returned(value, [("0", given)])
        return {key: values for key, values in flows.items() if len(values) <= UNION_MAX}

    def _runs(self, value: Value) -> Value | None:
        """The function that runs when a value is called."""
        if self._table.language.overloads:  # its parameters say their types
            return None
        if value.kind == FUNCTION:
            return value
        if value.kind == CLASS and value.path == self._table.path:
            made = Value(INSTANCE, value.path, value.index)
            return next((one for one in self._constructors(made) if one.kind == FUNCTION), None)
        return None

    def _pass_on(self, flows: Flows, call: Call, function: Value) -> None:
        for key, chain in call.arguments:
            values = self._values(call.scope, chain, call.line)
            if values:
                _give(flows, function, self._table, key, values)

    def _constructors(self, made: Value) -> Values:
        table = self._evaluator.table(made.path)
        if table is None:
            return ()
        for name in table.language.constructors:
            if name == "=":
                name = table.facts.definitions[made.index].name
            found = self._evaluator.member(made, name)
            if not table.language.constructors_are_inherited:
                found = tuple(
                    one
                    for one in found
                    if one.path == made.path and table.parents[one.index] == made.index
                )
            if found:
                return found
        return ()

    def _add_call(self, scope: int, values: Values, line: int, call: Call | None = None) -> bool:
        """Adds the edges of one call; whether it means something in the project."""
        inside = False
        for value in values:
            if value.kind == EXTERNAL:
                self._outside[Outside(scope, value.path, line)] = None
                continue
            targets = self._targets.get(value) or self._found_targets(value, call)
            for path, index, kind in targets.edges:
                self._edges[Link(scope, path, index, kind, line)] = None
            for name in targets.outside:
                self._outside[Outside(scope, name, line)] = None
            inside |= targets.inside
        return inside

    def _found_targets(self, value: Value, call: Call | None) -> _Targets:
        """What runs when a value is called; kept where every call of it runs the same."""
        if value.kind == FUNCTION:
            found = self._run_function(value, call)
        elif value.kind == CLASS:
            found = self._run_class(value, call)
        elif value.kind == INSTANCE:
            called = self._evaluator.member(value, "__call__")
            runs = [self._found_targets(one, None) for one in called if one.kind == FUNCTION]
            found = _Targets(
                [edge for one in runs for edge in one.edges],
                [],
                any(one.inside for one in runs),
                all(one.fixed for one in runs),
            )
        else:
            found = _Targets([], [], False, True)
        if found.fixed:
            self._targets[value] = found
        return found

    def _run_class(self, value: Value, call: Call | None) -> _Targets:
        """A class is referred to, and its constructor runs."""
        made = self._constructors(Value(INSTANCE, value.path, value.index))
        runs = [self._run_function(one, call) for one in made if one.kind == FUNCTION]
        edges = [(value.path, value.index, EdgeKind.REFERENCES)]
        edges += [edge for one in runs for edge in one.edges]
        if not runs and self._table.language.types_are_called:
            edges.append((value.path, value.index, EdgeKind.CALLS))
        outside = [one.path for one in made if one.kind == EXTERNAL]
        return _Targets(edges, outside, True, all(one.fixed for one in runs))

    def _run_function(self, value: Value, call: Call | None) -> _Targets:
        table = self._evaluator.table(value.path)
        if table is None:
            return _Targets([], [], False, True)
        found = table.overloads(value.index, call.count if call is not None else -1)
        if len(found) > 1 and call is not None and call.arguments:
            found = self._fitting(table, found, call)
        if len(found) > UNION_MAX:
            found = []
        edges = [(value.path, index, EdgeKind.CALLS) for index in found]
        return _Targets(edges, [], bool(found), not table.language.overloads)

    def _fitting(self, table: Table, found: list[int], call: Call) -> list[int]:
        """Of several overloads those whose parameters fit most of the types that are passed."""
        passed = {
            int(key): {
                place
                for one in self._evaluator.values(self._table, call.scope, chain, call.line)
                if one.kind == INSTANCE
                for place in self._evaluator.mro(one.path, one.index)
            }
            for key, chain in call.arguments
            if key.isdigit()
        }
        fits = dict.fromkeys(found, 0)
        for index in found:
            for position, name in enumerate(table.facts.definitions[index].params):
                wanted = self._evaluator.values(table, index, name) if passed.get(position) else ()
                fits[index] += any(one[1:3] in passed[position] for one in wanted)
        return [index for index in found if fits[index] == max(fits.values())]

    def _edge(self, source: int, path: str, target: int, kind: EdgeKind, line: int) -> None:
        self._edges[Link(source, path, target, kind, line)] = None

    # Bases, reads, imports.

    def _add_bases(self) -> None:
        table = self._table
        for index, one in enumerate(table.facts.definitions):
            if one.bases and table.kinds[index] in CLASS_KINDS:
                for base in self._evaluator.bases(table.path, index):
                    self._edge(index, base.path, base.index, EdgeKind.INHERITS, one.start_line)

    def _add_reads(self) -> None:
        """The edges of names read: references to functions and types, uses of variables."""
        seen: set[tuple[int, str]] = set()
        for scope, chain, line in self._reads():
            while chain[-1:] == "]":
                before, link, _, _, _ = parts_of(chain)
                if not link:
                    break
                chain = before
            key = (scope, chain)
            if key in seen:
                continue
            seen.add(key)
            if chain[-1:] not in ")]":
                for path, index in self._places(scope, chain, line):
                    self._add_place(scope, path, index, line)

    def _reads(self) -> Iterator[tuple[int, str, int]]:
        """Every chain that is read, with its scope and line."""
        facts = self._table.facts
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

    def _add_place(self, scope: int, path: str, index: int, line: int) -> None:
        if (path, index) == (self._table.path, scope):
            return
        table = self._evaluator.table(path)
        if table is None:
            return
        kind = table.kinds[index]
        if kind == "variable":
            self._edge(scope, path, index, EdgeKind.USES, line)
        elif kind in FUNCTION_KINDS and self._runs_when_read(table, index):
            self._edge(scope, path, index, EdgeKind.CALLS, line)
        elif not table.facts.definitions[index].name.startswith("<"):
            self._edge(scope, path, index, EdgeKind.REFERENCES, line)

    def _runs_when_read(self, table: Table, index: int) -> bool:
        bare = table.language.bare_calls and table.facts.definitions[index].name[0] != "<"
        return bare or is_property(table, index)

    def _places(self, scope: int, chain: str, line: int) -> list[tuple[str, int]]:
        """The definitions, variables among them, that a name or member is."""
        before, link, _, _, _ = parts_of(chain)
        if not link:
            return self._named_places(scope, chain) or self._implied_places(scope, chain, line)
        if link[0] != ".":
            return []
        found: list[tuple[str, int]] = []
        for value in self._values(scope, before, line):
            found += self._member_places(value, link[1:])
        return found if len(found) <= UNION_MAX else []

    def _implied_places(self, scope: int, name: str, line: int) -> list[tuple[str, int]]:
        """The methods that a bare name means where `self` need not be written."""
        if not self._table.language.implicit_self or (scope, name) in self._table.bindings:
            return []
        values = self._evaluator.values(self._table, scope, name, line)
        return [(one.path, one.index) for one in values if one.kind == FUNCTION]

    def _named_places(self, scope: int, name: str) -> list[tuple[str, int]]:
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

    def _imported_places(self, key: tuple[int, str]) -> list[tuple[str, int]]:
        known = self._brought.get(key)
        if known is not None:
            return known
        found: list[tuple[str, int]] = []
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

    def _module_places(self, path: str, name: str) -> list[tuple[str, int]]:
        table = self._evaluator.table(path)
        if table is not None and (0, name) in table.variables:
            return [(path, table.variables[0, name])]
        return [
            (one.path, one.index)
            for one in self._evaluator.in_module(path, name)
            if one.kind in (FUNCTION, CLASS)
        ]

    def _member_places(self, value: Value, name: str) -> list[tuple[str, int]]:
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

    def _imports(self) -> list[str | None]:
        table = self._table
        found: list[str | None] = []
        for brought in table.facts.imports:
            path = self._project.paths.target(
                table.path, table.language.name, brought.module, brought.item
            )
            found.append(path)
            if path is not None and path != table.path and path in self._project.paths.files:
                self._edge(0, path, 0, EdgeKind.IMPORTS, brought.line)
        return found


def _give(flows: Flows, function: Value, table: Table, key: str, values: Values) -> None:
    """Adds what a call passes under `key` to the parameter of `function` that takes it."""
    params = table.facts.definitions[function.index].params
    if key.isdigit():
        shift = table.language.self_is_first_parameter and function.receiver is not None
        position = int(key) + shift
        if position >= len(params) or params[position].startswith("*"):
            return
        name = params[position]
    elif key in params:
        name = key
    else:
        return
    known = flows.setdefault((function.index, name), [])
    known += [one for one in values if one not in known]


__all__ = ["Link", "Links", "Outside", "Resolver", "interface_digest"]
