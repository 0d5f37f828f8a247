"""What the code graph holds: symbols, and the edges between them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SymbolKind(StrEnum):
    """What a node of the graph is."""

    FILE = "file"
    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    TYPE = "type"
    """An interface, struct, enum, trait, alias: what is a type and not called a class."""
    VARIABLE = "variable"
    IMPORT = "import"


CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})


class EdgeKind(StrEnum):
    """How two nodes are joined, read from source to target."""

    CONTAINS = "contains"
    CALLS = "calls"
    IMPORTS = "imports"
    USES = "uses"
    INHERITS = "inherits"
    REFERENCES = "references"


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """One node of the graph; a file is a symbol too, with an empty qualified name."""

    path: str
    name: str
    qualified: str
    """Its dotted name inside the file: `Class.method`; a second one of that name ends in `#2`."""
    kind: SymbolKind
    language: str
    start_line: int
    end_line: int
    signature: str = ""
    doc: str = ""
    scope: str = "module"
    """Of a variable: module, class or instance."""

    @property
    def key(self) -> str:
        """How a symbol is named across the project: `src/a.py::Class.method`."""
        return f"{self.path}::{self.qualified}" if self.qualified else self.path


@dataclass(frozen=True, slots=True)
class Edge:
    """One join of two symbols and the line of the source where it is written."""

    source: Symbol
    target: Symbol
    kind: EdgeKind
    line: int


@dataclass(frozen=True, slots=True)
class ImportLine:
    """What one import statement names, and the project's file it means, if it means one."""

    path: str
    line: int
    module: str
    items: tuple[str, ...]
    target: str | None
