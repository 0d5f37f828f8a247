"""Notes which files sessions work in, and tells the map now and then, away from who waits."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Thread
from time import monotonic

from loremap.clients.payloads.record import Place
from loremap.errors import LoremapError
from loremap.memory.modules import Modules
from loremap.memory.workspace import Workspace
from loremap.memory.workspaces import Workspaces
from loremap.model.event import Event
from loremap.model.hook import Moment, Operation
from loremap.storage.caught import caught

QUIET_S = 10.0
"""How long a session's files are gathered before the map is told."""
_TELLS = frozenset({Moment.STOP, Moment.SESSION_END})
_WORK = frozenset({Operation.READ, Operation.WRITE, Operation.EDIT, Operation.ANALYZE})


@dataclass(slots=True)
class _Gathered:
    due: float
    paths: set[str] = field(default_factory=set)


class Touches:
    """The files that sessions have worked in and the map does not know of yet."""

    def __init__(self, workspaces: Workspaces[Workspace]) -> None:
        self._workspaces = workspaces
        self._waiting: dict[tuple[Path, str, str], _Gathered] = {}
        self._changed = Condition()
        self._thread: Thread | None = None
        self._closed = False

    def note(self, event: Event, place: Place) -> None:
        """Gather the files of an event; the end of a turn or of the session tells the map."""
        if place.folder is None or place.project_id is None:
            return
        key = (place.folder, event.session_id, event.client)
        paths = _paths(event)
        with self._changed:
            gathered = self._waiting.get(key)
            if paths:
                gathered = gathered or _Gathered(monotonic() + QUIET_S)
                gathered.paths |= paths
                self._waiting[key] = gathered
            elif gathered is None or event.moment not in _TELLS:
                return
            if event.moment in _TELLS:
                gathered.due = 0.0
            self._start()
            self._changed.notify()

    def close(self) -> None:
        """Tell what waits, and end."""
        with self._changed:
            self._closed = True
            thread = self._thread
            self._changed.notify()
        if thread is not None:
            thread.join()

    def _start(self) -> None:
        if self._thread is None and not self._closed:
            self._thread = Thread(target=self._run, name="touches", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not (due := self._due()) and not self._closed:
                    self._changed.wait(self._pause())
                if not due:
                    return
                told = {key: self._waiting.pop(key) for key in due}
            for (folder, session_id, client), gathered in told.items():
                self._tell(folder, session_id, client, gathered.paths)

    def _due(self) -> list[tuple[Path, str, str]]:
        now = monotonic()
        return [
            key for key, gathered in self._waiting.items() if gathered.due <= now or self._closed
        ]

    def _pause(self) -> float | None:
        if not self._waiting:
            return None
        first = min(gathered.due for gathered in self._waiting.values())
        return max(first - monotonic(), 0.0)

    def _tell(self, folder: Path, session_id: str, client: str, paths: set[str]) -> None:
        try:
            with self._workspaces.at(folder, session_id=session_id, agent=client) as lore:
                if not lore.code.scanned:
                    return
                lore.code.kept = True  # nobody waits for a scan here; the resident sees to that
                Modules(lore).touched(session_id, sorted(paths))
        except (LoremapError, OSError) as fault:
            caught(self._workspaces.places.home, "touched", fault)


def _paths(event: Event) -> set[str]:
    """The files of the project that an event worked with."""
    if event.moment is not Moment.AFTER_TOOL:
        return set()
    worked = (use.path for use in event.files if use.operation in _WORK)
    return {path for path in worked if not Path(path).is_absolute()}
