"""What a person must know of a change before it is made, and of what stays after it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from loremap.clients.client import Client
from loremap.clients.settings.edits import Edit
from loremap.clients.settings.record import Record
from loremap.clients.settings.servers import added, is_switched_off, servers
from loremap.clients.settings.write import Change, link_to


def switched_off(edit: Edit, after: bytes) -> list[str]:
    """Our server is there and yet will not run, as its user wanted."""
    return [
        f"Our MCP server is switched off in {edit.file}: the agent has no tools of ours until "
        "that changes."
        for server in servers(edit)
        if is_switched_off(server, after)
    ]


def going_too(edit: Edit, changes: Sequence[Change]) -> list[str]:
    """What users put into the entry of our server goes with it."""
    return [
        f"{edit.file}: {', '.join(names)}, which you put into the entry of our MCP server, goes "
        "with it."
        for change in changes
        for server in servers(edit)
        if change.before is not None
        and (names := added(server, change.before))
        and (change.after is None or server.entry(change.after) is None)
    ]


def of_this_machine(changes: Sequence[Change], *, user: Path, project: Path | None) -> list[str]:
    """Files that may be shared with others, and that get a path of this machine."""
    inside = [change.path.name for change in changes if _is_in(change.path, project)]
    said = [f"{', '.join(inside)}: a path of this machine is in it; do not commit it."]
    links = {link_to(change.path, below=user) for change in changes} - {None}
    return (said if inside else []) + [
        f"{link} is a link: what changes is {link.resolve()}, which gets a path of this machine."
        for link in sorted(filter(None, links))
    ]


def beside(client: Client, kept: Record, project: Path | None) -> list[str]:
    """The same client is connected for its user as well as for a project."""
    if project is not None:
        return [
            f"{client.title} is connected for you as well, in every project: one of the two is "
            "enough."
            for _ in _elsewhere(client, kept, project)
        ]
    return [
        f"{client.title} is connected for {other} on its own as well: one of the two is enough "
        f"(lore disconnect {client.name} --project, there)."
        for other in _elsewhere(client, kept, project)
    ]


def remaining(client: Client, kept: Record, project: Path | None) -> list[str]:
    """Where a client stays connected that is disconnected here."""
    return [
        f"{client.title} stays connected for {other or 'you, in every project, this one too'}."
        for other in _elsewhere(client, kept, project)
    ]


def _elsewhere(client: Client, kept: Record, project: Path | None) -> list[str | None]:
    """Of one project: the user, as None, where connected; of the user: the projects that are."""
    same = [each.project for each in kept.connections.values() if each.client == client.name]
    if project is not None:
        return [other for other in same if other is None]
    return [other for other in same if other is not None and Path(other).is_dir()]


def _is_in(path: Path, project: Path | None) -> bool:
    return project is not None and path.is_relative_to(project)
