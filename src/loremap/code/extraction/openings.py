"""Finds the definitions of a file among the matches of its query, and opens them one by one."""

from __future__ import annotations

import re
from collections.abc import Container
from operator import itemgetter
from typing import NamedTuple

from tree_sitter import Node

from loremap.code.extraction import spans
from loremap.code.extraction.parameters import read_parameters
from loremap.code.extraction.reading import (
    CLASSES,
    FILE,
    FILE_KIND,
    METHOD,
    NEVER,
    Captures,
    Open,
    Reading,
)
from loremap.code.extraction.typewords import values_of_type
from loremap.code.extraction.worth import values_of
from loremap.code.facts import DECLARED, EXTENSION, HIDDEN, RETURN, Definition
from loremap.code.languages import Tools
from loremap.model.code import SymbolKind

_FUNCTION = SymbolKind.FUNCTION.value
_TYPE = SymbolKind.TYPE.value
_KINDS = {
    "function": _FUNCTION,
    "method": METHOD,
    "class": SymbolKind.CLASS.value,
    "type": _TYPE,
    "lambda": _FUNCTION,
    "declared": _FUNCTION,
    "extension": "extension",
}

_TYPE_NAME = re.compile(r"[\w.]+")

Event = tuple[int, str, Node, Captures]
"""Where it starts, its main capture, the node of that, and all captures of the match."""


class Opening(NamedTuple):
    """A definition as the query found it."""

    start: int
    end: int
    main: str
    node: Node
    captures: Captures


def matched(kit: Tools, root: Node, *, events: Container[str]) -> tuple[list[Opening], list[Event]]:
    """What the query finds: definitions, and `events` that stand in them, by where they start."""
    mains = kit.mains
    openings: list[Opening] = []
    found: list[Event] = []
    for pattern, captures in kit.cursor.matches(root):
        main = mains.get(pattern)
        if main is None:
            main = mains[pattern] = next(
                name for name in captures if name in _KINDS or name in events
            )
        node = captures[main][0]
        if main in _KINDS:
            openings.append(Opening(node.start_byte, node.end_byte, main, node, captures))
        else:
            found.append((node.start_byte, main, node, captures))
    openings.sort(key=lambda one: (one.start, -one.end, one.main == "lambda"))
    found.sort(key=itemgetter(0))
    return openings, found


def numbered(reading: Reading, openings: list[Opening]) -> list[Opening]:
    """The definitions in reverse, each node once; fills the marks."""
    named = {
        (node.start_byte, node.end_byte) for one in openings for node in one.captures.get("is", ())
    }
    kept: list[Opening] = []
    index = 0
    extended, extended_until = "", 0
    taken: set[tuple[int, int]] = set()
    for one in openings:
        place = (one.start, one.end)
        if place in taken or place in named:
            continue
        taken.add(place)
        kept.append(one)
        if one.main == "extension":
            extended, extended_until = _extended_name(reading, one), one.end
            continue
        index += 1
        if one.main in ("class", "type") and "name" in one.captures:
            name = reading.chains.text(one.captures["name"][0])
            if one.start >= extended_until or name != extended:  # else the block extends another
                reading.types.setdefault(name, index)
        reading.marks.setdefault(one.start, index)
        for node in one.captures.get("is", ()):
            reading.marks[node.start_byte] = index
    kept.reverse()
    return kept


def open_file(reading: Reading, root: Node) -> None:
    """Opens the file itself, which holds all other definitions."""
    end = len(reading.source)
    lines = reading.source.count(b"\n") + (not reading.source.endswith(b"\n") and end > 0)
    doc = spans.docstring(reading.source, _first(root)) if reading.language.docstrings else ""
    file = Definition(
        "", FILE_KIND, FILE, 1, max(lines, 1), 0, end, "", doc, "", [], [], [],
        "",
    )  # fmt: skip
    reading.scope = Open(FILE, file, 0)
    reading.opened = [reading.scope]
    reading.stack = [reading.scope]


