"""Turns of a session in a few words, for the rules that read patterns off them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from loremap.clients.payloads.tools import called
from loremap.model.pattern import Pattern, PatternType, Sighting, confidence, key_of
from loremap.model.turn import Speaker, Turn

BEGAN = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


class Told:
    """A session as it is told, call by call; a minute passes with each, unless said otherwise."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.at = BEGAN

    def _add(self, **more: Any) -> Told:
        self.turns.append(Turn(number=len(self.turns), at=self.at, **more))
        return self

    def waits(self, seconds: float) -> Told:
        self.at += timedelta(seconds=seconds)
        return self

    def asks(self, text: str) -> Told:
        return self._add(speaker=Speaker.PERSON, text=text)

    def says(self, text: str) -> Told:
        return self._add(speaker=Speaker.AGENT, text=text)

    def calls(self, name: str, given: Mapping[str, Any], *, ok: bool = True, out: str = "") -> Told:
        made = replace(
            called(name, given), success=ok, result=out, error="" if ok else out or "failed"
        )
        self._add(speaker=Speaker.TOOL, call=made)
        return self.waits(60)

    def edits(self, path: str, old: str = "", new: str = "x = 1", *, ok: bool = True) -> Told:
        given = {"file_path": path, "old_string": old, "new_string": new}
        return self.calls("Edit", given, ok=ok, out="" if ok else "String to replace not found.")

    def reads(self, path: str) -> Told:
        return self.calls("Read", {"file_path": path})

    def greps(self, pattern: str) -> Told:
        return self.calls("Grep", {"pattern": pattern})

    def runs(self, command: str, *, out: str = "") -> Told:
        return self.calls("Bash", {"command": command}, out=out)

    def fails(self, command: str, out: str) -> Told:
        return self.calls("Bash", {"command": command}, ok=False, out=out)


def task(*of: Told) -> list[Sequence[Turn]]:
    """Each of these as one task of a session."""
    return [one.turns for one in of]


def counts(found: Sequence[Sighting]) -> dict[tuple[str, ...], tuple[int, int]]:
    """What was seen of each pattern: how often, and how often the contrary."""
    sums: dict[tuple[str, ...], tuple[int, int]] = {}
    for one in found:
        supports, against = sums.get(one.about, (0, 0))
        sums[one.about] = (supports + one.supports, against + one.against)
    return sums


def known(type_: PatternType, about: tuple[str, ...], **data: Any) -> Pattern:
    """A pattern that another session showed."""
    return Pattern(
        id="p1",
        type=type_,
        key=key_of(*about),
        data=data,
        confidence=confidence([]),
        observed=1,
        against=0,
        sessions=1,
        first_seen=BEGAN,
        last_seen=BEGAN,
    )
