"""Keeps the code graphs of projects in use true: scans them in the background when files change."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from loremap.errors import LoremapError

if TYPE_CHECKING:
    from loremap.app.lore import Lore
    from loremap.code.checkout import Code
    from loremap.memory.workspaces import Workspaces
    from loremap.model.identity import Repository

log = logging.getLogger("loremap.resident")

MAX_PROJECTS = 8
MAX_FOLDERS = 8_000
"""More cannot be watched with what a system allows by default; such a project is looked at."""
TICK_MS = 500
SETTLE_MS = 300
LOOK_EVERY_S = 60.0
LOOK_UNWATCHED_S = 15.0
REST_S = 2.0
"""An agent that writes one file after another does not have them all read each time."""
NICE = 10
FAULTS = (LoremapError, OSError, ValueError)
"""What one folder may be in trouble with while the others are watched."""


@dataclass(slots=True)
class _Project:
    folder: Path
    repository: Repository
    folders: tuple[str, ...] = ()
    """Those that hold what a scan reads, as long as they can be watched."""
    looked_at: float = float("-inf")
    changed: bool = True

    @property
    def root(self) -> Path:
        return self.repository.root

    def is_due(self, now: float) -> bool:
        every_s = LOOK_EVERY_S if self.folders else LOOK_UNWATCHED_S
        return now - self.looked_at > (REST_S if self.changed else every_s)


class Watch:
    """One thread that scans what changed, with graphs of its own."""

    def __init__(self, workspaces: Workspaces[Lore]) -> None:
        self._workspaces = workspaces
        self._stop = threading.Event()
        self.is_busy = False  # a scan goes on where it stopped
        self._thread = threading.Thread(target=self._work, name="watch", daemon=True)
        self._projects: dict[Path, _Project | None] = {}
        """By the folder a session works in; None where nothing is to be kept."""

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End after what is being done, as far as that does not take long."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(3.0)

    def _work(self) -> None:
        step_back()
        while not self._stop.is_set():
            try:
                self._choose()
                self._bring_up_to_date()
                self._wait_for_changes()
            except Exception as fault:  # noqa: BLE001  a folder in trouble must not end the watch
                log.error("the watch was interrupted: %s", type(fault).__name__)
                self._stop.wait(REST_S)

    def _choose(self) -> None:
        """Take in the folders that came into use, and let go of those that went out of it."""
        recent = self._recent()
        for folder in [each for each in self._projects if each not in recent]:
            del self._projects[folder]
        for folder in recent:
            if folder not in self._projects:
                self._projects[folder] = self._project(folder)

    def _recent(self) -> tuple[Path, ...]:
        return self._workspaces.folders()[-MAX_PROJECTS:]

    def _project(self, folder: Path) -> _Project | None:
        try:
            with self._workspaces.at(folder, watched=False) as lore:
                repository, scanned = lore.repository, lore.code.scanned
        except FAULTS as fault:
            log.error("a folder cannot be watched: %s", type(fault).__name__)
            return None
        for known in self._projects.values():  # two folders of one checkout share its graph
            if known is not None and known.root == repository.root:
                return known
        if repository.kind == "repository" or (repository.kind != "global" and scanned):
            return _Project(folder, repository)
        return None

    def _bring_up_to_date(self) -> None:
        for folder, project in list(self._projects.items()):
            if project is None or self._stop.is_set():
                continue
            if project.is_due(time.monotonic()):
                self._scan(project)
            self._keep(folder)

    def _keep(self, folder: Path) -> None:
        """Let questions take the graph as it is from now on."""
        try:
            with self._workspaces.at(folder, watched=False) as lore:
                lore.code.kept = lore.code.scanned
        except FAULTS as fault:
            log.error("a graph cannot be kept: %s", type(fault).__name__)

    def _scan(self, project: _Project) -> None:
        """Read what changed, with an engine of its own: nobody shall wait for it."""
        from loremap.app.lore import Lore

        project.changed = False
        try:
            with Lore(
                project.folder,
                places=self._workspaces.places,
                settings=self._workspaces.engine.settings,
                now=self._workspaces.now,
            ) as lore:
                report = lore.code.scan()
                project.changed = report.busy
                project.folders = _folders(lore.code)
                if (report.changed or not lore.project_id) and lore.init() is not None:
                    lore.modules.map()
        except FAULTS as fault:
            log.error("a scan failed: %s", type(fault).__name__)
            return
        finally:
            project.looked_at = time.monotonic()
        if report.changed:
            log.info("scanned a project: %d read, %d linked", report.read, report.linked)

    def _wait_for_changes(self) -> None:
        """Wait until a file changes, a project comes into use, or it is time to look."""
        projects = [each for each in self._projects.values() if each is not None]
        paths = {path: project for project in projects for path in project.folders}
        try:
            for number, found in enumerate(_changes(list(paths), self._stop)):
                if number == 0 and self._missed(projects):
                    return
                for path in found:
                    touched = paths.get(path) or paths.get(path.rpartition(os.sep)[0])
                    if touched is not None:
                        touched.changed = True
                now = time.monotonic()
                if any(project.is_due(now) for project in projects):
                    return
                if set(self._recent()) != set(self._projects):
                    return
        except (OSError, RuntimeError, ValueError) as fault:  # one has gone, or they are too many
            log.warning("folders are looked at instead of watched: %s", type(fault).__name__)
            for project in projects:
                project.folders = ()
            self._stop.wait(TICK_MS / 1_000)

    def _missed(self, projects: Sequence[_Project]) -> bool:
        """Look once more now that changes are noticed: files may have changed since the look
        before. Whether there are other folders to watch now."""
        watched = [project.folders for project in projects]
        for project in projects:
            if project.folders and not self._stop.is_set():
                self._scan(project)
        return watched != [project.folders for project in projects]


def _changes(folders: list[str], stop: threading.Event) -> Iterator[set[str]]:
    """What changes in these folders, twice a second; nothing if there are none."""
    if not folders:
        while not stop.wait(TICK_MS / 1_000):
            yield set()
        return
    from watchfiles import watch

    watching = watch(
        *folders,
        recursive=False,
        debounce=SETTLE_MS * 4,
        step=SETTLE_MS,
        rust_timeout=TICK_MS,
        yield_on_timeout=True,
        stop_event=stop,
        raise_interrupt=False,
        ignore_permission_denied=True,
        watch_filter=None,
    )
    for found in watching:
        yield {path for _, path in found}


def _folders(code: Code) -> tuple[str, ...]:
    """The folders whose names or files a scan of this project looks at; none where too many."""
    from loremap.storage.graph import read

    root = code.repository.root
    listed = {root, root / ".git", *(root / path for path in read.folders(code.graph.conn))}
    if len(listed) > MAX_FOLDERS:
        return ()
    return tuple(sorted(str(each) for each in listed if each.is_dir() and is_watchable(str(each))))


def is_watchable(folder: str) -> bool:
    """Whether a folder has a name that the watching library takes; one that is no text would end
    the watching of all others, and is looked at instead."""
    try:
        folder.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def step_back() -> None:
    """Let this thread, and the processes it starts, come after those that an agent waits for."""
    if sys.platform == "linux":  # elsewhere a priority is the whole process's
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