def open_definition(reading: Reading, one: Opening) -> None:
    """Opens one definition in the scope that holds it."""
    stack = reading.stack
    while stack[-1].end <= one.start and len(stack) > 1:
        stack.pop()
    parent = stack[-1]
    reading.move(one.start)
    if one.main == "extension":
        stack.append(_extended(reading, one))
        return
    opened = _begun(reading, one, parent)
    reading.opened.append(opened)
    stack.append(opened)
    reading.scope = opened
    if "parameters" in one.captures:
        read_parameters(reading, one.captures["parameters"][0])
    if "self" in one.captures:
        values = values_of_type(
            reading.language.name, reading.chains.text(one.captures["receiver"][0])
        )
        reading.bind_all(reading.chains.text(one.captures["self"][0]), list(values))
    if "result" in one.captures:
        reading.bind_all(RETURN, values_of(reading.chains, one.captures["result"][0]))


def _extended(reading: Reading, one: Opening) -> Open:
    """The open type that a block adds members to; of a type of another file only its name."""
    name = _extended_name(reading, one)
    index = reading.types.get(name, FILE)
    definition = reading.opened[0].definition._replace(
        name=name, kind=_TYPE, start_byte=one.start, end_byte=one.end
    )
    extended = Open(index, definition, NEVER)
    if 0 < index < len(reading.opened):
        extended.bases = reading.opened[index].bases
    else:
        extended.bases = []
    return extended


def _extended_name(reading: Reading, one: Opening) -> str:
    named = values_of_type(reading.language.name, reading.chains.text(one.captures["name"][0]))
    return named[0][1].removesuffix("()") if named else ""


def _begun(reading: Reading, one: Opening, parent: Open) -> Open:
    source = reading.source
    captures = one.captures
    name_node = captures["name"][0] if "name" in captures else None
    name = source[name_node.start_byte : name_node.end_byte] if name_node else b""
    body = captures["body"][0].start_byte if "body" in captures else one.end
    index = len(reading.opened)
    shown = name.decode("utf-8", "replace") if name else f"<fn{index}>"
    kind = _KINDS[one.main]
    declared = DECLARED if one.main == "declared" else ""
    linked = reading.language.package == "linked" and parent.index == FILE
    if linked and source.startswith(b"static ", one.start):
        declared = declared or HIDDEN
    if kind == _FUNCTION and parent.definition.kind in CLASSES:
        kind = METHOD
    named = one.main != "lambda"
    definition = Definition(
        shown,
        kind,
        parent.index,
        reading.line,
        one.node.end_point[0] + 1,
        one.start,
        one.end,
        spans.signature(source, one.start, body) if named else "",
        _doc(reading, one.start, body) if named else "",
        declared,
        [],
        [],
        reading.waiting.pop(one.start, []),
        spans.digest(source[one.start : one.end], name) if named else "",
    )
    opened = Open(index, definition, _lead(reading, one.start, body))
    opened.bases += reading.heirs.pop(one.start, [])
    if parent.index == FILE and parent.definition.kind == _TYPE:
        opened.bases.append(parent.definition.name)
    for receiver in captures.get("receiver", ()):
        _receive(reading, opened, receiver)
    return opened


def _doc(reading: Reading, start: int, body: int) -> str:
    if reading.language.docstrings:
        return spans.docstring(reading.source, body)
    return spans.comment_above(reading.source, start)


def _lead(reading: Reading, start: int, body: int) -> int:
    """The indent of a body, or a large one where it shares its first line."""
    first = spans.first_in(reading.source, body)
    if reading.source.find(b"\n", start, first) < 0:
        return NEVER
    return spans.indent(reading.source, first)


def _receive(reading: Reading, opened: Open, receiver: Node) -> None:
    """Hangs a method written outside its type on that type."""
    if reading.language.extension_functions:
        _extend(reading, opened, receiver)
        return
    for _, value in values_of_type(reading.language.name, reading.chains.text(receiver)):
        name = value.removesuffix("()")
        index = reading.types.get(name, FILE)
        if index == FILE:
            opened.bases.append(name)
        opened.definition = opened.definition._replace(parent=index, kind=METHOD)


def _extend(reading: Reading, opened: Open, receiver: Node) -> None:
    """Makes a function one that is called on the type it names; one of this file is its own."""
    named = _TYPE_NAME.match(reading.chains.text(receiver))
    name = named[0] if named else ""
    index = reading.types.get(name, FILE)
    if index == FILE:
        opened.bases.append(name)
    scope = EXTENSION if index == FILE else opened.definition.scope
    opened.definition = opened.definition._replace(parent=index, kind=METHOD, scope=scope)


def _first(root: Node) -> int:
    return root.named_children[0].start_byte if root.named_child_count else 0
