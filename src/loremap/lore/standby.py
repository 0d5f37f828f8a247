"""Writes what a hook answers with when no resident does: the triggers that a person confirmed, and
the block that the last session of a folder began with.

Derived from the store after every write, so that what was forgotten is gone here too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection

from loremap.capture.agents import moments, tools
from loremap.config.folders import Folders
from loremap.config.settings import Settings
from loremap.errors import LoremapError
from loremap.injection.always import AlwaysOn
from loremap.injection.piece import Piece, Section
from loremap.injection.render import rendered
from loremap.injection.tool_lines import HELD, HOLDS, in_one_line, line_of
from loremap.model.client import CLIENTS, Client, Form
from loremap.model.clock import from_ms, to_ms
from loremap.model.hook import Moment, Operation
from loremap.model.memory import Memory, Trigger
from loremap.model.recall import Alert
from loremap.model.session import Session
from loremap.model.standby import BLOCK, FILE, VERSION, block_file, digest
from loremap.ops import standby_files
from loremap.ops.caught import caught
from loremap.retrieval.check import watched as triggers_of
from loremap.safety.pattern_globs import alternatives
from loremap.safety.patterns import refusal_for
from loremap.storage import guarded, memories, projects, sessions
from loremap.storage.store import Store

MOST_GUARDED = 500
MOST_BLOCKS = 32
MOST_TRIES = 5
OLD_BLOCK = "Loremap was not running when this session began; this is what it knew on {day}."
_ANSWERED = (Moment.SESSION_START, Moment.PROMPT, Moment.BEFORE_TOOL)
_PLACE = "@line@"


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
                standby_files.write(file, _written(kept))
            else:
                file.unlink(missing_ok=True)
            blocks = sorted(place.glob(f"{BLOCK}*.json"), key=lambda one: one.stat().st_mtime)
            for old in blocks[:-MOST_BLOCKS]:
                old.unlink(missing_ok=True)
        self.refresh()  # what was forgotten meanwhile

    def _folder(self) -> Path | None:
        return standby_files.folder_for(self._places.home, encrypted=self._store.key is not None)

    def _write(self, folder: Path) -> None:
        """Write what the store says, again where it says something else meanwhile: of two processes
        that write at once the slower has read less."""
        for _ in range(MOST_TRIES):
            with self._store.read() as conn:
                seq = self._store.change_seq(conn)
                _drop_untrue(conn, folder)
                self._write_guard(conn, folder / FILE)
            with self._store.read() as conn:
                if self._store.change_seq(conn) == seq:
                    return

    def _write_guard(self, conn: Connection, file: Path) -> None:
        chosen = guarded.watched(conn, now=self._now(), limit=MOST_GUARDED)
        places, off = guarded.places(conn), guarded.switched_off(conn)
        settings = {
            "holds": self._settings().flag("inject.hold"),
            "hold_out": self._settings().number("metrics.hold_out"),
        }
        made = digest(json.dumps([VERSION, chosen, places, off, settings]))
        if _made(file) == made:
            return
        found = memories.by_ids(conn, [id_ for id_, _ in chosen])
        guard = {
            "made": made,
            "version": VERSION,
            **settings,
            "off": [path for project in off for path in places.get(project, ())],
            "held": HELD,
            **_CLIENTS,
            "entries": [entry for memory in found if (entry := _entry(memory, places)) is not None],
        }
        standby_files.write(file, _written(guard))


def _drop_untrue(conn: Connection, folder: Path) -> None:
    """Remove the blocks that tell what no longer holds, or of a project that is switched off."""
    for file in folder.glob(f"{BLOCK}*.json"):
        try:
            kept = json.loads(file.read_bytes())
            told = Session(id="", client="", created_at=from_ms(kept["at"]), always_on=kept["text"])
            on = kept["project"] is None or projects.is_enabled(conn, kept["project"])
            holds = on and sessions.block_holds(conn, told, kept["ids"])
        except (ValueError, KeyError, TypeError, FileNotFoundError):
            holds = False  # cut off, or gone
        if not holds:
            file.unlink(missing_ok=True)


def _entry(memory: Memory, places: Mapping[str, list[str]]) -> dict[str, Any] | None:
    """A memory as the hook matches it; None where it can match nothing of it. Patterns that need a
    regular expression are left to the resident: Python's cannot be stopped."""
    usable = [one for one in triggers_of(memory) if refusal_for(one) is None]
    where = {on: _patterns(usable, on) for on in ("command", "text", "file")}
    if not any(where.values()):
        return None
    alert = Alert(memory, "command", "", "")
    return {
        "id": memory.id,
        "paths": None if memory.project_id is None else places.get(memory.project_id, []),
        "holds": memory.kind in HOLDS,
        "line": in_one_line(line_of(alert)),
        **where,
    }


def _patterns(triggers: list[Trigger], on: str) -> list[str]:
    kinds = ("literal", "glob") if on == "file" else ("literal",)
    chosen = [one for one in triggers if one.kind in kinds and one.on in ("any", on)]
    if on != "file":
        return sorted({one.pattern for one in chosen})
    globs = {
        glob
        for one in chosen
        for glob in (alternatives(one.pattern) if one.kind == "glob" else (one.pattern,))
    }
    return sorted(glob for glob in globs if "[" not in glob and "\\" not in glob)


def _made(file: Path) -> str:
    """What a file was made of; empty where there is none."""
    try:
        with file.open("rb") as opened:
            return opened.read(64).decode("ascii", "replace").partition('"made": "')[2][:32]
    except OSError:
        return ""


def _written(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _frame(form: Form) -> list[str]:
    """What stands before and after a line that is said before a tool."""
    said = rendered([Section("", (Piece(text=_PLACE),))], form=form, step=True).text
    return list(said.partition(_PLACE)[::2])


def _client(client: Client) -> dict[str, Any]:
    return {
        "form": client.form.value,
        "takes": [moment.value for moment in _ANSWERED if moment in client.takes],
        "holds": client.holds,
    }


_CLIENTS = {
    "clients": {name: _client(client) for name, client in CLIENTS.items()},
    "moments": {name: moment.value for moment in _ANSWERED for name in moments.names_of(moment)},
    "frames": {form.value: _frame(form) for form in Form},
    "runs": tools.names_of(Operation.RUN),
    "fields": {"command": tools.COMMANDS, "file": tools.PATHS, "text": tools.NEW},
}
"""What the hook has to know of clients and their tools."""
