"""What happens again and again in a project, as a person may ask for it and forget it."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.errors import BadInput, NotFound
from loremap.memory.workspace import Workspace
from loremap.model.pattern import Pattern, PatternType
from loremap.storage import patterns

_SHORTEST = 4
MAX_LISTED = 50


class Patterns:
    """The patterns of the project of this folder."""

    def __init__(self, here: Workspace) -> None:
        self._here = here

    def list(
        self,
        *,
        type_: PatternType | None = None,
        file: str | None = None,
        limit: int = MAX_LISTED,
    ) -> Sequence[Pattern]:
        """What sessions here showed again and again, the most seen first; of one type, or with one
        file."""
        if self._here.project_id is None:
            return ()
        path = None if file is None else self._here.path_as_named(file)
        with self._here.store.read() as conn:
            return patterns.of_project(
                conn, self._here.project_id, type_=type_, file=path, limit=limit
            )

    def together(self, file: str, *, limit: int = MAX_LISTED) -> Sequence[tuple[str, Pattern]]:
        """The files that were changed together with one at least three times, the surest first."""
        if self._here.project_id is None:
            return ()
        path = self._here.path_as_named(file)
        with self._here.store.read() as conn:
            return patterns.together(conn, self._here.project_id, path)[:limit]

    def forget(self, reference: str) -> Pattern:
        """Erase a pattern, by the end of its id; it is not learned again."""
        if self._here.agent is not None:
            raise BadInput("Only a person forgets a pattern; nothing was changed.")
        found = self._ending_with(reference)
        with self._here.store.append() as conn:
            patterns.forget(conn, [found.id], self._here.now())
        return found

    def _ending_with(self, reference: str) -> Pattern:
        project, found = self._here.project_id, list[Pattern]()
        if project is not None and len(reference) >= _SHORTEST:
            with self._here.store.read() as conn:
                found = patterns.ending_with(conn, project, reference)
        if len(found) != 1:
            said = f"{len(found)} patterns end with" if found else "There is no pattern"
            raise NotFound(f"{said} {reference!r}.", hint="`lore patterns` lists them.")
        return found[0]
