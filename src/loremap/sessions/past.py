"""The sessions of the past that belong to a project, whichever client wrote them down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from loremap.clients import past
from loremap.clients.past import Listing
from loremap.clients.transcripts.past import PastSession
from loremap.code.repository import repository_at, shared_folder
from loremap.memory.workspace import Workspace
from loremap.model.identity import normalised_remote
from loremap.model.turn import Turn
from loremap.sessions.subagents import with_subagents
from loremap.sessions.turns import turns_of
from loremap.storage import past_reads, projects, sessions

MAX_ASKED = 200
"""Folders of which git is asked at most, for it takes some milliseconds each."""


def past_sessions(
    here: Workspace,
    *,
    clients: Sequence[str] = (),
    since: datetime | None = None,
    within_s: float | None = None,
) -> Listing:
    """The sessions of this project that clients have written down, the oldest first; with
    `within_s`, those that are found in so long, by files alone."""
    found = past.listing(here.places.home, clients=clients, since=since, within_s=within_s)
    own = Own(here, asks=within_s is None)
    return replace(found, sessions=tuple(one for one in found.sessions if own.holds(one)))


def unknown_sessions(here: Workspace, *, within_s: float) -> Listing:
    """The sessions of this project that were neither recorded nor imported, as far as they are
    found in so long."""
    found = past_sessions(here, within_s=within_s)
    with here.store.read() as conn:
        imported = past_reads.marks(conn)
        unknown = [
            one
            for one in found.sessions
            if (one.client, one.id) not in imported and sessions.find(conn, one.id) is None
        ]
    return replace(found, sessions=tuple(unknown))


def folders_with_sessions(
    home: Path, *, clients: Sequence[str] = (), since: datetime | None = None
) -> list[Path]:
    """One folder of every project on this machine in which there were sessions, as far as it is
    still there."""
    found: dict[Path, Path] = {}
    for one in past.listing(home, clients=clients, since=since).sessions:
        if one.folder is not None and one.folder.is_dir():
            found.setdefault(shared_folder(one.folder) or one.folder, one.folder)
    return sorted(found.values())


def turns_of_past(session: PastSession) -> list[Turn]:
    """What was said and done in a session and by its subagents, turn by turn."""
    own = turns_of(past.records_of(session))
    return with_subagents(own, past.subagents_of(session.client, session.id, session.paths))


class Own:
    """Which sessions are this project's: by the repository that their folder lies in, or lay in."""

    def __init__(self, here: Workspace, *, asks: bool = True) -> None:
        self._here = here
        self._asks_left = MAX_ASKED if asks else 0
        self._known: dict[Path, bool] = {}

    def holds(self, one: PastSession) -> bool:
        """Whether a session is this project's."""
        if one.folder is None:
            return False
        if one.folder not in self._known:
            self._known[one.folder] = self._is_own(one.folder)
        return self._known[one.folder] or self._has_our_remote(one)

    def _is_own(self, folder: Path) -> bool:
        repository = self._here.repository
        shared = shared_folder(folder)
        if shared is None or repository.common_dir is None:
            if shared is not None or repository.kind != "folder":
                return False
            return folder == repository.root
        return shared == repository.common_dir or self._is_same_project(folder)

    def _is_same_project(self, folder: Path) -> bool:
        """Whether another clone is the same project, as git tells of it."""
        if not self._asks_left or self._here.project_id is None:
            return False
        self._asks_left -= 1
        tenant = self._here.actor.tenant_id
        found = projects.find(self._here.store, repository_at(folder), tenant_id=tenant)
        return found is not None and found.id == self._here.project_id

    def _has_our_remote(self, one: PastSession) -> bool:
        """Whether a session whose folder has gone came from where this project comes from."""
        remote = self._here.repository.remote
        return one.remote is not None and normalised_remote(one.remote) == (remote or "")
