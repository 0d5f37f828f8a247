"""Which triggers of warning memories fire on a command, a file or a text, in bounded time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from loremap.model.command_line import Command, Line, pattern_of
from loremap.model.memory import Trigger
from loremap.safety.pattern_reading import finders_for
from loremap.safety.pattern_search import Deadline, Finder, Index
from loremap.safety.pattern_text import Block, Subject

__all__ = ["Fired", "Scan", "Trigger", "TriggerSet", "refusal_for"]

Source = Literal["command", "file", "text"]
Key = int | str
MATCHED_CHARS = 80
_SCAN_SECONDS = 0.15
"""For all searches of one scan."""


@dataclass(frozen=True, slots=True)
class Fired:
    """A trigger that fired: on what, and the start of its first match in the text as given."""

    key: Key
    trigger: Trigger
    on: Source
    matched: str
    start: int


@dataclass(frozen=True, slots=True)
class Scan:
    """The triggers that fired, and the keys of those stopped because they ran out of time."""

    fired: list[Fired]
    unfinished: tuple[Key, ...]


def refusal_for(trigger: Trigger) -> str | None:
    """One line saying why `trigger` cannot be used and how to mend it, or None if it can."""
    read = finders_for(trigger)
    return read if isinstance(read, str) else None


def command_of(trigger: Trigger) -> Command | None:
    """The command that a trigger names by its words; None where it names none."""
    if trigger.kind != "literal" or trigger.on not in ("any", "command"):
        return None
    return pattern_of(trigger.pattern)


class TriggerSet:
    """Many triggers read once, to be matched against many texts.

    They become automata of RE2, which never backtracks. One pass of them over a text names the few
    triggers that may fire; only those are then searched for exactly.
    """

    def __init__(self, entries: Sequence[tuple[Key, Trigger]]) -> None:
        self._entries = entries
        read = [finders_for(trigger) for _, trigger in entries]
        self.refused: tuple[tuple[Key, str], ...] = tuple(
            (key, why) for (key, _), why in zip(entries, read, strict=True) if isinstance(why, str)
        )
        usable = [(slot, each) for slot, each in enumerate(read) if not isinstance(each, str)]
        self._lines = Index([(slot, find) for slot, each in usable for find in each.lines])
        self._paths = Index([(slot, find) for slot, each in usable for find in each.paths])
        self._commands: dict[str, list[tuple[int, Command]]] = {}
        for slot, _ in usable:
            named = command_of(entries[slot][1])
            if named is not None:
                self._commands.setdefault(named.program.lower(), []).append((slot, named))

    @classmethod
    def compile(cls, entries: Iterable[tuple[Key, Trigger]]) -> TriggerSet:
        """The set of `entries`; a trigger that cannot be used is left out, named in `refused`."""
        return cls(tuple(entries))

    def fired(
        self, *, command: str | None = None, files: Iterable[str] = (), text: str | None = None
    ) -> list[Fired]:
        """The triggers that fire, in the order of the entries, once for each kind of source."""
        return self.scan(command=command, files=files, text=text).fired

    def scan(
        self,
        *,
        command: str | None = None,
        files: Iterable[str] = (),
        text: str | None = None,
        clock: Callable[[], float] = time.thread_time,
    ) -> Scan:
        """What `fired` returns, and which triggers could not be searched for in time.

        The time is that of the processor: a busy machine must not silence a warning.
        """
        given: list[tuple[Source, str, str, int | None]] = [
            ("file", file, file.replace("\\", "/"), None) for file in files
        ]
        hits: dict[tuple[int, Source], Fired] = {}
        if command is not None:
            line = Line(command)
            given.append(("command", command, line.spoken, None))
            given += [("command", command, each, at) for each, at in line.fragments]
            hits |= {(one, "command"): each for one, each in self._run(line)}
        if text is not None:
            given.append(("text", text, text, None))
        unfinished: set[int] = set()
        deadline = Deadline.after(_SCAN_SECONDS, clock)
        for source, body, searched, at in given:
            subject = Subject.of(searched)
            for slot, find, block in self._candidates(subject, source):
                key, trigger = self._entries[slot]
                if trigger.on not in ("any", source) or (slot, source) in hits:
                    continue
                if slot in unfinished:
                    continue
                over = deadline.has_passed()
                span = "stopped" if over else find.span(subject, block, deadline)
                if span == "stopped":
                    unfinished.add(slot)
                elif span is not None:
                    start, end = subject.origin(span[0]), subject.origin(span[1])
                    if at is None:
                        matched = body[start : min(end, start + MATCHED_CHARS)]
                    else:  # it stands in the line in another form
                        start, matched = at, searched[start : min(end, start + MATCHED_CHARS)]
                    hits[slot, source] = Fired(key, trigger, source, matched, start)
        return Scan(
            fired=[hits[place] for place in sorted(hits)],
            unfinished=tuple(self._entries[slot][0] for slot in sorted(unfinished)),
        )

    def _run(self, line: Line) -> Iterator[tuple[int, Fired]]:
        """The triggers that name a command which the line runs."""
        for program in {one.program.lower() for one in line.commands}:
            for slot, named in self._commands.get(program, ()):
                start = line.place_of(named)
                if start >= 0:
                    key, trigger = self._entries[slot]
                    matched = line.given[start : start + MATCHED_CHARS].partition("\n")[0]
                    yield slot, Fired(key, trigger, "command", matched, start)

    def _candidates(self, subject: Subject, source: Source) -> Iterator[tuple[int, Finder, Block]]:
        index = self._paths if source == "file" else self._lines
        for block in subject.blocks():
            folded = subject.folded[block.start : block.end].encode()
            for slot, find in index.candidates(folded):
                yield slot, find, block
