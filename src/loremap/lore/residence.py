"""Many folders, one house: the memory as a long-lived process holds it for every session."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from loremap.config.folders import Folders
from loremap.config.settings import load
from loremap.lore.facade import Lore
from loremap.lore.house import House
from loremap.lore.standpoint import utc_now

MOST_FOLDERS = 32
"""Folders kept open; the one unused longest makes room."""


class Residence:
    """The house of one user, and the folders that sessions work in."""

    def __init__(self, places: Folders, *, now: Callable[[], datetime] = utc_now) -> None:
        self.places = places
        self.now = now
        self.house = House(places, load(places.settings), now=now)
        self._folders: OrderedDict[Path, tuple[Lore, str]] = OrderedDict()
        self._watched: OrderedDict[Path, None] = OrderedDict()

    @contextmanager
    def at(
        self,
        folder: Path,
        *,
        session_id: str | None = None,
        agent: str | None = None,
        watched: bool = True,
    ) -> Iterator[Lore]:
        """The memory as seen from `folder`, held alone while it is used. A folder that is not
        `watched` leaves no trace: an incognito session may be the only one in it."""
        folder = folder.absolute()
        with self.house.lock:
            if watched:
                self._watched[folder] = None
                self._watched.move_to_end(folder)
            yield self._lore(folder).as_session(session_id, agent)

    def folders(self) -> tuple[Path, ...]:
        """The folders that are worked in and may be watched, the one used last at the end; one that
        was removed is left out."""
        with self.house.lock:
            known = tuple(self._watched)
        return tuple(folder for folder in known if is_there(folder))

    def settings_changed(self) -> None:
        """Read the settings again; a broken file raises and leaves those in force."""
        with self.house.lock:
            self.house.settings = load(self.places.settings)
        self.house.standby.refresh()

    def close(self) -> None:
        """Let go of everything."""
        with self.house.lock:
            for lore, _ in self._folders.values():
                lore.close()
            self._folders.clear()
            self._watched.clear()
            self.house.close()

    def _lore(self, folder: Path) -> Lore:
        """The folder's memory; opened anew where another branch is checked out there now."""
        lore, head = self._folders.pop(folder, (None, ""))
        if lore is not None and head_of(lore.repository.root) != head:
            lore.close()
            lore = None
        if lore is None:
            lore = Lore(
                folder,
                places=self.places,
                settings=self.house.settings,
                now=self.now,
                house=self.house,
            )
            head = head_of(lore.repository.root)
        self._folders[folder] = (lore, head)
        while len(self._folders) > MOST_FOLDERS:
            gone, (unused, _) = self._folders.popitem(last=False)
            self._watched.pop(gone, None)
            unused.close()
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
