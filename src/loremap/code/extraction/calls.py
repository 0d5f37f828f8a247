"""Reads what a file calls, reads and inherits."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremap.code.extraction.chains import Values, function_mark
from loremap.code.extraction.imports import import_call, require
from loremap.code.extraction.reading import CLASSES, Captures, Handler, Reading
from loremap.code.extraction.worth import arguments_of, values_of
from loremap.code.facts import EXTENSION, Call, Reference

_WORD = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")


def _on_call(reading: Reading, node: Node, captures: Captures) -> None:
    listed = captures.get("arguments")
    if reading.calls_are_simple:
        target = reading.chains.chain(node)
        if target is not None:
            simple = arguments_of(reading.chains, listed[0]) if listed else []
            reading.calls.append(Call(reading.scope.index, target, reading.line, simple))
        return
    target = reading.chains.called(node, listed[0] if listed else None)
    if target is None:
        return
    if target in reading.language.import_calls:
        import_call(reading, target, captures)
        return
    given: Values = []
    count = 0 if reading.language.overloads and not reading.language.trailing_blocks else -1
    if listed:
        arguments = listed[0]
        if target in reading.language.requires:
            require(reading, arguments)
            return
        if reading.language.overloads:
            count = arguments.named_child_count
        if arguments.end_byte - arguments.start_byte > 2:
            given = arguments_of(reading.chains, arguments)
    if target in reading.language.base_calls and reading.scope.definition.kind in CLASSES:
        reading.scope.bases += [chain for _, chain in given]
    reading.calls.append(Call(reading.scope.index, target, reading.line, given, False, count))


def _on_given(reading: Reading, node: Node, captures: Captures) -> None:
    """A function that is written after the brackets of a call."""
    target = reading.chains.chain(node)
    if target is not None:
        reading.chains.marked = True
        key = (reading.scope.index, target.removesuffix("()"), reading.line)
        reading.trailing[key] = function_mark(captures["block"][0].start_byte)


def _on_raise(reading: Reading, node: Node, captures: Captures) -> None:
    target = reading.chains.chain(node)
    if target is not None:
        reading.calls.append(Call(reading.scope.index, target, reading.line, [], True))


def _on_read(reading: Reading, node: Node, captures: Captures) -> None:
    target = reading.chains.chain(node)
    if target is not None:
        reading.reads.append(Reference(reading.scope.index, target, reading.line))


def _on_mention(reading: Reading, node: Node, captures: Captures) -> None:
    scope, line = reading.scope.index, reading.line
    for word in _WORD.findall(reading.chains.text(node)):
        reading.reads.append(Reference(scope, word, line))


def _on_base(reading: Reading, node: Node, captures: Captures) -> None:
    found = [value for _, value in values_of(reading.chains, node)]
    if "of" in captures:
        reading.heirs[captures["of"][0].start_byte] = found
    else:
        reading.scope.bases += found


def _on_extends(reading: Reading, node: Node, captures: Captures) -> None:
    """The function around is called on what its first parameter takes, where that is marked so."""
    if reading.chains.text(node) in reading.language.self_names:
        reading.scope.definition = reading.scope.definition._replace(scope=EXTENSION)


def _on_decorator(reading: Reading, node: Node, captures: Captures) -> None:
    chain = reading.chains.chain(node)
    if chain is None:
        return
    if "of" in captures:
        reading.waiting.setdefault(captures["of"][0].start_byte, []).append(chain)
    else:
        reading.scope.decorators.append(chain)


HANDLERS: dict[str, Handler] = {
    "call": _on_call,
    "given": _on_given,
    "raise": _on_raise,
    "read": _on_read,
    "mention": _on_mention,
    "base": _on_base,
    "extends": _on_extends,
    "decorator": _on_decorator,
}
