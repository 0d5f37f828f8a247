"""Reads what names are bound to: assignments, loops, types, and what functions return."""

from __future__ import annotations

from tree_sitter import Node

from loremap.code.extraction.chains import Values
from loremap.code.extraction.reading import (
    CLASSES,
    FILE,
    FILE_KIND,
    METHOD,
    Captures,
    Handler,
    Reading,
)
from loremap.code.extraction.targets import assigned, is_one, targets_of
from loremap.code.extraction.typewords import values_of_type
from loremap.code.extraction.variables import declare
from loremap.code.extraction.worth import values_of
from loremap.code.facts import RETURN, YIELD, Binding, Call, is_name

_DECLARING = CLASSES | {FILE_KIND, METHOD}


def _on_returns(reading: Reading, node: Node, captures: Captures) -> None:
    reading.bind_type(RETURN, node)


def _on_result(reading: Reading, node: Node, captures: Captures) -> None:
    reading.bind_all(RETURN, values_of(reading.chains, node))


def _on_gives(reading: Reading, node: Node, captures: Captures) -> None:
    reading.bind_type(f"{RETURN}[{reading.scope.results}]", node)
    reading.scope.results += 1


def _on_field(reading: Reading, node: Node, captures: Captures) -> None:
    """A member that a constructor's parameter declares."""
    inner = reading.scope
    around = (one for one in reversed(reading.stack) if one.definition.kind in CLASSES)
    holder = next(around, None)
    if holder is not None:
        reading.scope = holder
        _on_binding(reading, node, captures)
        reading.scope = inner


def _on_export(reading: Reading, node: Node, captures: Captures) -> None:
    alias = reading.chains.text(captures["alias"][0]) if "alias" in captures else "default"
    values = values_of(reading.chains, node)
    if values != [("", alias)]:
        reading.bindings += [
            Binding(FILE, alias + place, value, reading.line) for place, value in values
        ]


def _on_assign(reading: Reading, node: Node, captures: Captures) -> None:
    target, values = captures["target"][0], values_of(reading.chains, captures["value"][0])
    firm = reading.firm(node.start_byte)
    single = is_one(reading.chains, captures["value"][0])
    pairs = assigned(reading.chains, target, values, single=single)
    names = tuple(name for name, _ in targets_of(reading.chains, target, [("", "")]))
    if not any(is_name(name) for name in names):
        declare(reading, names, node)
    reading.assigned += [
        Binding(reading.scope.index, name, value, reading.line, firm) for name, value in pairs
    ]


def _on_binding(reading: Reading, node: Node, captures: Captures) -> None:
    if "value" in captures:
        values = values_of(reading.chains, captures["value"][0])
    elif "type" in captures:
        text = reading.chains.text(captures["type"][0])
        values = list(values_of_type(reading.language.name, text))
    else:
        values = []
    single = "value" in captures and is_one(reading.chains, captures["value"][0])
    firm = reading.firm(node.start_byte)
    _assign(reading, captures["target"][0], values, node, firm, single=single)


def _on_member(reading: Reading, node: Node, captures: Captures) -> None:
    holders = [one for one in reading.stack if one.definition.kind in CLASSES]
    if holders:
        inner, reading.scope = reading.scope, holders[-1]
        _on_binding(reading, node, captures)
        reading.scope = inner


def _on_loop(reading: Reading, node: Node, captures: Captures) -> None:
    target = captures["target"][0]
    values = values_of(reading.chains, captures["value"][0])
    each = [(place.removeprefix("["), value) for place, value in values]
    each = [
        (place.partition("]")[2], value) if place else ("", f"{value}[]") for place, value in each
    ]
    _assign(reading, target, each, node, False)
    for place, value in values:
        if not place and reading.language.iteration:
            line = reading.line
            for method in reading.language.iteration:
                reading.calls.append(Call(reading.scope.index, value + method, line, [], True))


def _on_with(reading: Reading, node: Node, captures: Captures) -> None:
    values = values_of(reading.chains, captures["value"][0])
    entered = [(place, value + reading.language.entering) for place, value in values]
    _assign(reading, captures["target"][0], entered, node, reading.firm(node.start_byte))


def _on_global(reading: Reading, node: Node, captures: Captures) -> None:
    reading.scope.globals.add(reading.chains.text(node))


def _on_nonlocal(reading: Reading, node: Node, captures: Captures) -> None:
    reading.scope.nonlocals.add(reading.chains.text(node))


def _on_return(reading: Reading, node: Node, captures: Captures) -> None:
    reading.bind_all(RETURN, values_of(reading.chains, node))


def _on_yield(reading: Reading, node: Node, captures: Captures) -> None:
    reading.bind_all(YIELD, values_of(reading.chains, node))


def _assign(
    reading: Reading,
    target: Node,
    values: Values,
    statement: Node,
    firm: bool,
    *,
    single: bool = False,
) -> None:
    line = reading.line
    plain = reading.chains.plain(target)
    scope = reading.scope
    if plain is not None and (not values or (len(values) == 1 and not values[0][0])):
        if scope.definition.kind in _DECLARING:
            declare(reading, (plain,), statement)
        if is_name(plain):
            value = values[0][1] if values else ""
            reading.bindings.append(Binding(_holder(reading, plain), plain, value, line, firm))
        elif values:
            reading.assigned.append(Binding(scope.index, plain, values[0][1], line, firm))
        return
    if plain is not None:
        names: tuple[str, ...] = (plain,)
        pairs = [(plain + place, value) for place, value in values]
    else:
        pairs = assigned(reading.chains, target, values, single=single)
        found = targets_of(reading.chains, target, [("", "")])
        names = tuple(dict.fromkeys(name for name, _ in found))
    declare(reading, names, statement)
    bound = {name for name, _ in pairs}
    for name in names:
        if name not in bound and is_name(name):
            reading.bindings.append(Binding(_holder(reading, name), name, "", line, firm))
    for name, value in pairs:
        one = Binding(_holder(reading, name), name, value, line, firm)
        (reading.bindings if is_name(name) else reading.assigned).append(one)


def _holder(reading: Reading, target: str) -> int:
    """The scope that a name assigned here belongs to."""
    scope = reading.scope
    if not scope.globals and not scope.nonlocals:
        return scope.index
    if target in scope.globals:
        return FILE
    if target in scope.nonlocals and len(reading.stack) > 2:
        return reading.stack[-2].index
    return scope.index


HANDLERS: dict[str, Handler] = {
    "returns": _on_returns,
    "result": _on_result,
    "gives": _on_gives,
    "field": _on_field,
    "export": _on_export,
    "assign": _on_assign,
    "binding": _on_binding,
    "member": _on_member,
    "loop": _on_loop,
    "with": _on_with,
    "global": _on_global,
    "nonlocal": _on_nonlocal,
    "return": _on_return,
    "yield": _on_yield,
}
