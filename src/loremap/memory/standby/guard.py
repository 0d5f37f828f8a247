"""The guard: what a hook may warn of by itself, and what it has to know of clients to do so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from loremap.clients.client import Client, Form
from loremap.clients.payloads import moments, tools
from loremap.clients.registry import CLIENTS
from loremap.memory.brief.render import Piece, Section, rendered
from loremap.memory.brief.said import HELD, HOLDS, in_one_line, line_of
from loremap.memory.recall.check import watched as triggers_of
from loremap.model.clock import optional_ms
from loremap.model.hook import Moment, Operation
from loremap.model.memory import Memory, Trigger
from loremap.model.recall import Alert
from loremap.model.standby import VERSION
from loremap.safety.pattern_globs import alternatives
from loremap.safety.patterns import refusal_for
from loremap.storage import guarded, memories
from loremap.storage.store import Connection

MAX_GUARDED = 500
_ANSWERED = (Moment.SESSION_START, Moment.PROMPT, Moment.BEFORE_TOOL)
_PLACE = "@line@"


def guard_of(
    conn: Connection, *, made: str, settings: Mapping[str, object], now: datetime
) -> bytes:
    """The guard as its file holds it; `made` says of what."""
    places, off = guarded.places(conn), guarded.switched_off(conn)
    found = memories.by_ids(conn, guarded.watched(conn, now=now, limit=MAX_GUARDED))
    guard = {
        "made": made,
        "version": VERSION,
        **settings,
        "off": [path for project in off for path in places.get(project, ())],
        "held": HELD,
        **_of_clients(),
        "entries": [entry for memory in found if (entry := _entry(memory, places)) is not None],
    }
    return json.dumps(guard, ensure_ascii=False).encode("utf-8", "surrogatepass")


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
        "until": optional_ms(memory.valid_until),
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


def _frame(form: Form) -> list[str]:
    """What stands before and after a line that is said before a tool."""
    said = rendered([Section("", (Piece(text=_PLACE),))], form=form, step=True).text
    return list(said.partition(_PLACE)[::2])


def _client(client: Client) -> dict[str, Any]:
    return {
        "form": client.form.value,
        "takes": [moment.value for moment in _ANSWERED if moment in client.takes],
        "holds": client.holds,
        "reply": client.reply,
    }


@cache
def _of_clients() -> dict[str, Any]:
    """What the hook has to know of clients and their tools."""
    return {
        "clients": {name: _client(client) for name, client in CLIENTS.items()},
        "moments": {name: one.value for one in _ANSWERED for name in moments.names_of(one)},
        "frames": {form.value: _frame(form) for form in Form},
        "runs": tools.names_of(Operation.RUN),
        "fields": {"command": tools.COMMANDS, "file": tools.PATHS, "text": tools.NEW},
    }
