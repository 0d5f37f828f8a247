"""What is known of a file while it is being read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from loremap.code.extraction import spans
from loremap.code.extraction.chains import Chains, Values
from loremap.code.extraction.typewords import values_of_type
from loremap.code.facts import Binding, Call, Definition, Import, Reference
from loremap.code.grammars.language import Language
from loremap.code.languages import Tools
from loremap.model.code import SymbolKind

Captures = dict[str, list[Node]]
FILE = 0
FILE_KIND = SymbolKind.FILE.value
METHOD = SymbolKind.METHOD.value
CLASSES = frozenset({SymbolKind.CLASS.value, SymbolKind.TYPE.value})
NEVER = 1 << 62


class Open:
    """A definition while it is being read: the mutable twin of `Definition`."""

    __slots__ = (
        "bases", "decorators", "definition", "end", "globals", "index", "lead",
        "nonlocals", "params", "results", "start",
    )  # fmt: skip

    def __init__(self, index: int, definition: Definition, lead: int) -> None:
        self.index = index
        self.definition = definition
        self.start = definition.start_byte
        self.end = definition.end_byte
        self.lead = lead
        """The indent of its body; what stands deeper is conditional."""
        self.params = definition.params
        self.bases = definition.bases
        self.decorators = definition.decorators
        self.results = 0
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()


class NamespaceBlock:
    """A block that declares a namespace, and how many bytes of it no inner one holds."""

    __slots__ = ("end", "name", "size")

    def __init__(self, name: str, end: int, size: int) -> None:
        self.name = name
        self.end = end
        self.size = size


class Reading:
    """The facts of one file so far, and where in it we are."""

    def __init__(self, source: bytes, kit: Tools) -> None:
        self.source = source
        self.kit = kit
        self.language: Language = kit.language
        self.chains = Chains(source, kit)
        language = kit.language
        special = (
            language.import_calls,
            language.requires,
            language.overloads,
            language.base_calls,
        )
        self.calls_are_simple = not any(special) and self.chains.calls_are_plain
        self.package = ""
        self.blocks: list[NamespaceBlock] = []
        self.outside_blocks = len(source)
        self.imports: list[Import] = []
        self.bindings: list[Binding] = []
        self.assigned: list[Binding] = []
        self.calls: list[Call] = []
        self.references: list[Reference] = []
        self.reads: list[Reference] = []
        self.line = 1
        self.counted = 0
        self.opened: list[Open] = []
        self.stack: list[Open] = []
        self.scope: Open
        self.waiting: dict[int, list[str]] = {}
        """Decorators read before what they decorate, by where it starts."""
        self.heirs: dict[int, list[str]] = {}
        """The same for what a definition inherits."""
        self.marks: dict[int, int] = {}
        """Index of a function's definition by where its node starts."""
        self.types: dict[str, int] = {}
        """Index of each class and type of the file by name; the first of that name."""
        self.variables: dict[tuple[int, str], Definition] = {}
        self.trailing: dict[tuple[int, str, int], str] = {}
        """Functions written after the brackets of calls, by scope, target and line of these."""
        self.macros: dict[str, tuple[int, int, list[Any]]] = {}
        """Index, line and rules of each macro, by name."""

    def declared_package(self) -> str:
        """The package of the file: as declared for all of it, or for most of it in blocks."""
        if self.package or not self.blocks:
            return self.package
        largest = max(self.blocks, key=lambda one: one.size)
        return largest.name if largest.size > self.outside_blocks else ""

    def move(self, start: int) -> None:
        """Counts the lines up to a byte."""
        if start > self.counted:
            self.line += self.source.count(b"\n", self.counted, start)
            self.counted = start

    def firm(self, at: int) -> bool:
        """Whether what stands at a byte always happens when its scope runs."""
        return spans.indent(self.source, at) <= self.scope.lead

    def bind_all(self, target: str, values: Values, *, firm: bool = False) -> None:
        """Binds a name, or places in it, to all that it may be worth."""
        scope, line = self.scope.index, self.line
        self.bindings += [
            Binding(scope, target + place, value, line, firm) for place, value in values
        ]

    def bind_type(self, target: str, node: Node) -> None:
        """Binds a name to what a type says of it."""
        values = values_of_type(self.language.name, self.chains.text(node))
        self.bind_all(target, list(values), firm=True)


Handler = Callable[[Reading, Node, Captures], None]
"""Adds what one match of the query says to the reading."""
