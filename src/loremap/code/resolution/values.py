"""What a chain may stand for, and the rules that need no project to apply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from loremap.code.facts import Binding
from loremap.code.resolution.tables import CLASS, INSTANCE, Table

UNION_MAX = 4
FUNCTION = "function"
MODULE = "module"
FOLDER = "folder"
PACKAGE = "package"
BOX = "box"
SUPER = "super"
GENERATOR = "generator"
EXTERNAL = "external"
BUILTIN = "<builtin>"
SUPER_CALL = f"{BUILTIN}.super"


class Value(NamedTuple):
    """One thing that a chain may stand for."""

    kind: str
    path: str
    """Of what is outside the project, its dotted name."""
    index: int = 0  # type: ignore[assignment]  # the method of tuples is not used
    place: str = ""
    """Of a container, the chain that it is bound to in the scope `index`."""
    receiver: tuple[str, str, int] | None = None
    """Of a method, the object it was taken from."""


Values = tuple[Value, ...]
Flows = dict[tuple[int, str], list[Value]]
"""What the calls within a file pass to the parameters of its functions."""


def is_outside(value: Value) -> bool:
    """Whether all members of a value are known to be outside the project."""
    return value[0] == EXTERNAL and not value.place and value.path != SUPER_CALL


def is_property(table: Table, index: int) -> bool:
    """Whether a method runs where it is read."""
    names = table.language.properties
    return any(
        chain in names or chain.rpartition(".")[2] in names
        for chain in table.facts.definitions[index].decorators
    )


def argument(
    params: Sequence[str], name: str, given: Sequence[tuple[str, Values]], *, bound: bool
) -> Values | None:
    """What a call gives to the parameter `name`; None where it gives nothing."""
    position = str(params.index(name) - bound)
    for key, values in given:
        if key in (position, name):
            return values
    return None


def reaching(bound: Sequence[Binding], line: int) -> Sequence[Binding]:
    """The bindings that a read at `line` of the same scope may see; all where there is no line."""
    if not line or len(bound) < 2:
        return bound
    before = [one for one in bound if one.line < line]
    for at in range(len(before) - 1, -1, -1):
        if before[at].firm:
            kept = before[at:]
            first = kept[0].line
            return [one for one in before[:at] if one.line == first and one.firm] + kept
    return bound


def union(values: Iterable[Value]) -> Values:
    """The different ones of `values`; none where they are too many to mean anything."""
    found = tuple(values)
    if len(found) < 2:
        return found
    found = tuple(dict.fromkeys(found))
    return found if len(found) <= UNION_MAX else ()


__all__ = [
    "BOX", "BUILTIN", "CLASS", "EXTERNAL", "FOLDER", "FUNCTION", "GENERATOR", "INSTANCE", "MODULE",
    "PACKAGE", "SUPER", "SUPER_CALL", "UNION_MAX", "Flows", "Value", "Values", "argument",
    "is_outside", "is_property", "reaching", "union",
]  # fmt: skip
