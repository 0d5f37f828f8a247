"""The calls of a name that could not be joined to what they mean."""

from __future__ import annotations

from dataclasses import dataclass

from loremap.code.facts import from_bytes
from loremap.model.code import SymbolKind
from loremap.storage.graph import read
from loremap.storage.graph.file import Graph

PLACES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Unresolved:
    """How many calls of a name mean nothing that is known, and where the first of them stand."""

    total: int = 0
    places: tuple[tuple[str, int], ...] = ()

    def said(self, name: str) -> str:
        """What an answer says that has no caller of `name` to show."""
        if not self.total:
            return f"Nothing in this project calls {name}."
        calls = "1 call" if self.total == 1 else f"{self.total} calls"
        listed = ", ".join(f"{path}:{line}" for path, line in self.places[:PLACES_SHOWN])
        more = self.total - min(len(self.places), PLACES_SHOWN)
        shown = f"{listed} and {more} more" if more else listed
        return f"No caller of {name} found; {calls} of that name could not be resolved: {shown}."


def unresolved_calls(conn: Graph, name: str, *, limit: int) -> Unresolved:
    """The calls of `name` in the project that no edge joins to anything of that name."""
    joined = read.joined_calls(conn, name)
    found = [
        (path, call.line)
        for path, data in read.facts_holding(conn, name)
        for call in from_bytes(data).calls
        if _called(call.target) == name and (path, call.line) not in joined
    ]
    return Unresolved(len(found), tuple(found[:limit]))


def called_name(qualified: str, kind: SymbolKind) -> str:
    """The name that calls of a symbol write; empty for a file."""
    return "" if kind is SymbolKind.FILE else qualified.rpartition(".")[2].partition("#")[0]


def _called(chain: str) -> str:
    return chain.rpartition(".")[2]
