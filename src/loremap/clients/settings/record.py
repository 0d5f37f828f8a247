"""What was written into clients' files, so that it can be taken out again to the byte."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from loremap.config.folders import ensure_private


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One file as we left it."""

    path: str
    before: str | None
    """The hash of what was there; None where nothing was."""
    after: str
    original: str | None = None
    """The copy of what was there, below the home."""
    folders: tuple[str, ...] = ()
    """Folders made for it, the innermost first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One client, connected for a user or for one project."""

    client: str
    project: str | None = None
    files: tuple[Written, ...] = ()
    trusted: tuple[str, ...] = ()
    """The hooks that were marked as trusted, by the client's keys."""
    places: Mapping[str, str] = field(default_factory=dict)
    """The variables of the environment that said where the files lie."""

    @property
    def key(self) -> str:
        """What tells it from the other connections."""
        return f"{self.client} {self.project}" if self.project else self.client

    def written(self, path: Path) -> Written | None:
        """What was written to a file."""
        return next((file for file in self.files if file.path == str(path)), None)


@dataclass(frozen=True, slots=True)
class Record:
    """The connections of one home."""

    home: Path
    connections: Mapping[str, Connection] = field(default_factory=dict)

    def of(self, client: str, project: Path | None) -> Connection:
        """The connection of a client, an empty one if there is none."""
        asked = Connection(client=client, project=str(project) if project else None)
        return self.connections.get(asked.key, asked)

    def original(self, written: Written) -> bytes | None:
        """The bytes that were in a file; None where there was none, or its copy has gone."""
        if written.original is None:
            return None
        try:
            return (self.home / written.original).read_bytes()
        except OSError:
            return None

    def kept(self, content: bytes) -> str:
        """Keep a copy of what was in a file; returns its name below the home."""
        name = f"connected/{digest(content)[:32]}"
        ensure_private(self.home / "connected")
        write_private(self.home / name, content)
        return name

    def save(self, connection: Connection) -> Record:
        """Keep a connection, or drop it where it has no files; returns the new record."""
        others = {key: each for key, each in self.connections.items() if key != connection.key}
        if connection.files:
            others[connection.key] = connection
        record = replace(self, connections=others)
        ensure_private(self.home)
        listed = [asdict(each) for each in others.values()]
        text = json.dumps({"version": 1, "connections": listed}, indent=2) + "\n"
        write_private(_file(self.home), text.encode())
        record._drop_unused()
        return record

    def _drop_unused(self) -> None:
        """Delete copies nobody refers to any more."""
        used = {file.original for each in self.connections.values() for file in each.files}
        folder = self.home / "connected"
        if folder.is_dir():
            for copy in folder.iterdir():
                if f"connected/{copy.name}" not in used:
                    copy.unlink(missing_ok=True)


def digest(content: bytes) -> str:
    """The hash by which a file is known again."""
    return hashlib.sha256(content).hexdigest()


def write_private(path: Path, content: bytes) -> None:
    """Write a file of ours, readable by its owner only, whole or not at all."""
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    new.replace(path)


def record(home: Path) -> Record:
    """What is connected; empty where nothing is, or where the record cannot be read."""
    try:
        value = json.loads(_file(home).read_bytes())
        listed = [_connection(each) for each in value["connections"]]
    except (OSError, ValueError, KeyError, TypeError):
        return Record(home)
    return Record(home, {each.key: each for each in listed})


def _connection(value: dict[str, Any]) -> Connection:
    files = tuple(
        Written(**{**file, "folders": tuple(file.get("folders", ()))}) for file in value["files"]
    )
    return Connection(
        client=value["client"],
        project=value.get("project"),
        files=files,
        trusted=tuple(value.get("trusted", ())),
        places=dict(value.get("places", {})),
    )


def _file(home: Path) -> Path:
    return home / "connected.json"
