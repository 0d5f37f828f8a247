"""What runs when a value is called."""

from __future__ import annotations

from typing import Final, NamedTuple

from loremap.code.facts import EXTENSION, Call
from loremap.code.resolution.evaluate import Evaluator
from loremap.code.resolution.tables import Table
from loremap.code.resolution.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    SUPER,
    UNION_MAX,
    Value,
    Values,
)
from loremap.model.code import EdgeKind

_CALLS: Final = EdgeKind.CALLS
_REFERENCES: Final = EdgeKind.REFERENCES


class Targets(NamedTuple):
    """What a call of one value runs."""

    edges: list[tuple[str, int, EdgeKind]]
    outside: list[str]
    inside: bool
    """Whether it means something in the project."""
    fixed: bool
    """Whether that does not depend on what the call passes."""


class CallTargets:
    """The targets of one file's calls, as far as they were found."""

    def __init__(self, evaluator: Evaluator, table: Table) -> None:
        self._evaluator = evaluator
        self._table = table
        self._known: dict[Value, Targets] = {}

    def of(self, value: Value, call: Call | None) -> Targets:
        """What runs when `call` calls a value."""
        return self._known.get(value) or self._found(value, call)

    def _found(self, value: Value, call: Call | None) -> Targets:
        """What runs when a value is called; kept where every call of it runs the same."""
        if value.kind == FUNCTION:
            found = self._run_function(value, call)
        elif value.kind == CLASS:
            found = self._run_class(value, call)
        elif value.kind == SUPER or (value.kind == INSTANCE and self._is_own(call)):
            found = self._run_constructor(value, call)
        elif value.kind == INSTANCE:
            called = self._evaluator.member(value, "__call__")
            runs = [self._found(one, None) for one in called if one.kind == FUNCTION]
            found = Targets(
                [edge for one in runs for edge in one.edges],
                [],
                any(one.inside for one in runs),
                all(one.fixed for one in runs),
            )
        else:
            found = Targets([], [], False, True)
        if found.fixed:
            self._known[value] = found
        return found

    def _is_own(self, call: Call | None) -> bool:
        """Whether a call is `this(…)`, of another constructor of the same class."""
        language = self._table.language
        return call is not None and call.target in language.self_names and language.overloads

    def _run_constructor(self, value: Value, call: Call | None) -> Targets:
        """What `super(…)` or `this(…)` runs: a constructor of the next class above, or its own."""
        line_up = self._evaluator.mro(value.path, value.index)
        above = line_up[1:] if value.kind == SUPER else line_up[:1]
        for path, index in above:
            made = self.constructors(Value(INSTANCE, path, index))
            runs = [self._run_function(one, call) for one in made if one.kind == FUNCTION]
            if runs:
                edges = [edge for one in runs for edge in one.edges]
                return Targets(edges, [], True, False)
        return Targets([], [], False, False)

    def _run_class(self, value: Value, call: Call | None) -> Targets:
        """A class is referred to, and its constructor runs."""
        made = self.constructors(Value(INSTANCE, value.path, value.index))
        runs = [self._run_function(one, call) for one in made if one.kind == FUNCTION]
        edges = [(value.path, value.index, _REFERENCES)]
        edges += [edge for one in runs for edge in one.edges]
        if not runs and self._table.language.types_are_called:
            edges.append((value.path, value.index, _CALLS))
        outside = [one.path for one in made if one.kind == EXTERNAL]
        return Targets(edges, outside, True, all(one.fixed for one in runs))

    def _run_function(self, value: Value, call: Call | None) -> Targets:
        table = self._evaluator.table(value.path)
        if table is None:
            return Targets([], [], False, True)
        count = call.count if call is not None else -1
        one = table.facts.definitions[value.index]
        if count >= 0 and one.scope == EXTENSION and not one.bases and value.receiver is not None:
            count += 1  # the value it is called on is its first argument
        found = table.overloads(value.index, count)
        if len(found) > 1 and call is not None and call.arguments:
            found = self._fitting(table, found, call)
        if len(found) > UNION_MAX:
            found = found[:1]  # of many overloads, the first for all
        edges = [(value.path, index, _CALLS) for index in found]
        return Targets(edges, [], bool(found), not table.language.overloads)

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

    def constructors(self, made: Value) -> Values:
        """The functions that make an object: those of the first of its constructors' names."""
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
