"""Notes what a hook caught so that the doctor finds it: where and what kind, not what was said."""

from __future__ import annotations

import json
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from loremap.model.clock import from_ms

CAUGHT_FILE = "caught.jsonl"
OLD_FILE = "caught.old.jsonl"
MAX_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Caught:
    """One fault that was kept from an agent."""

    at: datetime
    where: str
    fault: str
    lines: tuple[str, ...] = ()
    """The places in the code it came through, the innermost last."""


def caught(home: Path, where: str, fault: BaseException) -> None:
    """Write down a fault; its message is left out, for it may hold what an agent said."""
    note = {
        "at": time.time_ns() // 1_000_000,
        "where": where,
        "fault": type(fault).__name__,
        "lines": _lines(fault),
    }
    path = home / CAUGHT_FILE
    with suppress(OSError):  # where even this cannot be written there is nobody left to tell
        if path.exists() and path.stat().st_size > MAX_BYTES:
            path.replace(home / OLD_FILE)
        path.touch(mode=0o600)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(note) + "\n")


def _lines(fault: BaseException) -> list[str]:
    frames = traceback.extract_tb(fault.__traceback__)[-6:]
    return [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]


def caught_since(home: Path, since: datetime) -> list[Caught]:
    """What was caught since then, oldest first; hook processes write here too."""
    found = [*_read(home / OLD_FILE), *_read(home / CAUGHT_FILE)]
    return [one for one in found if one.at >= since]


def _read(path: Path) -> list[Caught]:
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    notes = []
    for line in lines:
        with suppress(ValueError, KeyError, TypeError, OverflowError):  # a line cut off half-way
            note = json.loads(line)
            places = tuple(str(place) for place in note.get("lines", ()))
            where, fault = str(note["where"]), str(note["fault"])
            notes.append(Caught(from_ms(int(note["at"])), where, fault, places))
    return notes
