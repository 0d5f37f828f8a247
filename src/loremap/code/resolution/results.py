"""What calling a value gives, and what lies in it."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.code.facts import EXTENSION, RETURN, YIELD, Binding
from loremap.code.grammars.language import Language
from loremap.code.resolution.chain_parts import root_of
from loremap.code.resolution.declarations import Declarations
from loremap.code.resolution.memo import DEPTH_MAX
from loremap.code.resolution.questions import Questions
from loremap.code.resolution.table_cache import TableCache
from loremap.code.resolution.tables import Table
from loremap.code.resolution.values import (
    BOX,
    CLASS,
    EXTERNAL,
    FUNCTION,
    GENERATOR,
    INSTANCE,
    MODULE,
    Value,
    Values,
    argument,
    reaching,
    union,
)

_APPLY = "apply"
_SELF_TYPES = frozenset({"Self"})


class Results:
    """Finds results and elements."""

    def __init__(self, ask: Questions, tables: TableCache, declared: Declarations) -> None:
        self._ask = ask
        self._tables = tables
        self._memo = tables.memo
        self._declared = declared

    def element(self, value: Value, link: str, line: int = 0) -> Values:
        """What the element `link` (`[0]`, `['key']`, `[]`) of a value may be."""
        kind = value.kind
        if kind == BOX:
            return self.inside(value, link, line)
        if kind == GENERATOR:
            return self._yielded(value)
        if kind == CLASS:
            return (self._declared.with_types(value),)
        if kind == FUNCTION:
            return (value,)  # with its type arguments
        if kind == INSTANCE:
            if link == "[]":
                steps = self._ask.member(value, "__iter__")
                made = [one for step in steps for one in self.result(step, None)]
                found: list[Value] = []
                for each in made:
                    if each.kind == GENERATOR:
                        found += self._yielded(each)
                for each in made:
                    if each.kind == INSTANCE:
                        for step in self._ask.member(each, "__next__"):
                            found += self.result(step, None)
                if found:
                    return union(found)
            return union(
                one
                for step in self._ask.member(value, "__getitem__")
                for one in self.result(step, None)
            )
        return ()

    def _yielded(self, value: Value) -> Values:
        table = self._tables.table(value.path)
        if table is None:
            return ()
        found: list[Value] = []
        for binding in table.bindings.get((value.index, YIELD), ()):
            if binding.value:
                found += self._ask.values(table, value.index, binding.value, binding.line)
        return union(found)

    def inside(self, box: Value, link: str, line: int) -> Values:
        """What lies in a container at a place; of an unknown place all that lies in it.

        A `line` is one of the file that the container is in.
        """
        table = self._tables.table(box.path)
        if table is None:
            return ()
        links = table.boxes.get((box.index, box.place), [])
        if link == "[]":
            wanted = [one for one in links if one[0] == "["]
        elif link[0] == "[":
            wanted = [one for one in (link, "[]") if one in links]
        else:
            wanted = [link] if link in links else []
        found: list[Value] = []
        for one in wanted:
            place = box.place + one
            bound = table.bindings.get((box.index, place), ())
            if box.place == RETURN and any(one.firm for one in bound):
                bound = [one for one in bound if one.firm]  # a declared type says it all
            for binding in reaching(bound, line):
                if binding.value and box.receiver is not None:  # what a macro gives
                    function = Value(FUNCTION, box.path, box.index, "", box.receiver)
                    found += self._one_return(table, function, binding, ())
                elif binding.value:
                    found += self._ask.values(table, box.index, binding.value, binding.line)
            if (box.index, place) in table.boxes:
                found.append(Value(BOX, box.path, box.index, place))
        return union(found)

    def result(self, value: Value, call: tuple[Table, int, str, int] | None) -> Values:
        """What calling a value gives; `call` says where, so that its arguments can be looked up."""
        kind = value.kind
        if kind == CLASS:
            return (Value(INSTANCE, value.path, value.index),)
        if kind == FUNCTION:
            return self.returned(value, self._given(call))
        if kind == INSTANCE:
            if self.is_bare(value):
                return self._applied(value)
            return self._memo.once((*value[1:3], "<called>", 0), self._called, value)
        if kind == EXTERNAL:
            return (value,)
        if kind == BOX:
            return self.inside(value, "()", 0)
        if kind == MODULE:
            return self._memo.once((value.path, -1, "<called>", 0), self._called, value)
        return ()

    def is_bare(self, value: Value) -> bool:
        """Whether calls are written without brackets where a value comes from."""
        table = self._tables.table(value.path)
        return table is not None and table.language.bare_calls

    def _applied(self, value: Value) -> Values:
        """What brackets after an object give where calls need none: itself, or what it applies."""
        table = self._tables.table(value.path)
        if table is None or _APPLY not in table.language.constructors:
            return (value,)
        steps = [one for one in self._ask.member(value, _APPLY) if one.kind == FUNCTION]
        if not steps:
            return (value,)
        return union(one for step in steps for one in self.result(step, None))

    def _called(self, value: Value) -> Values:
        """What calling an object, or a module, gives; it may be such an object again."""
        steps = self._ask.member(value, "default" if value.kind == MODULE else "__call__")
        return union(one for step in steps for one in self.result(step, None))

    def _given(self, call: tuple[Table, int, str, int] | None) -> list[tuple[str, Values]]:
        if call is None:
            return []
        table, scope, target, line = call
        written = table.calls.get((scope, line, target))
        if written is None:
            return []
        return [
            (key, self._ask.values(table, scope, chain, line)) for key, chain in written.arguments
        ]

    def returned(self, function: Value, given: Sequence[tuple[str, Values]]) -> Values:
        """What a function returns, with its parameters worth what is `given`."""
        table = self._tables.table(function.path)
        if table is None:
            return ()
        if given and self._returns_parameter(table, function.index):
            if self._memo.depth > DEPTH_MAX:
                return ()
            with self._memo.deeper():
                return self._all_returns(table, function, given)
        key = (function.path, function.index, f"<returned>{function.receiver}", 0)
        return self._memo.once(key, self._all_returns, table, function, ())

    def _returns_parameter(self, table: Table, index: int) -> bool:
        params = table.facts.definitions[index].params
        bound = table.bindings.get((index, RETURN), ())
        return any(root_of(binding.value)[0] in params for binding in bound)

    def _all_returns(
        self, table: Table, function: Value, given: Sequence[tuple[str, Values]]
    ) -> Values:
        index = function.index
        if (index, YIELD) in table.bindings:
            return (Value(GENERATOR, function.path, index),)
        bound = [one for one in table.bindings.get((index, RETURN), ()) if one.value]
        found: list[Value] = []
        for binding in bound:
            if binding.firm and not found:
                found += self._one_return(table, function, binding, given)
        if not _any_inside(found):  # a declared type of the project says it all
            returned = [
                value
                for binding in bound
                if not binding.firm
                for value in self._one_return(table, function, binding, given)
            ]
            found = returned if _any_inside(returned) or not found else found
        if not found and function.receiver and self._returns_its_own(table, index):
            return (Value(*function.receiver),)
        if (index, RETURN) in table.boxes:
            receiver = function.receiver if _is_macro(table, index) else None
            found.append(Value(BOX, function.path, index, RETURN, receiver))
        return union(found)

    def _returns_its_own(self, table: Table, index: int) -> bool:
        """Whether a function gives a value of the type that it extends, named by a parameter."""
        one = table.facts.definitions[index]
        if one.scope != EXTENSION or not one.params:
            return False
        taken = {bound.value for bound in table.bindings.get((index, one.params[0]), ())}
        return any(bound.value in taken for bound in table.bindings.get((index, RETURN), ()))

    def _one_return(
        self,
        table: Table,
        function: Value,
        binding: Binding,
        given: Sequence[tuple[str, Values]],
    ) -> Values:
        index = function.index
        root, links = root_of(binding.value)
        params = table.facts.definitions[index].params
        start: Values | None = None
        if function.receiver and (
            root in _SELF_TYPES
            or root in table.language.class_names
            or table.is_self(index, root)
            or root in table.language.self_names
        ):
            start = (Value(*function.receiver),)
            if root in _SELF_TYPES or root in table.language.class_names:
                links = links[1:]
        elif function.receiver and root in params[:1] and _is_macro(table, index):
            start = (Value(*function.receiver),)
        elif root in params and (index, root) not in table.bindings:
            start = argument(params, root, given, bound=function.receiver is not None)
        if start is None:
            return self._ask.values(table, index, binding.value, binding.line)
        for link in _with_calls(links):
            start = union(
                one for value in start for one in self._linked(value, link, table.language)
            )
        return start

    def _linked(self, value: Value, link: str, language: Language) -> Values:
        name = link[1:].removesuffix("()")
        if value.kind == BOX and name in language.element_methods:
            return self.element(value, "[]")
        if value.kind == BOX and name in language.same_methods:
            return (value,)
        if link == "()":
            return self.result(value, None)
        if link[-1] == ")":
            found = self._ask.member(value, name)
            return union(one for each in found for one in self.result(each, None))
        return self._ask.member(value, link[1:]) if link[0] == "." else self.element(value, link)


def _with_calls(links: Sequence[str]) -> list[str]:
    """The links of a chain, the call of a member in one with it."""
    found: list[str] = []
    for link in links:
        if link == "()" and found and found[-1][0] == "." and found[-1][-1] != ")":
            found[-1] += link
        else:
            found.append(link)
    return found


def _is_macro(table: Table, index: int) -> bool:
    return table.facts.definitions[index].signature.startswith("macro_rules!")


def _any_inside(values: Sequence[Value]) -> bool:
    """Whether one of the values is of the project."""
    return any(one.kind != EXTERNAL for one in values)
