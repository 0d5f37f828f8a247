"""Reads the parameters of a function, with their types and defaults."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremap.code.extraction.reading import Captures, Handler, Reading
from loremap.code.extraction.targets import targets_of
from loremap.code.extraction.typewords import values_of_type
from loremap.code.extraction.worth import values_of
from loremap.code.facts import Binding, is_name

_PLAIN_PARAMETERS = re.compile(rb"\(\s*(?:[^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*,?)?\s*\)")


def read_parameters(reading: Reading, node: Node) -> None:
    """Adds the parameters that a list of them declares."""
    piece = reading.source[node.start_byte : node.end_byte]
    params = reading.scope.params
    if _PLAIN_PARAMETERS.fullmatch(piece):
        params += [word.strip() for word in piece[1:-1].decode().split(",") if word.strip()]
        return
    table = reading.language.parameters
    children = node.named_children or [node]
    for child in children:
        shape = table.get(child.type)
        if shape is None:
            continue
        names = _fields(child, shape.name) or []
        kind = next(iter(_fields(child, shape.type)), None) if shape.type else None
        value = child.child_by_field_name(shape.value) if shape.value else None
        for name in names:
            read_parameter(reading, name, shape.stars, kind, value)


def read_parameter(
    reading: Reading, name: Node, stars: str, kind: Node | None, value: Node | None
) -> None:
    """Adds one parameter, with what its type and default say of it."""
    inner = reading.language.parameters.get(name.type)
    if inner is not None and inner.name and inner.stars:
        stars = inner.stars
        name = (_fields(name, inner.name) or [name])[0]
    said = reading.chains.chain(name)
    reading.scope.params.append(stars + (said or "_"))
    if said is None:
        _read_pattern(reading, name, kind)
        return
    place = "[]" if stars else ""
    if kind is not None:
        reading.bind_type(said + place, kind)
    if value is not None:
        reading.bind_all(said, values_of(reading.chains, value))


def _read_pattern(reading: Reading, pattern: Node, kind: Node | None) -> None:
    """Binds the names of a parameter that is taken apart to their parts of its type."""
    typed = values_of_type(reading.language.name, reading.chains.text(kind)) if kind else ()
    pairs = targets_of(reading.chains, pattern, list(typed))
    bound = {target for target, _ in pairs}
    names = {target for target, _ in targets_of(reading.chains, pattern, [("", "")])}
    pairs += [(name, "") for name in sorted(names - bound) if is_name(name)]
    scope, line = reading.scope.index, reading.line
    reading.bindings += [Binding(scope, target, value, line, True) for target, value in pairs]


def _on_parameter(reading: Reading, node: Node, captures: Captures) -> None:
    kind = captures["type"][0] if "type" in captures else None
    value = captures["value"][0] if "value" in captures else None
    for name in captures.get("name", [node]):
        read_parameter(reading, name, "", kind, value)


def _fields(node: Node, name: str) -> list[Node]:
    """The children in the field `name`; the node itself where the name is empty."""
    if not name:
        return [node]
    if name.isdigit():
        child = node.named_child(int(name)) if int(name) < node.named_child_count else None
        return [child] if child is not None else []
    return node.children_by_field_name(name)


HANDLERS: dict[str, Handler] = {
    "parameter": _on_parameter,
}
