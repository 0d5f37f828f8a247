"""Follows what the calls of a file pass to the functions of that file."""

from __future__ import annotations

from loremap.code.facts import THIS, TRAILING, Call
from loremap.code.resolution.chain_parts import parts_of
from loremap.code.resolution.evaluate import Evaluator, runnable
from loremap.code.resolution.roots import Roots
from loremap.code.resolution.tables import Table
from loremap.code.resolution.targets import CallTargets
from loremap.code.resolution.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    UNION_MAX,
    Flows,
    Value,
    Values,
)

_ROUNDS_MAX = 4
"""How often what calls pass on is followed further within a file."""

Decorated = tuple[int, int, Values, int]
"""A scope, the definition decorated in it, what is called on that, and the line."""


class Followed:
    """The values of one file's calls and decorators, with what these calls pass on."""

    def __init__(
        self, evaluator: Evaluator, table: Table, roots: Roots, targets: CallTargets
    ) -> None:
        self._evaluator = evaluator
        self._table = table
        self._roots = roots
        self._targets = targets

    def values(self) -> tuple[list[Values], list[Decorated]]:
        """What each call of the facts, and each decorator, may mean."""
        found = [self._called(call) for call in self._table.facts.calls]
        decorated = self._decorated()
        flows: Flows = {}
        for _ in range(_ROUNDS_MAX):
            added = self._flows(found, decorated)
            if added == flows:
                break
            flows = added
            self._evaluator.memo.at_home(self._table.path, flows)
            self._roots.forget()
            calls = self._table.facts.calls
            touched = self._touched(flows)
            found = [
                values if values and call.scope not in touched else self._called(call)
                for call, values in zip(calls, found, strict=True)
            ]
            decorated = self._decorated()
        return found, decorated

    def _called(self, call: Call) -> Values:
        values = runnable(self._table, self._roots.values(call.scope, call.target, call.line))
        if self._table.language.receivers and values and call.target.isidentifier():
            return self._named_function(call, values)
        return values

    def _named_function(self, call: Call, values: Values) -> Values:
        """What a bare name means that is called: a property of that name is no function."""
        if any(one.kind not in (INSTANCE, EXTERNAL) for one in values):
            return values
        return self._evaluator.in_file(self._table, call.target) or values

    def _decorated(self) -> list[Decorated]:
        table = self._table
        return [
            (
                one.parent,
                index,
                self._evaluator.values(table, one.parent, chain, one.start_line),
                one.start_line,
            )
            for index, one in enumerate(table.facts.definitions)
            for chain in one.decorators
        ]

    def _touched(self, flows: Flows) -> set[int]:
        """The functions whose parameters are worth more now, and what is written in them."""
        touched = {scope for scope, _ in flows}
        for index, parent in enumerate(self._table.parents):
            if parent in touched:
                touched.add(index)
        return touched

    def _flows(self, found: list[Values], decorated: list[Decorated]) -> Flows:
        flows: Flows = {}
        path = self._table.path
        each = self._table.language.each_methods
        for call, values in zip(self._table.facts.calls, found, strict=True):
            if not call.arguments:
                continue
            if each and not values and call.target.rpartition(".")[2] in each:
                self._pass_elements(flows, call)
            for value in values:
                if value.kind == FUNCTION and any(one[:3] == "<fn" for _, one in call.arguments):
                    self._pass_types(flows, call, value)
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
            return next(
                (one for one in self._targets.constructors(made) if one.kind == FUNCTION), None
            )
        return None

    def _pass_elements(self, flows: Flows, call: Call) -> None:
        """What a container gives to the function that is called with each of its elements."""
        path = self._table.path
        owner, link, _, _, _ = parts_of(call.target)
        functions = [
            one
            for key, chain in call.arguments
            if key == "0" and chain[:3] == "<fn"
            for one in self._roots.values(call.scope, chain, call.line)
            if one.kind == FUNCTION and one.path == path
        ]
        if not link or not functions:
            return
        elements = [
            one
            for value in self._evaluator.values(self._table, call.scope, owner, call.line)
            for one in self._evaluator.element(value, "[]", call.line if value.path == path else 0)
        ]
        for function in functions if elements else ():
            _give(flows, function, self._table, "0", tuple(elements))

    def _pass_types(self, flows: Flows, call: Call, function: Value) -> None:
        """What the parameters of functions take that are passed to a function which says so."""
        table = self._evaluator.table(function.path)
        if table is None:
            return
        for key, chain in call.arguments:
            if chain[:3] != "<fn" or chain[-1] != ">":
                continue
            for index in table.overloads(function.index, -1):
                name = _parameter(table, index, key)
                taken = self._taken(table, index, name) if name else []
                for given in self._roots.values(call.scope, chain, call.line) if taken else ():
                    for position, values in taken:
                        _give(flows, given, self._table, position, values)

    def _taken(self, table: Table, index: int, name: str) -> list[tuple[str, Values]]:
        """What a function takes, by position, that is passed as the parameter `name`."""
        places = table.boxes.get((index, name), [])
        if not places:  # a type parameter that says it
            bound = table.bindings.get((index, name), ())
            names = [one.value.removesuffix("()") for one in bound]
            name = next((one for one in names if (index, one) in table.boxes), "")
            places = table.boxes.get((index, name), [])
        return [
            (place[2:-2], values)
            for place in places
            if place[:2] == "[<"
            for one in table.bindings.get((index, name + place), ())
            if (values := self._evaluator.values(table, index, one.value))
        ]

    def _pass_on(self, flows: Flows, call: Call, function: Value) -> None:
        for key, chain in call.arguments:
            values = self._roots.values(call.scope, chain, call.line)
            if values:
                _give(flows, function, self._table, key, values)


def _parameter(table: Table, index: int, key: str) -> str:
    """The parameter of a function that takes what a call passes under `key`."""
    params = table.facts.definitions[index].params
    if key == TRAILING:
        return params[-1] if params else ""
    if not key.isdigit():
        return key if key in params else ""
    return params[int(key)] if int(key) < len(params) else ""


def _give(flows: Flows, function: Value, table: Table, key: str, values: Values) -> None:
    """Adds what a call passes under `key` to the parameter of `function` that takes it."""
    params = table.facts.definitions[function.index].params
    implied = table.language.implicit_parameters
    if key == "this":
        name = THIS
    elif key.isdigit() and not params and int(key) < len(implied):
        name = implied[int(key)]
    elif key.isdigit():
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
