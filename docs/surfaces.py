"""A contract for import-linter: of another room one knows its surface, and no more.

A room's surface is what its `__init__.py` names as `SURFACE`: modules below it, by dotted path. Who
wires everything (`free`) may know more; a room that names no surface shows all it has. A module
that is named and that nobody imports from outside is no surface either.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import grimp
from importlinter import Contract, ContractCheck, fields, output


class SurfaceContract(Contract):  # type: ignore[misc]  # import-linter ships no types
    """Rooms are entered by their surface."""

    package = fields.StringField()
    free = fields.ListField(subfield=fields.StringField())

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        """Which imports go past a surface, and which names of a surface nobody uses."""
        rooms = {room.rpartition(".")[2] for room in graph.find_children(self.package)}
        surfaces = {room: found for room in rooms if (found := surface_of(self.package, room))}
        past: list[tuple[str, str]] = []
        used: set[str] = set()
        for importer, imported in _crossings(graph, str(self.package), set(surfaces)):
            room, _, module = imported.removeprefix(f"{self.package}.").partition(".")
            if not module:
                continue
            used.add(f"{room}.{module}")
            if module not in surfaces[room] and _room(importer, self.package) not in self.free:
                past.append((importer, imported))
        named = {f"{room}.{module}" for room, modules in surfaces.items() for module in modules}
        idle = sorted(named - used)
        return ContractCheck(kept=not past and not idle, metadata={"past": past, "idle": idle})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Say each."""
        for importer, imported in sorted(check.metadata["past"]):
            output.print_error(f"{importer} imports {imported}, which is no surface of its room.")
        for module in check.metadata["idle"]:
            output.print_error(f"{module} is named as surface, and no other room imports it.")


def surface_of(package: Any, room: str) -> frozenset[str]:
    """What a room shows; nothing where it does not say."""
    found = find_spec(f"{package}.{room}")
    if found is None or found.origin is None or Path(found.origin).name != "__init__.py":
        return frozenset()
    for node in ast.parse(Path(found.origin).read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "SURFACE":
            return frozenset(ast.literal_eval(node.value))
    return frozenset()


def _crossings(
    graph: grimp.ImportGraph, package: str, rooms: set[str]
) -> Iterator[tuple[str, str]]:
    """The imports that enter a room from another one."""
    for imported in sorted(graph.modules):
        room = _room(imported, package)
        if room in rooms:
            for importer in sorted(graph.find_modules_that_directly_import(imported)):
                if _room(importer, package) != room:
                    yield importer, imported


def _room(module: str, package: Any) -> str:
    return module.removeprefix(f"{package}.").partition(".")[0]
