"""Our MCP server in a client's list of servers: what starts it is ours, the rest of its entry is
the user's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loremap.clients.settings import tables
from loremap.clients.settings.edits import Edit, Joined, TomlTables, refusals, text_of
from loremap.clients.settings.json_values import JsonValues
from loremap.clients.settings.jsonc import inserted, parsed
from loremap.clients.settings.site import SERVER, is_our_server, is_written_by_hand
from loremap.errors import BadInput

STARTS = ("type", "command", "args")
"""What starts the server and so is ours; all else that we write, users may change."""


class Foreign(BadInput):
    """Another server goes by the name of ours."""


@dataclass(frozen=True, slots=True)
class JsonServer:
    """Our server at a path of a JSON file."""

    file: Path
    path: tuple[str, ...]
    value: Mapping[str, Any]
    executable: bool = False

    def entry(self, content: bytes | None) -> Any:
        """What the file has under our name; None where it has nothing."""
        with refusals(self.file):
            return tables.at(parsed(text_of(self.file, content or b"")), self.path)

    def made(self, before: bytes | None) -> bytes:
        """The file with our server; what the user put into its entry stays."""
        there = self.entry(before)
        refuse_foreign(self.file, there)
        text = text_of(self.file, before or b"")
        with refusals(self.file):
            if there is None:
                return inserted(text, self.path, self.value).encode()
            for key, value in _missing(there, self.value).items():
                text = inserted(text, (*self.path, key), value)
        return text.encode()

    def unmade(self, now: bytes, original: bytes | None, *, created: bool) -> bytes | None:
        """The file without our server, whatever is in its entry."""
        ours = JsonValues(self.file, (), (self.path,), ours=is_our_server)
        return ours.unmade(now, original, created=created)


@dataclass(frozen=True, slots=True)
class TomlServer:
    """Our server as a table of a TOML file."""

    file: Path
    path: tuple[str, ...]
    value: Mapping[str, Any]
    executable: bool = False

    def entry(self, content: bytes | None) -> Any:
        """What the file has under our name; None where it has nothing."""
        with refusals(self.file):
            return tables.at(tables.parsed(text_of(self.file, content or b"")), self.path)

    def made(self, before: bytes | None) -> bytes:
        """The file with our server; what the user put into its table stays."""
        there = self.entry(before)
        refuse_foreign(self.file, there)
        text = text_of(self.file, before or b"")
        with refusals(self.file):
            if there is None:
                return tables.with_table(text, self.path, self.value).encode()
            return tables.with_keys(text, self.path, _missing(there, self.value)).encode()

    def unmade(self, now: bytes, original: bytes | None, *, created: bool) -> bytes | None:
        """The file without our server, whatever is in its table."""
        ours = (self.path,) if is_our_server(self.entry(now)) else ()
        return TomlTables(self.file, ours).unmade(now, original, created=created)


Server = JsonServer | TomlServer


def servers(edit: Edit) -> tuple[Server, ...]:
    """The servers among what an edit writes."""
    if isinstance(edit, Joined):
        return tuple(server for part in edit.parts for server in servers(part))
    return (edit,) if isinstance(edit, JsonServer | TomlServer) else ()


def added(server: Server, now: bytes) -> tuple[str, ...]:
    """What the user put into the entry of our server, by name."""
    there = server.entry(now)
    if not is_our_server(there):
        return ()
    return tuple(
        key
        for key, value in there.items()
        if key not in STARTS and (key not in server.value or value != server.value[key])
    )


def is_switched_off(server: Server, now: bytes) -> bool:
    """Whether the user switched our server off in its entry."""
    there = server.entry(now)
    return isinstance(there, dict) and (
        there.get("disabled") is True or there.get("enabled") is False
    )


def refuse_foreign(file: Path, there: Any) -> None:
    """Raise where what goes by our name is somebody else's."""
    if there is None or is_our_server(there) or is_written_by_hand(there):
        return
    program = there.get("command") if isinstance(there, dict) else None
    program = program[0] if isinstance(program, list) and program else program
    what = f" (it starts {program[:80]})" if isinstance(program, str) else ""
    raise Foreign(
        f"{file} has an MCP server called {SERVER} that is not ours{what}; nothing was changed.",
        hint="Give that server another name there, or remove it, then run this again.",
    )


def _missing(there: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    """What is to be set in an entry so that it starts our server."""
    return {
        key: each
        for key, each in value.items()
        if key not in there or (key in STARTS and there[key] != each)
    }
