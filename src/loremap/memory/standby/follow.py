"""Writes what a hook answers with when no resident does: the triggers that a person confirmed, and
the block that the last session of a folder began with.

Derived from the store. A write that may change what hooks tell leaves its stamp there; the guard
says of which stamp it was made. Where the two differ, whoever writes next, or the resident that
starts, makes it anew; all other writes leave the files alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from loremap.config.folders import Folders
from loremap.config.settings import Settings
from loremap.errors import LoremapError
from loremap.memory.standby import files as standby_files
from loremap.model.clock import to_ms
from loremap.model.standby import BLOCK, FILE, VERSION, block_file, digest
from loremap.model.version import VERSION as PROGRAM
from loremap.storage import guarded, projects, sessions
from loremap.storage.caught import caught
from loremap.storage.store import Connection, Store

if TYPE_CHECKING:
    from loremap.memory.brief.always import AlwaysOn

MAX_BLOCKS = 32
MAX_TRIES = 5
OLD_BLOCK = "Loremap was not running when this session began; this is what it knew on {day}."


class Standby:
    """The files of one data folder; any number of threads and processes may write them."""

    def __init__(
        self,
        places: Folders,
        store: Store,
        settings: Callable[[], Settings],
        now: Callable[[], datetime],
    ) -> None:
        self._places, self._store, self._settings, self._now = places, store, settings, now
        self._lock = Lock()

    def follow(self, stamp: str) -> None:
        """Bring the files up to the state of the store where its stamp says that they are not."""
        encrypted = self._store.encrypted
        if standby_files.made(self._places.home, encrypted=encrypted) != self._made_of(stamp):
            self.refresh()

    def refresh(self) -> None:
        """Bring the files up to the state of the store. Where that fails they are removed, because
        they may tell what was forgotten; the next write tries again."""
        home = self._places.home
        try:
            with self._lock:
                folder = self._folder()
                standby_files.clear(home, but=folder)
                if folder is not None:
                    self._write(folder)
        except (OSError, LoremapError) as fault:  # what was written to the store stays written
            caught(home, "standby", fault)
            self._drop()

    def clear(self) -> None:
        """Remove the files; before something is erased, so that no crash can leave it there."""
        standby_files.clear(self._places.home)

    def _drop(self) -> None:
        try:
            self.clear()
        except OSError as fault:
            caught(self._places.home, "standby, dropped", fault)

    def keep_block(
        self, client: str, folder: Path, *, project_id: str | None, block: AlwaysOn
    ) -> None:
        """Keep the block that a session begins with, for one that begins when nobody answers."""
        place = self._folder()
        if place is None:
            return
        now = self._now()
        kept = {
            "at": to_ms(now),
            "text": block.text,
            "old": f"{OLD_BLOCK.format(day=f'{now.day} {now:%B %Y}')}\n{block.text}",
            "ids": sorted({piece.memory_id for piece in block.pieces if piece.memory_id}),
            "project": project_id,
        }
        with self._lock:
            file = place / block_file(client, str(folder))
            if block.text:
                said = json.dumps(kept, ensure_ascii=False)
                standby_files.write(file, said.encode("utf-8", "surrogatepass"))
            else:
                file.unlink(missing_ok=True)
            blocks = sorted(place.glob(f"{BLOCK}*.json"), key=lambda one: one.stat().st_mtime)
            for old in blocks[:-MAX_BLOCKS]:
                old.unlink(missing_ok=True)
            with self._store.read() as conn:
                _drop_untrue(conn, [file])  # what was forgotten meanwhile
                stamp = self._store.told_stamp(conn)
        self.follow(stamp)  # a hook needs the guard to give a block

    def _folder(self) -> Path | None:
        return standby_files.folder_for(self._places.home, encrypted=self._store.encrypted)

    def _write(self, folder: Path) -> None:
        """Write what the store says, again where it says something else meanwhile: of two processes
        that write at once the slower has read less."""
        encrypted = self._store.encrypted
        for _ in range(MAX_TRIES):
            with self._store.read() as conn:
                stamp = self._store.told_stamp(conn)
                _drop_untrue(conn, folder.glob(f"{BLOCK}*.json"))
                if standby_files.made(self._places.home, encrypted=encrypted) != (
                    made := self._made_of(stamp)
                ):
                    self._write_guard(conn, folder / FILE, made)
            with self._store.read() as conn:
                if self._store.told_stamp(conn) == stamp:
                    return

    def _write_guard(self, conn: Connection, file: Path, made: str) -> None:
        from loremap.memory.standby.guard import guard_of  # much to load, and seldom needed

        chosen = self._chosen()
        standby_files.write(file, guard_of(conn, made=made, settings=chosen, now=self._now()))

    def _made_of(self, stamp: str) -> str:
        """What a guard that is true now says of itself."""
        return digest(json.dumps([VERSION, PROGRAM, stamp, self._chosen()]))

    def _chosen(self) -> dict[str, object]:
        settings = self._settings()
        return {
            "holds": settings.flag("inject.hold"),
            "hold_out": settings.number("metrics.hold_out"),
        }


def _drop_untrue(conn: Connection, files: Iterable[Path]) -> None:
    """Remove the blocks that tell what no longer holds, or of a project that is switched off."""
    for file in files:
        try:
            kept = json.loads(file.read_bytes())
            on = kept["project"] is None or projects.is_enabled(conn, kept["project"])
            ids = kept["ids"]
            stands = on and guarded.all_stand(conn, ids)
            holds = stands and sessions.says_what_holds(conn, kept["text"], ids)
        except (ValueError, KeyError, TypeError, FileNotFoundError):
            holds = False  # cut off, or gone
        if not holds:
            file.unlink(missing_ok=True)
