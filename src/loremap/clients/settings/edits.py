"""What we want in the files of a client: values in JSON, tables in TOML, and files of our own."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from loremap.clients.settings import tables
from loremap.clients.settings.jsonc import (
    ANY,
    END,
    Pattern,
    containers,
    inserted,
    parsed,
    removed,
)
from loremap.clients.settings.jsonc_tree import Malformed
from loremap.clients.settings.site import MARK, is_ours
from loremap.errors import BadInput

Steps = tuple[str | int, ...]
GROUPS: Pattern = ("hooks", ANY, ANY)
HANDLERS: Pattern = ("hooks", ANY, ANY, "hooks", ANY)
REMAINS: tuple[dict[str, Any], ...] = ({}, {"version": 1})
"""What is left of a file of ours in which others wrote nothing."""


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
class JsonValues:
    """Values of ours in a JSON file; `slots` are the patterns under which ours may be found."""

    file: Path
    values: tuple[tuple[Steps, Any], ...]
    slots: tuple[Pattern, ...]
    needs: tuple[tuple[str, Any], ...] = ()
    """Members the file must have beside ours, such as its version."""
    ours: Callable[[Any], bool] = is_ours
    executable: bool = False

    def made(self, before: bytes | None) -> bytes:
        """The file with our values; the same bytes where it has them all and no older ones."""
        text = text_of(self.file, before or b"")
        with refusals(self.file):
            present = parsed(text)
            there = present if isinstance(present, dict) else {}
            found = list(self._found(present))
            if Counter(_listed(found)) == Counter(_listed(self.values)):
                return before or b""
            staying = self._staying(found)
            holders = {path[:end] for path, _ in self.values for end in range(len(path))}
            for slot in self.slots:
                text = removed(text, slot, self._going(staying), kept=holders)
            for name, value in self.needs:
                text = text if name in there else inserted(text, (name,), value)
            for path, value in self.values:
                text = text if value in staying else inserted(text, path, value)
        return text.encode()

    def unmade(self, now: bytes, original: bytes | None, *, created: bool) -> bytes | None:
        """The file without our values."""
        text = text_of(self.file, now)
        with refusals(self.file):
            kept = containers(original.decode()) if original is not None else frozenset()
            for slot in self.slots:
                text = removed(text, slot, self.ours, kept=kept)
            if original is not None:
                text = self._without_needs(text, parsed(original.decode()))
            return None if created and parsed(text) in REMAINS else text.encode()

    def _found(self, value: Any) -> Iterator[tuple[Steps, Any]]:
        for slot in self.slots:
            yield from _matches(value, slot, self.ours)

    def _staying(self, found: list[tuple[Steps, Any]]) -> list[Any]:
        """What is there as we want it, once: it keeps its place among the hooks of others."""
        often, wanted = Counter(_listed(found)), _listed(self.values)
        if any(len(path) == len(HANDLERS) for path, _ in found):
            return []  # a handler of ours in a group of the user's: all of ours is written anew
        return [
            value
            for path, value in found
            if often[one := repr((path, value))] == 1 and one in wanted
        ]

    def _going(self, staying: list[Any]) -> Callable[[Any], bool]:
        """Whether a value is ours and is not to stay, in a group that stays neither."""
        handlers = [each for group in staying if "hooks" in group for each in group["hooks"]]
        return lambda value: self.ours(value) and value not in staying and value not in handlers

    def _without_needs(self, text: str, original: Any) -> str:
        """The text without the members that were put in beside ours."""
        there = original if isinstance(original, dict) else {}
        for name, value in self.needs:
            if name not in there:
                text = removed(text, (name,), partial(operator.eq, value), kept={()})
        return text


def _matches(value: Any, slot: Pattern, ours: Callable[[Any], bool]) -> Iterator[tuple[Steps, Any]]:
    """Our values under a pattern, with the paths by which they would be inserted."""
    if not slot:
        if ours(value):
            yield (), value
        return
    if ours(value):
        return  # what is within is found with it
    if isinstance(value, list):
        pairs = [(END, each) for each in value] if slot[0] is ANY else []
    elif isinstance(value, dict):
        pairs = [(key, each) for key, each in value.items() if slot[0] in (ANY, key)]
    else:
        return
    for step, each in pairs:
        for path, found in _matches(each, slot[1:], ours):
            yield (step, *path), found


def _listed(values: Any) -> list[str]:
    return [repr((path, value)) for path, value in values]


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
    """The object in a JSON file; an empty one where there is none to read."""
    try:
        value = parsed(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, Malformed):
        return {}
    return value if isinstance(value, dict) else {}


def has_plugin(settings: dict[str, Any]) -> bool:
    """Whether our plugin is switched on, as Claude Code and Copilot CLI note it."""
    enabled = settings.get("enabledPlugins")
    return isinstance(enabled, dict) and any(
        name.startswith("loremap@") and on for name, on in enabled.items()
    )


def nested_hooks(
    file: Path,
    events: dict[str, dict[str, Any]],
    line: Callable[[str], str],
    *,
    matchers: dict[str, str] | None = None,
) -> JsonValues:
    """Hooks in the form Claude Code brought up: event, group, handler."""
    return JsonValues(
        file,
        tuple(
            (
                ("hooks", event, END),
                ({"matcher": matchers[event]} if matchers and event in matchers else {})
                | {"hooks": [{"type": "command", "command": line(event), **more}]},
            )
            for event, more in events.items()
        ),
        (GROUPS, HANDLERS),
    )
