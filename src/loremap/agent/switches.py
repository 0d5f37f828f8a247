"""On and off: for everything by a file that the first hook looks at, for a project in the store."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from loremap.config.folders import ensure_private
from loremap.errors import BadInput
from loremap.memory import writing
from loremap.storage import pauses, projects
from loremap.storage.pauses import Cause

if TYPE_CHECKING:
    from loremap.memory.workspace import Workspace

OFF_FILE = "off"


def is_off(home: Path) -> bool:
    """Whether everything is switched off; whoever listens says and records nothing then."""
    return (home / OFF_FILE).exists()


def switch(home: Path, *, on: bool) -> bool:
    """Switch everything on or off; whether that changed anything."""
    if is_off(home) is not on:
        return False
    if on:
        (home / OFF_FILE).unlink(missing_ok=True)
    else:
        ensure_private(home)
        (home / OFF_FILE).touch(mode=0o600)
    return True


def off_since(home: Path) -> datetime | None:
    """Since when everything is switched off; None where it is not."""
    try:
        return datetime.fromtimestamp((home / OFF_FILE).stat().st_mtime, UTC)
    except FileNotFoundError:
        return None


def note_pause(lore: Workspace, began: datetime) -> None:
    """Note that everything was off from then until now: what was said meanwhile is not learned."""
    with lore.store.append() as conn:
        pauses.begin(conn, Cause.EVERYTHING, None, began)
        pauses.end(conn, Cause.EVERYTHING, None, lore.now())


def project_is_off(lore: Workspace) -> bool:
    """Whether the project at hand is switched off."""
    if lore.project_id is None:
        return False
    with lore.store.read() as conn:
        return not projects.is_enabled(conn, lore.project_id)


def switched_off(lore: Workspace) -> bool:
    """Whether nothing may be told or recorded here now."""
    return is_off(lore.places.home) or project_is_off(lore)


def switch_project(lore: Workspace, *, on: bool) -> bool:
    """Switch the project at hand on or off; whether that changed anything."""
    project = writing.settled_project(lore)
    if project is None:
        raise BadInput(
            "This folder is no project.",
            hint="Change to a project's folder, or leave out --project.",
        )
    if project_is_off(lore) is not on:
        return False
    with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
        projects.enable(tx, project.id, on=on)
    return True
