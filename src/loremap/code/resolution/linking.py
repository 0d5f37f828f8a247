"""Joins one file to the project: what its calls, bases, reads and imports mean."""

from __future__ import annotations

from typing import Final

from loremap.code.facts import Call
from loremap.code.project import Project
from loremap.code.resolution.chain_parts import parts_of
from loremap.code.resolution.evaluate import Evaluator
from loremap.code.resolution.flows import Followed
from loremap.code.resolution.links import Link, Links, Outside
from loremap.code.resolution.places import Places, reads
from loremap.code.resolution.roots import Roots
from loremap.code.resolution.tables import CLASS_KINDS, FUNCTION_KINDS, Table
from loremap.code.resolution.targets import CallTargets
from loremap.code.resolution.values import CLASS, EXTERNAL, FUNCTION, Values, is_property
from loremap.model.code import EdgeKind

_CALLS: Final = EdgeKind.CALLS
_IMPORTS: Final = EdgeKind.IMPORTS
_INHERITS: Final = EdgeKind.INHERITS
_REFERENCES: Final = EdgeKind.REFERENCES
_USES: Final = EdgeKind.USES

_RUNNABLE = frozenset({FUNCTION, CLASS})


class Linking:
    """The resolution of one file."""

    def __init__(self, project: Project, evaluator: Evaluator, table: Table) -> None:
        self._project = project
        self._evaluator = evaluator
        self._table = table
        roots = Roots(evaluator, table)
        self._targets = CallTargets(evaluator, table)
        self._followed = Followed(evaluator, table, roots, self._targets)
        self._places = Places(evaluator, table, roots)
        self._edges: dict[Link, None] = {}
        self._outside: dict[Outside, None] = {}

    def links(self) -> Links:
        """All that the file is joined to."""
        calls = self._table.facts.calls
        found, decorated = self._followed.values()
        resolved = 0
        for call, values in zip(calls, found, strict=True):
            if call.implied:
                values = tuple(one for one in values if one.kind in _RUNNABLE)
            resolved += self._add_call(call.scope, values, call.line, call)
        for scope, _, values, line in decorated:
            self._add_call(scope, tuple(one for one in values if one.kind in _RUNNABLE), line)
        self._add_bases()
        self._add_reads()
        imports = self._imports()
        return Links(
            list(self._edges),
            list(self._outside),
            imports,
            self._evaluator.memo.consulted(),
            len(calls),
            resolved,
        )

    def _add_call(self, scope: int, values: Values, line: int, call: Call | None = None) -> bool:
        """Adds the edges of one call; whether it means something in the project."""
        inside = False
        for value in values:
            if value.kind == EXTERNAL:
                self._outside[Outside(scope, value.path, line)] = None
                continue
            targets = self._targets.of(value, call)
            for path, index, kind in targets.edges:
                self._edges[Link(scope, path, index, kind, line)] = None
            for name in targets.outside:
                self._outside[Outside(scope, name, line)] = None
            inside |= targets.inside
        return inside

    def _edge(self, source: int, path: str, target: int, kind: EdgeKind, line: int) -> None:
        self._edges[Link(source, path, target, kind, line)] = None

    def _add_bases(self) -> None:
        table = self._table
        for index, one in enumerate(table.facts.definitions):
            if one.bases and table.kinds[index] in CLASS_KINDS:
                for base in self._evaluator.bases(table.path, index):
                    self._edge(index, base.path, base.index, _INHERITS, one.start_line)

    def _add_reads(self) -> None:
        """The edges of names read: references to functions and types, uses of variables."""
        seen: set[tuple[int, str]] = set()
        for scope, chain, line in reads(self._table.facts):
            while chain[-1:] == "]":
                before, link, _, _, _ = parts_of(chain)
                if not link:
                    break
                chain = before
            key = (scope, chain)
            if key in seen:
                continue
            seen.add(key)
            if chain[-1:] not in ")]":
                for path, index in self._places.of(scope, chain, line):
                    self._add_place(scope, path, index, line)

    def _add_place(self, scope: int, path: str, index: int, line: int) -> None:
        if (path, index) == (self._table.path, scope):
            return
        table = self._evaluator.table(path)
        if table is None:
            return
        kind = table.kinds[index]
        if kind == "variable":
            self._edge(scope, path, index, _USES, line)
        elif kind in FUNCTION_KINDS and self._runs_when_read(table, index):
            self._edge(scope, path, index, _CALLS, line)
        elif not table.facts.definitions[index].name.startswith("<"):
            self._edge(scope, path, index, _REFERENCES, line)

    def _runs_when_read(self, table: Table, index: int) -> bool:
        bare = table.language.bare_calls and table.facts.definitions[index].name[0] != "<"
        return bare or is_property(table, index)

    def _imports(self) -> list[str | None]:
        table = self._table
        found: list[str | None] = []
        for brought in table.facts.imports:
            path = self._project.paths.target(
                table.path, table.language.name, brought.module, brought.item
            )
            found.append(path)
            if path is not None and path != table.path and path in self._project.paths.files:
                self._edge(0, path, 0, _IMPORTS, brought.line)
        return found
