"""What we want in the files of a client: an edit that is made and unmade."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from loremap.clients.settings import tables
from loremap.clients.settings.jsonc import parsed
from loremap.clients.settings.jsonc_tree import Malformed
from loremap.clients.settings.site import MARK
from loremap.errors import BadInput


class Edit(Protocol):
    """A file and what is ours in it."""

    @property
    def file(self) -> Path: ...
    @property
    def executable(self) -> bool: ...
    def made(self, before: bytes | None) -> bytes:
        """The file with ours in it; the same bytes where it has."""
        ...

    def unmade(self, now: bytes, original: bytes | None, *, created: bool) -> bytes | None:
        """The file without ours; None where we created it and nothing else is in it.

        `original` is what was there before us, where that is known.
        """
        ...


@dataclass(frozen=True, slots=True)
class TomlTables:
    """Tables of a TOML file that we wrote at another time, and that go with the rest."""

    file: Path
    paths: tuple[tuple[str, ...], ...]
    executable: bool = False

    def made(self, before: bytes | None) -> bytes:
        """The file as it is."""
        return before or b""

    def unmade(self, now: bytes, original: bytes | None, *, created: bool) -> bytes | None:
        """The file without the tables."""
        text = text_of(self.file, now)
        with refusals(self.file):
            for path in self.paths:
                text = tables.without_table(text, path)
        if original is not None:
            text = tables.ended_as(text, text_of(self.file, original))
        return None if created and not text.strip() else text.encode()


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that is wholly ours."""

    file: Path
    content: str
    executable: bool = False

    def made(self, before: bytes | None) -> bytes:
        """Our file; raises where one of that name is not ours."""
        if before is not None and MARK.encode() not in before:
            raise NotOurs(f"{self.file} is not ours and stays as it is")
        return self.content.encode()

    def unmade(self, now: bytes, original: bytes | None, *, created: bool) -> bytes | None:
        """Nothing, where it is as we wrote it; what somebody made of it stays."""
        ours = now == self.content.encode() or (not created and MARK.encode() in now)
        return None if ours else now


@dataclass(frozen=True, slots=True)
class Joined:
    """Several edits of one file as one."""

    parts: tuple[Edit, ...]
    executable: bool = False

    @property
    def file(self) -> Path:
        """The file of them all."""
        return self.parts[0].file

    def made(self, before: bytes | None) -> bytes:
        """The file with what each part wants."""
        for part in self.parts:
            before = part.made(before)
        return before or b""

    def unmade(self, now: bytes, original: bytes | None, *, created: bool) -> bytes | None:
        """The file without what each part wanted."""
        for part in self.parts:
            left = part.unmade(now, original, created=created)
            if left is None:
                return None
            now = left
        return now


class NotOurs(BadInput):
    """A file we would write is there already and somebody else's."""


def text_of(file: Path, content: bytes) -> str:
    """The text of a file; raises where it is not UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError as fault:
        raise BadInput(
            f"{file} is not UTF-8 text; nothing was changed.",
            hint="Save it as UTF-8, then run this again.",
        ) from fault


@contextmanager
def refusals(file: Path) -> Iterator[None]:
    """Turns what is wrong with a text into one line that names the file."""
    try:
        yield
    except (Malformed, tables.Malformed, BadInput) as fault:
        said = fault.message if isinstance(fault, BadInput) else str(fault)
        raise BadInput(
            f"{file}: {said}; nothing was changed.", hint="Repair it, then run this again."
        ) from fault


def read_object(file: Path) -> dict[str, Any]:
    """The object in a JSON file; an empty one if there is none to read."""
    try:
        value = parsed(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, Malformed):
        return {}
    return value if isinstance(value, dict) else {}


def has_plugin(settings: dict[str, Any]) -> bool:
    """Whether our plugin is switched on, as the clients note it that share its format."""
    enabled = settings.get("enabledPlugins")
    return isinstance(enabled, dict) and any(
        name.startswith("loremap@") and on for name, on in enabled.items()
    )
