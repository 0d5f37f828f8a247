"""Finds the variables that assignments define: of a file, a class or an object."""

from __future__ import annotations

from tree_sitter import Node

from loremap.code.extraction import spans
from loremap.code.extraction.reading import CLASSES, FILE_KIND, METHOD, Reading
from loremap.code.facts import Definition, is_name
from loremap.model.code import SymbolKind

_VARIABLE = SymbolKind.VARIABLE.value


def declare(reading: Reading, names: tuple[str, ...], statement: Node) -> None:
    """Adds the variables that an assignment in a file, class or method defines."""
    scope = reading.scope
    kind = scope.definition.kind
    outer = kind == FILE_KIND or kind in CLASSES
    if not outer and kind != METHOD:
        return
    for name in names:
        if outer and is_name(name):
            place = "class" if kind in CLASSES else "module"
            _add_variable(reading, scope.index, name, place, statement)
        elif not outer and _is_own(reading, name):
            own = name.partition(".")[2]
            _add_variable(reading, scope.definition.parent, own, "instance", statement)


def _is_own(reading: Reading, target: str) -> bool:
    """Whether a target is `self.x` in a method."""
    owner, dot, name = target.partition(".")
    if not dot or not is_name(name):
        return False
    if reading.language.self_is_first_parameter:
        return reading.scope.params[:1] == [owner]
    return owner in reading.language.self_names


def _add_variable(reading: Reading, parent: int, name: str, scope: str, statement: Node) -> None:
    key = (parent, name)
    if key in reading.variables:
        return
    start, end = statement.start_byte, statement.end_byte
    span = reading.source[start:end]
    reading.variables[key] = Definition(
        name=name,
        kind=_VARIABLE,
        parent=parent,
        start_line=reading.line,
        end_line=reading.line + span.count(b"\n"),
        start_byte=start,
        end_byte=end,
        signature=spans.folded(span),
        doc="",
        scope=scope,
        params=[],
        bases=[],
        decorators=[],
        digest=spans.digest(span, name.encode()),
    )
