"""Many folders, one engine: the memory as a long-lived process holds it for every session."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, RLock
from typing import Generic, TypeVar

from loremap.code.repository import repository_at
from loremap.config.settings import load
from loremap.memory.engine import Engine
from loremap.memory.workspace import Workspace
from loremap.memory.writing import let_go
from loremap.model.memory import Actor
from loremap.model.session import Session
from loremap.storage import projects, sessions

SeenFrom = TypeVar("SeenFrom", bound=Workspace, covariant=True)
"""What is opened for a folder."""
MAX_FOLDERS = 32
"""Folders kept open; the one unused longest makes room."""


@dataclass(slots=True, eq=False)
class _Folder(Generic[SeenFrom]):
    lock: RLock = field(default_factory=RLock)
    """Held by whoever uses the folder."""
    lore: SeenFrom | None = None
    head: str = ""
    users: int = 0
    """Threads that use it or wait for it."""


class Workspaces(Generic[SeenFrom]):
    """The engine of one user, and the folders that sessions work in. A folder is used by one thread
    at a time; what folders share protects itself, so that none waits for another."""

    def __init__(self, engine: Engine, opened: Callable[[Path], SeenFrom]) -> None:
        self.engine = engine
        self.places = engine.places
        self.now = engine.now
        self._opened = opened
        self._folders: OrderedDict[Path, _Folder[SeenFrom]] = OrderedDict()
        self._watched: OrderedDict[Path, None] = OrderedDict()
        self._lock = Lock()
        """Held for a moment by whoever looks up a folder, and never while one is used."""

    @contextmanager
    def at(
        self,
        folder: Path,
        *,
        session_id: str | None = None,
        agent: str | None = None,
        role: str | None = None,
        watched: bool = True,
    ) -> Iterator[SeenFrom]:
        """The memory as seen from `folder`, held alone while it is used. A folder that is not
        `watched` leaves no trace: an incognito session may be the only one in it."""
        folder = folder.absolute()
        kept = self._entered(folder, watched=watched)
        try:
            with kept.lock:
                yield self._lore(folder, kept).as_session(session_id, agent, role)
        finally:
            self._left(kept)

    @contextmanager
    def aside(self, folder: Path) -> Iterator[SeenFrom]:
        """The memory as seen from `folder` for long work in the background: by itself, so that no
        session there waits for it."""
        lore = self._opened(folder.absolute())
        try:
            yield lore
        finally:
            let_go(lore)

    def folder_of(self, session: Session) -> Path | None:
        """Where a session worked; where that has gone, a worktree for one, another folder of its
        project; None where none is left."""
        own = Path(session.folder or "")
        if own.is_absolute() and is_there(own):
            return own
        if session.project_id is None:
            return None
        with self.engine.store.read() as conn:
            known = projects.places_of(conn, session.project_id)
            known += sessions.folders_of(conn, session.project_id)
        return next((one for one in map(Path, known) if self._is_of(one, session)), None)

    def _is_of(self, folder: Path, session: Session) -> bool:
        """Whether a folder is there and belongs to a session's project still."""
        if not folder.is_absolute() or not is_there(folder):
            return False
        found = projects.find(self.engine.store, repository_at(folder), tenant_id=Actor().tenant_id)
        return found is not None and found.id == session.project_id

    def folders(self) -> tuple[Path, ...]:
        """The folders that are worked in and may be watched, the one used last at the end; one that
        was removed is left out."""
        with self._lock:
            known = tuple(self._watched)
        return tuple(folder for folder in known if is_there(folder))

    def settings_changed(self) -> None:
        """Read the settings again; a broken file raises and leaves those in force."""
        self.engine.settings = load(self.places.settings)
        self.engine.standby.refresh()

    def close(self) -> None:
        """Let go of everything, each folder once nobody uses it."""
        with self._lock:
            every = tuple(self._folders.values())
            self._folders.clear()
            self._watched.clear()
        for kept in every:
            with kept.lock:
                _let_go(kept)
        self.engine.close()

    def _entered(self, folder: Path, *, watched: bool) -> _Folder[SeenFrom]:
        with self._lock:
            kept = self._folders.setdefault(folder, _Folder())
            self._folders.move_to_end(folder)
            kept.users += 1
            if watched:
                self._watched[folder] = None
                self._watched.move_to_end(folder)
            return kept

    def _left(self, kept: _Folder[SeenFrom]) -> None:
        """Make room where too many folders are open; one that is in use stays."""
        with self._lock:
            kept.users -= 1
            idle = [name for name, one in self._folders.items() if not one.users]
            too_many = max(len(self._folders) - MAX_FOLDERS, 0)
            for name in idle[:too_many]:
                self._watched.pop(name, None)
            unused = [self._folders.pop(name) for name in idle[:too_many]]
        for one in unused:
            _let_go(one)

    def _lore(self, folder: Path, kept: _Folder[SeenFrom]) -> SeenFrom:
        """The folder's memory; opened anew where another branch is checked out there now."""
        if kept.lore is not None and head_of(kept.lore.repository.root) != kept.head:
            _let_go(kept)
        if kept.lore is None:
            kept.lore = self._opened(folder)
            kept.head = head_of(kept.lore.repository.root)
        return kept.lore


def _let_go(kept: _Folder[SeenFrom]) -> None:
    if kept.lore is not None:
        let_go(kept.lore)
        kept.lore = None


def is_there(folder: Path) -> bool:
    """Whether it is a folder that can be looked into."""
    try:
        return folder.is_dir()
    except (OSError, ValueError):  # a name that no file can have
        return False


def head_of(root: Path) -> str:
    """What git's HEAD says in this worktree; empty if there is none. Asking git takes longer
    than a hook may."""
    marker = root / ".git"
    try:
        if marker.is_file():
            marker = root / marker.read_text("utf-8").removeprefix("gitdir:").strip()
        return (marker / "HEAD").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
