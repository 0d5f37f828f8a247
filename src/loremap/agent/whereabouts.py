"""Where sessions work, as their hooks tell it: a tool of theirs may be started elsewhere."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock

MAX_SESSIONS = 512


class Whereabouts:
    """The folder of each session heard of lately; nothing of it is stored."""

    def __init__(self) -> None:
        self._folders: OrderedDict[str, Path] = OrderedDict()
        self._lock = Lock()

    def note(self, session_id: str, folder: Path) -> None:
        """A session works there."""
        with self._lock:
            self._folders[session_id] = folder
            self._folders.move_to_end(session_id)
            while len(self._folders) > MAX_SESSIONS:
                self._folders.popitem(last=False)

    def of(self, session_id: str) -> Path | None:
        """Where a session works; None where it was not heard of."""
        with self._lock:
            return self._folders.get(session_id)
