"""Tells cheaply whether a checkout is still as the graph has it: one stat per file and folder."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from loremap.model.identity import Repository
from loremap.storage.graph import read
from loremap.storage.graph.file import GraphFile
from loremap.storage.graph.rows import Stamp

LISTED = "listed"
"""The fact in the graph that says by which stamps the files were last listed."""
UNREAD = "unread"
"""The fact in the graph that says how many files are still to be read."""


FAR_SECONDS = 2.0
"""How often folders that hold no source are looked at; a first file there may be this late."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look found."""

    relist: bool
    """Whether files may have come, gone or changed their standing."""
    changed: tuple[str, ...]
    """The paths of files whose content may have changed."""

    @property
    def nothing(self) -> bool:
        """Whether all is as it was."""
        return not self.relist and not self.changed


class Look:
    """The stamps of one checkout, held in memory between questions."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._top = f"{repository.root}/"
        self._seq = -1
        self._files: list[tuple[str, int, int, int]] = []
        self._near: list[tuple[str, tuple[int, int]]] = []
        self._far: list[tuple[str, tuple[int, int]]] = []
        self._far_looked = 0.0
        self._listed = ""

    def at(self, graph: GraphFile) -> Seen:
        """Compare the checkout with the graph."""
        self._refresh(graph)
        relist = self._listed != listing_stamp(self._repository) or self._folders_differ()
        changed = []
        lstat = os.lstat
        for path, size, mtime_ns, inode in self._files:
            try:
                found = lstat(path)
            except OSError:
                relist = True
                continue
            if found.st_mtime_ns != mtime_ns or found.st_size != size or found.st_ino != inode:
                if stat.S_ISREG(found.st_mode):
                    changed.append(path.removeprefix(self._top))
                else:
                    relist = True
        return Seen(relist, tuple(changed))

    def _folders_differ(self) -> bool:
        """Whether a folder holds other names than before; those without source are asked less."""
        folders = self._near
        now = time.monotonic()
        if now - self._far_looked > FAR_SECONDS:
            folders, self._far_looked = [*self._near, *self._far], now
        return any(_folder_stamp(path) != stamp for path, stamp in folders)

    def _refresh(self, graph: GraphFile) -> None:
        seq = graph.seq
        if seq == self._seq:
            return
        base, top = str(self._repository.root), self._top
        stamps = read.stamps(graph.conn)
        self._files = [(top + path, *stamp) for path, stamp in stamps]
        near = {path.rpartition("/")[0] for path, _ in stamps} | {""}
        self._near, self._far = [], []
        for path, stamp in read.folders(graph.conn).items():
            (self._near if path in near else self._far).append(
                (top + path if path else base, stamp)
            )
        self._far_looked = 0.0
        self._listed = graph.meta(LISTED)
        self._seq = seq


def stamp_of(path: str | Path) -> Stamp | None:
    """The stamp of a file; None if there is none any more."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ino)


def _folder_stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


def listing_stamp(repository: Repository) -> str:
    """What changes when git's own view changes: what is tracked, what is excluded."""
    if repository.common_dir is None:
        return "plain"
    index = _index(repository)
    places = (index, repository.common_dir / "info" / "exclude")
    return " ".join(str(stamp_of(place)) for place in places)


def _index(repository: Repository) -> Path:
    """Where this worktree's index lies; a linked worktree names its own git folder in a file."""
    marker = repository.root / ".git"
    try:
        named = marker.read_text("utf-8", "surrogateescape") if marker.is_file() else ""
    except OSError:
        named = ""
    git_dir = Path(named.removeprefix("gitdir:").strip()) if named else marker
    return (repository.root / git_dir) / "index"
