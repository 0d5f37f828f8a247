"""Puts together what was read of a file, once all of it is known."""

from __future__ import annotations

import re
from operator import attrgetter

from tree_sitter import Node

from loremap.code.extraction.reading import CLASSES, FILE, METHOD, Reading
from loremap.code.facts import (
    EXTENSION,
    TRAILING,
    Binding,
    Call,
    Definition,
    FileFacts,
    Reference,
)

_MARK = re.compile(r"<fn@(\d+)>")
_IMPLICIT = re.compile(r"[\w\s\[\]]*\bimplicit\b[\w\s\[\]]*\bclass\b")
_ROOT = re.compile(r"[^\W\d][\w$]*")


def collected(reading: Reading, root: Node) -> FileFacts:
    """The facts of the file under `root`, after all of it was read."""
    definitions = [one.definition for one in reading.opened]
    marked = reading.chains.marked
    if marked:
        definitions = [
            one._replace(
                bases=[_numbered_marks(reading, base) for base in one.bases],
                decorators=[_numbered_marks(reading, chain) for chain in one.decorators],
            )
            if one.bases or one.decorators
            else one
            for one in definitions
        ]
    definitions = _held_by_none_of_their_own(definitions)
    if reading.language.implicit_classes:
        definitions = _of_implicit_classes(reading, definitions)
    methods = {(one.parent, one.name) for one in definitions}
    definitions += [variable for key, variable in reading.variables.items() if key not in methods]
    bindings = reading.bindings + _placed(reading, definitions)
    bindings.sort(key=attrgetter("line"))
    calls = reading.calls
    if reading.trailing:
        calls = [_with_block(reading, call) for call in calls]
    if marked:
        bindings = [
            one._replace(value=_numbered_marks(reading, one.value)) if "<fn@" in one.value else one
            for one in bindings
        ]
        calls = [_call_with_marks(reading, call) for call in calls]
    return FileFacts(
        language=reading.language.name,
        package=reading.declared_package(),
        definitions=definitions,
        imports=reading.imports,
        bindings=bindings,
        calls=calls,
        references=_kept_reads(reading, definitions),
        broken=root.has_error,
        lines=definitions[0].end_line,
    )


def _of_implicit_classes(reading: Reading, definitions: list[Definition]) -> list[Definition]:
    """`definitions`, the methods of implicit classes called on what such a class is given."""
    implicit = {
        index
        for index, one in enumerate(definitions)
        if one.kind in CLASSES and _IMPLICIT.match(one.signature)
    }
    if not implicit:
        return definitions
    given: dict[int, str] = {}
    for binding in reading.bindings:
        given.setdefault(binding.scope, binding.value.removesuffix("()"))
    return [
        one._replace(scope=EXTENSION, bases=[given.get(one.parent, "")])
        if one.parent in implicit and one.kind == METHOD
        else one
        for one in definitions
    ]


def _placed(reading: Reading, definitions: list[Definition]) -> list[Binding]:
    """The assignments to what is declared outside their scope, moved to where it is."""
    if not reading.assigned:
        return []
    declared: dict[int, set[str]] = {0: set()}
    for binding in reading.bindings:
        declared.setdefault(binding.scope, set()).add(binding.target)
    for index, one in enumerate(definitions):
        declared.setdefault(index, set()).update(word.lstrip("*") for word in one.params)
    placed: list[Binding] = []
    for one_assigned in reading.assigned:
        root = _ROOT.match(one_assigned.target)
        name = root[0] if root else ""
        scope = one_assigned.scope
        while scope and name not in declared.get(scope, ()):
            scope = definitions[scope].parent
        moved = scope if scope or name in declared[0] else one_assigned.scope
        placed.append(one_assigned._replace(scope=moved))
    return placed


def _with_block(reading: Reading, call: Call) -> Call:
    """A call with the function that is written after it, which is its last argument."""
    block = reading.trailing.get((call.scope, call.target, call.line))
    if block is None:
        return call
    return call._replace(arguments=[*call.arguments, (TRAILING, block)])


def _call_with_marks(reading: Reading, call: Call) -> Call:
    given = call.arguments
    if "<fn@" in call.target or any("<fn@" in value for _, value in given):
        return call._replace(
            target=_numbered_marks(reading, call.target),
            arguments=[(key, _numbered_marks(reading, value)) for key, value in given],
        )
    return call


def _numbered_marks(reading: Reading, chain: str) -> str:
    """`chain` with the functions it says by place now said by index."""
    if "<fn@" not in chain:
        return chain
    return _MARK.sub(lambda mark: f"<fn{reading.marks.get(int(mark[1]), 0)}>", chain)


def _kept_reads(reading: Reading, definitions: list[Definition]) -> list[Reference]:
    """The reads that may mean something of the project: not locals, not parameters."""
    known = {one.alias or one.module.partition(".")[0] for one in reading.imports}
    known |= {one.name for one in definitions if one.parent == FILE}
    members = {one.name for one in definitions if one.parent != FILE}
    kept: dict[tuple[int, str], Reference] = {}
    for read in reading.reads:
        key = (read.scope, read.target)
        if key in kept:
            continue
        root, dot, rest = read.target.partition(".")
        if root in known or (dot and rest.partition(".")[0] in members):
            kept[key] = read
    return list(kept.values())


def _held_by_none_of_their_own(definitions: list[Definition]) -> list[Definition]:
    """`definitions`, those that hold each other given to the file.

    A method may stand before its type, and in broken or odd code the type inside the method.
    """
    if all(one.parent < index for index, one in enumerate(definitions[1:], start=1)):
        return definitions
    kept = list(definitions)
    for index, one in enumerate(definitions):
        if one.parent >= index:
            above, climbed = one.parent, {index}
            while above and above not in climbed:
                climbed.add(above)
                above = kept[above].parent
            if above:
                kept[index] = one._replace(parent=0)
    return kept
