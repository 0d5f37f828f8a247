"""What to remember of the files of a client, and how they looked without us."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from loremap.clients.client import Client
from loremap.clients.settings.edits import Edit, NotOurs, OwnFile
from loremap.clients.settings.json_values import GROUPS, HANDLERS, JsonValues
from loremap.clients.settings.record import Connection, Record, Written, digest
from loremap.clients.settings.servers import TomlServer
from loremap.clients.settings.site import MARK, SERVER, Site
from loremap.clients.settings.write import Change, read

SLOTS = (
    GROUPS,
    HANDLERS,
    *((key, SERVER) for key in ("mcpServers", "servers", "mcp", "context_servers")),
)


def edits_of(client: Client, site: Site, connection: Connection) -> tuple[Edit, ...]:
    """What is written for a client, with the trust that was set for it."""
    edits, trust = client.settings.edits(site), client.settings.trust
    return trust.noted(edits, site, connection.trusted) if trust and connection.trusted else edits


def outdated(
    edits: Sequence[Edit], connection: Connection, former: Sequence[Edit] = ()
) -> tuple[Edit, ...]:
    """Files that an earlier Loremap wrote and that this one does not: those of the record, and
    those that may be left where it was lost."""
    known = {str(edit.file) for edit in edits}
    left = [_any_edit(Path(file.path)) for file in connection.files if file.path not in known]
    seen = {edit.file for edit in left}
    return (*left, *(edit for edit in former if edit.file not in seen))


def _any_edit(file: Path) -> Edit:
    """What may be ours in a file of which no client says it any more."""
    if file.suffix == ".toml" and MARK.encode() not in (read(file) or b""):
        return TomlServer(file, ("mcp_servers", SERVER), {})
    if file.suffix in (".json", ".jsonc"):
        return JsonValues(file, (), SLOTS)
    return OwnFile(file, "")


def without(edit: Edit, now: bytes, kept: Record, connection: Connection) -> bytes | None:
    """A file without ours: what was there, where nobody else has changed it since."""
    written = connection.written(edit.file)
    if written is None:
        return edit.unmade(now, None, created=False)
    original = kept.original(written)
    untouched = digest(now) == written.after
    if untouched and (original is not None or written.original is None):
        return original
    return edit.unmade(now, original, created=written.original is None)


def remembered(
    edits: Sequence[Edit],
    changes: Sequence[Change],
    kept: Record,
    connection: Connection,
    made: Mapping[Path, tuple[Path, ...]],
) -> tuple[Written, ...]:
    """What is known of every file that holds ours, of those too that a lost record knew."""
    changed = {change.path: change for change in changes}
    files = []
    for edit in edits:
        earlier, change = connection.written(edit.file), changed.get(edit.file)
        content = read(edit.file)
        if content is not None and (change or (earlier is None and _is_in_place(edit, content))):
            before = change.before if change else content
            written = _written(edit, before, content, kept, earlier)
            folders = tuple(map(str, made.get(edit.file, ()))) or written.folders
            files.append(replace(written, folders=folders))
        elif earlier is not None:
            files.append(earlier)
    elsewhere = [edit.file for edit in outdated(edits, connection) if edit.file not in changed]
    files += [file for file in connection.files if Path(file.path) in elsewhere]
    return tuple(files)


def _written(
    edit: Edit, before: bytes | None, after: bytes, kept: Record, earlier: Written | None
) -> Written:
    """What to remember of a file; the oldest state that is free of ours counts as original."""
    if earlier is not None and before is not None and digest(before) == earlier.after:
        return replace(earlier, after=digest(after))
    if before is not None:
        original = kept.original(earlier) if earlier else None
        created = earlier is not None and earlier.original is None
        before = edit.unmade(before, original, created=created)
    return Written(
        path=str(edit.file),
        before=None if before is None else digest(before),
        after=digest(after),
        original=None if before is None else kept.kept(before),
        folders=earlier.folders if earlier else (),
    )


def _is_in_place(edit: Edit, content: bytes) -> bool:
    """Whether a file holds ours as it should."""
    try:
        return edit.made(content) == content
    except NotOurs:
        return False
