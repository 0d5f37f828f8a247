"""What the resident does beside answering: takes up what hooks left, keeps house, tends what is
known, reads settings again, makes vectors that are missing, holds rows against their checksums."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from loremap.agent.switches import is_off
from loremap.code.commits import history_stamp
from loremap.errors import LockedStore, Moved
from loremap.interfaces.resident.places import RunFolder
from loremap.interfaces.resident.watch import step_back

if TYPE_CHECKING:
    from loremap.agent.intake.intake import EventIntake
    from loremap.app.lore import Lore
    from loremap.memory.workspaces import Workspaces

log = logging.getLogger("loremap.resident")

LOOK_S = 2.0
HOUSE_S = 3_600.0
TEND_S = 60.0
MODEL_S = 30.0
VECTORS_S = 10.0
VECTORS_AT_ONCE = 8
CHECKS_AT_ONCE = 8
HISTORY_S = 5.0
HISTORY_AT_ONCE_S = 5.0
CHECK_REST_S = 0.02
RESTS = 3
"""Times as long as it worked, it lets hooks have the model to themselves."""


class Chores:
    """One thread that does what is due."""

    def __init__(
        self,
        workspaces: Workspaces[Lore],
        intake: EventIntake,
        run: RunFolder,
        *,
        warm_model: Callable[[], None],
        reload: Callable[[], None],
        leave: Callable[[], object],
    ) -> None:
        self._workspaces, self._intake, self._run = workspaces, intake, run
        self._reload, self._leave = reload, leave
        self._stop = threading.Event()
        self.is_busy = False
        """Whether it takes up what hooks left."""
        self._thread = threading.Thread(target=self._work, name="chores", daemon=True)
        self._settings = stamp_of(workspaces.places.settings)
        self._histories: dict[Path, tuple[tuple[int, int], ...]] = {}
        """How the history of each folder looked when it was last read to its end."""
        self._due: dict[Callable[[], None], tuple[float, float]] = {
            self._look_at_store: (0.0, LOOK_S),
            self._look_at_settings: (0.0, LOOK_S),
            self._take_up: (0.0, LOOK_S),
            self._keep_house: (0.0, HOUSE_S),
            self._read_commits: (0.0, HISTORY_S),
            self._tend: (time.monotonic() + TEND_S, TEND_S),
            warm_model: (0.0, MODEL_S),
            self._make_vectors: (0.0, VECTORS_S),
            self._check_rows: (0.0, LOOK_S),
        }

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End after what is being done."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(5.0)

    def _work(self) -> None:
        step_back()
        while not self._stop.is_set():
            for chore, (at, every_s) in list(self._due.items()):
                if time.monotonic() >= at and not self._stop.is_set():
                    self._do(chore)
                    self._due[chore] = (time.monotonic() + every_s, every_s)
            self._stop.wait(LOOK_S / 4)

    def _do(self, chore: Callable[[], None], name: str = "") -> None:
        try:
            chore()
        except Exception as fault:  # noqa: BLE001  one chore that fails must not end the others
            log.error("%s: %s", name or chore.__name__.strip("_"), type(fault).__name__)

    def _look_at_store(self) -> None:
        """A store that was encrypted anew or restored is another file; the next resident has it."""
        engine = self._workspaces.engine
        try:
            with engine.store.read() as conn:
                engine.store.change_seq(conn)
        except (Moved, LockedStore):
            log.warning("the store was replaced")
            self._leave()

    def _look_at_settings(self) -> None:
        now = stamp_of(self._workspaces.places.settings)
        if now != self._settings:
            self._settings = now
            self._reload()

    def _take_up(self) -> None:
        """Read what the references that hooks left refer to; what is too fresh comes later."""
        spool = self._run.spool
        if not (spool.exists() and any(spool.iterdir())):
            self.is_busy = False
            return
        self.is_busy, left = True, False
        try:
            taken = self._intake.drain(spool)
            left = any(path.suffix == ".json" for path in spool.iterdir())
        finally:
            self.is_busy = left
        if taken:
            log.info("%d events were taken up from the spool", taken)

    def _keep_house(self) -> None:
        from loremap.model.memory import Actor

        if self._workspaces.engine.keep(Actor(name="user")):
            log.warning("housekeeping was put off")

    def _tend(self) -> None:
        """Tend the projects that are worked in, each where a day or enough recalls have passed; no
        session waits for it."""
        for folder in self._workspaces.folders():
            if self._stop.is_set():
                return
            with self._workspaces.at(folder, watched=False) as lore:
                if not lore.tending.is_due:
                    continue
            with self._workspaces.aside(folder) as lore:
                done = lore.tending.run(by_itself=True)
            if done.steps:
                log.info("tended: %d changes", len(done.steps))

    def _read_commits(self) -> None:
        """Read the commits that came to the folders that are worked in; what takes long goes on at
        the next look."""
        workspaces = self._workspaces
        if workspaces.engine.store.read_only or is_off(workspaces.places.home):
            return
        for folder in workspaces.folders():
            if self._stop.is_set():
                return
            self._do(partial(self._read_history, folder), name="read commits")

    def _read_history(self, folder: Path) -> None:
        with self._workspaces.at(folder, watched=False) as lore:
            common_dir, is_on = lore.repository.common_dir, lore.commits.is_on
        if common_dir is None or not is_on:
            return
        stamp = history_stamp(common_dir)
        if self._histories.get(folder) == stamp:
            return
        with self._workspaces.aside(folder) as lore:
            history = lore.commits
            read = history.learn(seconds=HISTORY_AT_ONCE_S) if history.is_due else None
        if read is None or read.is_done:
            self._histories[folder] = stamp
        if read is not None and read.new:
            log.info("commits taught %d things", len(read.new))

    def _check_rows(self) -> None:
        """Hold some rows against their checksums; the next ones at the next look."""
        checkup = self._workspaces.engine.checkup
        for _ in range(CHECKS_AT_ONCE):
            if not checkup.go_on() or self._stop.wait(CHECK_REST_S):
                return

    def _make_vectors(self) -> None:
        """A few at a time: the model also serves hooks."""
        from loremap.memory.admission.embed import catch_up
        from loremap.model.memory import Actor

        workspaces = self._workspaces
        embedder = workspaces.engine.slot.taken
        if embedder is None or workspaces.engine.store.read_only:
            return
        while not self._stop.is_set():
            began = time.monotonic()
            made = catch_up(
                workspaces.engine.store,
                embedder,
                now=workspaces.now(),
                actor=Actor(name="user"),
                most=VECTORS_AT_ONCE,
            )
            if not made:
                return
            self._stop.wait(RESTS * (time.monotonic() - began))


def stamp_of(file: Path) -> tuple[int, int] | None:
    """By what one sees that a file was written anew; None if there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino
