"""The files of this checkout as anchors see them: guarded, and read again only when changed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from loremap.code.checkout import Code
from loremap.code.view import CodeView, FilesView, Place, Shelf
from loremap.errors import LoremapError
from loremap.model.identity import Repository
from loremap.safety.ignored import inside, refusal_for
from loremap.storage.graph import read
from loremap.storage.graph.file import Graph, graph_path


class Checkout:
    """One checkout; each look at it is a view of its own that shares what was read before."""

    def __init__(self, repository: Repository, *, code: Code, graphs: Path) -> None:
        self.repository = repository
        self._code = code
        self._graph = graph_path(graphs, repository.root)
        self.shelf = Shelf()
        self._folders: dict[str, tuple[int, int]] = {}
        self._paths: Sequence[str] = ()

    def look(self) -> CodeView | None:
        """The code as it is now; None if there is none, as in a bare repository."""
        if self.repository.kind == "global" or self._is_bare():
            return None
        return _View(self)

    def scanned(self) -> Graph | None:
        """The code graph as of now, where this checkout was ever scanned; a question about a
        memory does not begin a scan, and does without where the graph cannot be had."""
        if not self._graph.exists():
            return None
        try:
            return self._code.fresh().conn
        except (LoremapError, OSError):
            return None

    def is_readable(self, path: str) -> bool:
        """Whether a path lies inside, and is neither ignored nor secret."""
        root = self.repository.root
        return inside(path, root) is not None and refusal_for(root / path, root) is None

    def listed(self) -> Sequence[str]:
        """The project's files as git lists them, asked again when a folder has changed; without
        git only what is named is known."""
        from loremap.code.listing import files_by_git, real_folders

        root = self.repository.root
        if not self._folders or real_folders(root, list(self._paths)) != self._folders:
            self._paths = files_by_git(root) or ()
            self._folders = real_folders(root, list(self._paths))
        return self._paths

    def _is_bare(self) -> bool:
        return self.repository.root == self.repository.common_dir


class _View(FilesView):
    """One look: files as they lie there, names and hashes as the code graph has them."""

    def __init__(self, checkout: Checkout) -> None:
        super().__init__(
            checkout.repository.root,
            checkout.is_readable,
            checkout.shelf,
            listed=checkout.listed,
        )
        self._checkout = checkout

    @cached_property
    def _scanned(self) -> Graph | None:
        return self._checkout.scanned()

    def by_digest(self, digest: str) -> Sequence[Place]:
        """Where in the project a definition of that hash stands."""
        return [] if self._scanned is None else read.by_digest(self._scanned, digest)

    def by_name(self, name: str) -> Sequence[Place]:
        """Where in the project something of that last name is defined."""
        if self._scanned is None:
            return []
        return [(one.path, one.qualified) for _, one in read.named(self._scanned, name)]
