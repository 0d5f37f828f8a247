"""What the parts of the resolver ask of the whole: a name may be an import, whose module binds it
to a call, whose result is a member."""

from __future__ import annotations

from typing import Protocol

from loremap.code.resolution.tables import Table
from loremap.code.resolution.values import Value, Values


class Questions(Protocol):
    """The three questions whose answers may raise any of the others; all else runs one way."""

    def values(self, table: Table, scope: int, chain: str, line: int = 0) -> Values:
        """What `chain`, written in `scope` at `line`, may stand for."""

    def member(self, value: Value, name: str, line: int = 0) -> Values:
        """What the member `name` of a value may be."""

    def local(self, table: Table, scope: int, name: str, line: int) -> Values | None:
        """What a name means in one scope; None where that scope does not know it."""
