"""Who calls a tool: client, folder and session, from what the relay and the request say."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loremap.clients.registry import CLIENTS

LONGEST_NAME = 40
LONGEST_SESSION = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """On whose behalf a tool runs."""

    client: str
    folder: Path
    session_id: str | None = None
    is_named: bool = True
    """Whether the client named that session; else its hooks know it by another id than we."""
    incognito: bool = False


def session_in(meta: Mapping[str, Any]) -> str | None:
    """The session that a request's metadata names, in the words of the clients that do."""
    named = [client.session_in(meta) for client in CLIENTS.values()]
    named += [meta.get(name) for name in ("sessionId", "threadId")]
    told = (name for name in named if isinstance(name, str) and 0 < len(name) <= LONGEST_SESSION)
    return next(told, None)


def client_called(name: str) -> str:
    """The client that introduces itself by `name`, as we call it; else that name made plain."""
    said = name.casefold()
    known = [(word, name) for name, one in CLIENTS.items() for word in (name, *one.called)]
    found = [(said.index(word), name) for word, name in known if word in said]
    if found:
        return min(found)[1]
    return re.sub(r"[^a-z0-9]+", "-", said).strip("-")[:LONGEST_NAME] or "mcp"


def nowhere() -> Path:
    """The folder of those who work in no project: only the global memory speaks there."""
    try:
        return Path(Path.home().anchor)
    except RuntimeError:  # neither HOME nor an entry of the user
        return Path(os.sep)


def is_folder(path: Path) -> bool:
    """Whether there is a folder; a name that no folder can have is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_project(folder: Path) -> bool:
    """Whether `folder` is there and may be a project; a home folder holds everything."""
    try:
        return is_folder(folder) and folder not in (Path.home(), nowhere())
    except RuntimeError:  # no home
        return is_folder(folder)
