"""Reads one file alone into its facts, driven by the query file of its language.

`queries/README.md` lists the captures. A query's matches come in any order; sorted by where they
start, one walk over them beside a stack of open definitions gives each its scope.
"""

from __future__ import annotations

import gc

from tree_sitter import Node

from loremap.code.extraction import bindings, calls, imports, macros, parameters
from loremap.code.extraction.collected import collected
from loremap.code.extraction.openings import matched, numbered, open_definition, open_file
from loremap.code.extraction.parsing import parsed
from loremap.code.extraction.reading import NEVER, Handler, Reading
from loremap.code.facts import FileFacts
from loremap.code.languages import tools

_BEFORE = frozenset(
    {"return", "yield", "call", "given", "read", "raise", "binding", "assign", "export"}
)
"""Captures that belong outside a function that starts where they do."""
_HANDLERS: dict[str, Handler] = {
    **bindings.HANDLERS,
    **calls.HANDLERS,
    **imports.HANDLERS,
    **macros.HANDLERS,
    **parameters.HANDLERS,
}


def extract(source: bytes, language: str) -> FileFacts:
    """The facts of a file; any bytes will do, and what is not understood is left out."""
    kit = tools(language)
    collects = gc.isenabled()
    gc.disable()  # many small objects and no cycles: collecting would cost half as much again
    try:
        branches = kit.language.preprocessed
        root = parsed(kit.parser, source, noise=kit.noise, branches=branches)
        return _facts(Reading(source, kit), root)
    finally:
        if collects:
            gc.enable()


def _facts(reading: Reading, root: Node) -> FileFacts:
    openings, events = matched(reading.kit, root, events=_HANDLERS)
    open_file(reading, root)
    upcoming = numbered(reading, openings)
    stack, source = reading.stack, reading.source
    following = upcoming[-1].start if upcoming else NEVER
    for start, main, node, captures in events:
        at = start - 1 if main in _BEFORE else start
        while following <= at:
            open_definition(reading, upcoming.pop())
            following = upcoming[-1].start if upcoming else NEVER
        while stack[-1].end <= at and len(stack) > 1:
            stack.pop()
        reading.scope = stack[-1]
        if start > reading.counted:
            reading.line += source.count(b"\n", reading.counted, start)
            reading.counted = start
        _HANDLERS[main](reading, node, captures)
    while upcoming:
        open_definition(reading, upcoming.pop())
    if reading.macros:
        reading.bindings += macros.macro_bindings(reading)
    return collected(reading, root)
