"""Many folders, one engine: the memory as a long-lived process holds it for every session."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from loremap.config.settings import load
from loremap.memory.engine import Engine
from loremap.memory.workspace import Workspace
from loremap.memory.writing import let_go

SeenFrom = TypeVar("SeenFrom", bound=Workspace, covariant=True)
"""What is opened for a folder."""
MAX_FOLDERS = 32
"""Folders kept open; the one unused longest makes room."""


class Workspaces(Generic[SeenFrom]):
    """The engine of one user, and the folders that sessions work in."""

    def __init__(self, engine: Engine, opened: Callable[[Path], SeenFrom]) -> None:
        self.engine = engine
        self.places = engine.places
        self.now = engine.now
        self._opened = opened
        self._folders: OrderedDict[Path, tuple[SeenFrom, str]] = OrderedDict()
        self._watched: OrderedDict[Path, None] = OrderedDict()

    @contextmanager
    def at(
        self,
        folder: Path,
        *,
        session_id: str | None = None,
        agent: str | None = None,
        watched: bool = True,
    ) -> Iterator[SeenFrom]:
        """The memory as seen from `folder`, held alone while it is used. A folder that is not
        `watched` leaves no trace: an incognito session may be the only one in it."""
        folder = folder.absolute()
        with self.engine.lock:
            if watched:
                self._watched[folder] = None
                self._watched.move_to_end(folder)
            yield self._lore(folder).as_session(session_id, agent)

    def folders(self) -> tuple[Path, ...]:
        """The folders that are worked in and may be watched, the one used last at the end; one that
        was removed is left out."""
        with self.engine.lock:
            known = tuple(self._watched)
        return tuple(folder for folder in known if is_there(folder))

    def settings_changed(self) -> None:
        """Read the settings again; a broken file raises and leaves those in force."""
        with self.engine.lock:
            self.engine.settings = load(self.places.settings)
        self.engine.standby.refresh()

    def close(self) -> None:
        """Let go of everything."""
        with self.engine.lock:
            for lore, _ in self._folders.values():
                let_go(lore)
            self._folders.clear()
            self._watched.clear()
            self.engine.close()

    def _lore(self, folder: Path) -> SeenFrom:
        """The folder's memory; opened anew where another branch is checked out there now."""
        lore, head = self._folders.pop(folder, (None, ""))
        if lore is not None and head_of(lore.repository.root) != head:
            let_go(lore)
            lore = None
        if lore is None:
            lore = self._opened(folder)
            head = head_of(lore.repository.root)
        self._folders[folder] = (lore, head)
        while len(self._folders) > MAX_FOLDERS:
            gone, (unused, _) = self._folders.popitem(last=False)
            self._watched.pop(gone, None)
            let_go(unused)
        return lore


def is_there(folder: Path) -> bool:
    """Whether it is a folder that can be looked into."""
    try:
        return folder.is_dir()
    except (OSError, ValueError):  # a name that no file can have
        return False


def head_of(root: Path) -> str:
    """What git's HEAD says in this worktree; empty where there is none. Asking git takes longer
    than a hook may."""
    marker = root / ".git"
    try:
        if marker.is_file():
            marker = root / marker.read_text("utf-8").removeprefix("gitdir:").strip()
        return (marker / "HEAD").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
