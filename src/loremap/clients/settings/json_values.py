"""Values of ours in a JSON file of a client, its hooks above all."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from loremap.clients.settings.edits import refusals, text_of
from loremap.clients.settings.jsonc import (
    ANY,
    END,
    Pattern,
    containers,
    inserted,
    parsed,
    removed,
)
from loremap.clients.settings.site import is_ours

Steps = tuple[str | int, ...]
GROUPS: Pattern = ("hooks", ANY, ANY)
HANDLERS: Pattern = ("hooks", ANY, ANY, "hooks", ANY)
REMAINS: tuple[dict[str, Any], ...] = ({}, {"version": 1})
"""What is left of a file of ours in which others wrote nothing."""


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


def nested_hooks(
    file: Path, handlers: Mapping[str, Mapping[str, Any]], *, matchers: Mapping[str, str] = {}
) -> JsonValues:
    """Hooks in the form Claude Code brought up: event, group, handler."""
    return JsonValues(
        file,
        tuple(
            (
                ("hooks", event, END),
                ({"matcher": matchers[event]} if event in matchers else {})
                | {"hooks": [{"type": "command", **handler}]},
            )
            for event, handler in handlers.items()
        ),
        (GROUPS, HANDLERS),
    )


def flat_hooks(
    file: Path,
    handlers: Mapping[str, Mapping[str, Any]],
    *,
    needs: tuple[tuple[str, Any], ...] = (),
) -> JsonValues:
    """Hooks without groups: event, handler."""
    values = tuple((("hooks", event, END), dict(one)) for event, one in handlers.items())
    return JsonValues(file, values, (GROUPS,), needs)
