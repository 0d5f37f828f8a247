"""Joins the files of a project, one at a time, to what their names mean."""

from __future__ import annotations

import gc
from collections.abc import Iterable

from loremap.code.facts import FileFacts
from loremap.code.project import Project
from loremap.code.resolution.evaluate import Evaluator
from loremap.code.resolution.linking import Linking
from loremap.code.resolution.links import Links


class Resolver:
    """Resolves the files of a project one by one, keeping what it learned of others."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._evaluator = Evaluator(project)

    def forget(self, paths: Iterable[str]) -> None:
        """Must be told when files have changed."""
        self._evaluator.forget(paths)

    def facts(self, path: str) -> FileFacts | None:
        """The facts of a file, which it may still hold from before."""
        table = self._evaluator.table(path)
        return table.facts if table is not None else None

    @property
    def steps(self) -> int:
        """How many questions the last file raised that nobody had asked before."""
        return self._evaluator.memo.steps

    def links(self, path: str) -> Links:
        """What the file at `path` is joined to; nothing where it has no facts."""
        collects = gc.isenabled()
        gc.disable()  # many small objects and no cycles: collecting would cost half as much again
        try:
            self._evaluator.memo.start(path)
            table = self._evaluator.table(path)
            if table is None:
                return Links([], [], [])
            return Linking(self._project, self._evaluator, table).links()
        finally:
            if collects:
                gc.enable()
