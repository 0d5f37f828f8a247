"""The names of a project's files, held while they are in use."""

from __future__ import annotations

from collections.abc import Iterable

from loremap.code.project import Project
from loremap.code.resolution.memo import Memo
from loremap.code.resolution.tables import Table

LINES_HELD = 220_000
"""After how many lines of files the names of those not asked for since are let go."""


class TableCache:
    """The tables of files, and the memo in which it is noted whom was asked for."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.memo = Memo()
        self._tables: dict[str, Table | None] = {}
        self._older_tables: dict[str, Table | None] = {}
        self._lines = 0

    def table(self, path: str) -> Table | None:
        """The names of a file."""
        self.memo.looked.append(path)
        try:
            return self._tables[path]
        except KeyError:
            return self._held(path)

    def _held(self, path: str) -> Table | None:
        """The names of a file that were not asked for of late; the longest unasked ones are let go.

        Which files are held changes no answer.
        """
        if path in self._older_tables:
            table = self._older_tables.pop(path)
        else:
            facts = self.project.facts(path)
            table = Table(path, facts) if facts is not None else None
        self._lines += table.facts.lines if table is not None else 0
        if self._lines > LINES_HELD:
            self._older_tables, self._tables, self._lines = self._tables, {}, 0
        self._tables[path] = table
        return table

    def forget(self, paths: Iterable[str]) -> None:
        """Drops the names of these files, and every answer."""
        for path in paths:
            self._tables.pop(path, None)
            self._older_tables.pop(path, None)
        self.memo.forget()
