"""Plans what connecting or disconnecting a client changes, carries it out, and remembers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from loremap.clients.client import Client
from loremap.clients.memo import edits_of, outdated, remembered, without
from loremap.clients.registry import CLIENTS, known_client
from loremap.clients.remarks import (
    beside,
    going_too,
    of_this_machine,
    remaining,
    switched_off,
)
from loremap.clients.settings.edits import Edit, NotOurs, OwnFile
from loremap.clients.settings.record import Connection, Record, Written, digest, record
from loremap.clients.settings.site import COMMON_PLACES, MARK, Site, site_of
from loremap.clients.settings.trust import Hook
from loremap.clients.settings.write import Change, read, refuse_to_touch, remove_empty, write_all
from loremap.errors import BadInput

SIGNS = (b"lore-agent", MARK.encode(), b"loremap.hooks.json")
"""One of these stands in every file that holds something of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What will change in the files of one client."""

    client: Client
    site: Site
    home: Path
    connecting: bool
    changes: tuple[Change, ...] = ()
    remarks: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    """Keys of the hooks that become trusted."""

    @property
    def project(self) -> Path | None:
        """The project it is for; None where it is for the user."""
        return self.site.project


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """A client that is connected, and whether what was written is still there."""

    client: str
    project: Path | None
    files: tuple[Path, ...]
    whole: bool


def site(home: Path, *, project: Path | None = None, allows: bool = True) -> Site:
    """This user on this machine."""
    moved_by = [name for client in CLIENTS.values() for name in client.settings.moved_by]
    return site_of(home, project=project, allows=allows, places=(*moved_by, *COMMON_PLACES))


def plan(name: str, *, home: Path, project: Path | None = None, allows: bool = True) -> Plan:
    """What connecting a client would change; nothing where it is connected."""
    client, here = known_client(name), site(home, project=project, allows=allows)
    _refuse_project(client, project)
    edits, remarks = client.settings.edits(here), list(client.settings.remarks(here))
    kept = record(home)
    connection = kept.of(name, project)
    changes = []
    for edit in edits:
        before = read(edit.file)
        try:
            after = edit.made(before)
        except NotOurs as fault:
            remarks.append(f"{fault.message}.")
            continue
        remarks += switched_off(edit, after)
        if after != before:
            changes.append(
                Change(path=edit.file, before=before, after=after, executable=edit.executable)
            )
    if connection.places == here.places or not connection.files:
        for edit in outdated(
            edits_of(client, here, connection), connection, client.settings.former(here)
        ):
            changes += _removal(edit, kept, connection)
    remarks += of_this_machine(changes, user=here.user, project=project)
    return Plan(
        client=client,
        site=here,
        home=home,
        connecting=True,
        changes=tuple(changes),
        remarks=tuple(remarks),
    )


def plan_removal(name: str, *, home: Path, project: Path | None = None) -> Plan:
    """What disconnecting a client would change; nothing where it is not connected."""
    client, here = known_client(name), site(home, project=project)
    _refuse_project(client, project)
    kept = record(home)
    connection = kept.of(name, project)
    if connection.files:
        here = here.placed(connection.places)
    edits = edits_of(client, here, connection)
    changes, remarks = [], []
    for edit in (*edits, *outdated(edits, connection, client.settings.former(here))):
        change = _removal(edit, kept, connection)
        changes += change
        remarks += going_too(edit, change)
        if not change and isinstance(edit, OwnFile) and _is_there(edit, connection):
            remarks.append(f"{edit.file} was changed by others and stays.")
    return Plan(
        client=client,
        site=here,
        home=home,
        connecting=False,
        changes=tuple(changes),
        remarks=tuple(remarks),
    )


def plan_trust(plan: Plan, hooks: Sequence[Hook]) -> Plan:
    """What setting the trust in our hooks changes; nothing where the client asks for none."""
    trust = plan.client.settings.trust
    if trust is None:
        return replace(plan, changes=(), remarks=())
    file = trust.file(plan.site)
    before = read(file)
    change = Change(path=file, before=before, after=trust.given(before, plan.site, hooks))
    keys = tuple(hook.key for hook in hooks)
    return replace(plan, changes=(change,), remarks=(), trusted=keys)


def refuse(plan: Plan) -> None:
    """Raise where a plan cannot be carried out, before anybody is asked."""
    refuse_to_touch(plan.changes)


def elsewhere(plan: Plan) -> list[str]:
    """What to know of the same client where this plan does not reach."""
    said = beside if plan.connecting else remaining
    return said(plan.client, record(plan.home), plan.project)


def apply(plan: Plan) -> None:
    """Make the changes of a plan, all or none, and remember them."""
    kept = record(plan.home)
    connection = kept.of(plan.client.name, plan.project)
    trusted = tuple(dict.fromkeys((*connection.trusted, *plan.trusted)))
    connection = replace(connection, trusted=trusted)
    if plan.connecting:
        made = write_all(plan.changes)
        edits = edits_of(plan.client, plan.site, connection)
        files = remembered(edits, plan.changes, kept, connection, made)
        still = {file.path for file in files}
        _remove_folders([file for file in connection.files if file.path not in still])
        kept.save(replace(connection, files=files, places=plan.site.places))
        return
    write_all(plan.changes)
    _remove_folders(connection.files)
    kept.save(replace(connection, files=(), trusted=()))


def _remove_folders(files: Sequence[Written]) -> None:
    """Delete the folders that were made for files, where nothing is left in them."""
    folders = [folder for file in files for folder in file.folders]
    remove_empty(sorted(folders, key=len, reverse=True))


def _removal(edit: Edit, kept: Record, connection: Connection) -> list[Change]:
    """The change that takes ours out of a file, where there is one to make."""
    before = read(edit.file)
    after = None if before is None else without(edit, before, kept, connection)
    return [] if after == before else [Change(path=edit.file, before=before, after=after)]


def _is_there(edit: Edit, connection: Connection) -> bool:
    return connection.written(edit.file) is not None and edit.file.exists()


def connected(home: Path) -> list[Connected]:
    """The clients that are connected."""
    return [_looked_at(each) for each in record(home).connections.values()]


def found(home: Path) -> list[str]:
    """The clients that are on this machine."""
    here = site(home)
    return [name for name, client in CLIENTS.items() if client.settings.found(here)]


def _looked_at(connection: Connection) -> Connected:
    files = tuple(Path(file.path) for file in connection.files)
    there = all(_still_ours(file) for file in connection.files)
    project = Path(connection.project) if connection.project else None
    return Connected(client=connection.client, project=project, files=files, whole=there)


def _still_ours(file: Written) -> bool:
    content = read(Path(file.path))
    if content is None:
        return False
    return digest(content) == file.after or any(sign in content for sign in SIGNS)


def _refuse_project(client: Client, project: Path | None) -> None:
    if project is not None and client.settings.no_project:
        said = f"{client.title} {client.settings.no_project}."
        raise BadInput(said, hint="Leave out --project.")
