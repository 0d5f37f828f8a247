"""Which triggers of warning memories fire on a command, a file or a text, in bounded time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

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
        given: list[tuple[Source, str]] = [("file", file) for file in files]
        if command is not None:
            given.append(("command", command))
        if text is not None:
            given.append(("text", text))
        hits: dict[tuple[int, Source], Fired] = {}
        unfinished: set[int] = set()
        deadline = Deadline.after(_SCAN_SECONDS, clock)
        for source, body in given:
            subject = Subject.of(body.replace("\\", "/") if source == "file" else body)
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
                    matched = body[start : min(end, start + MATCHED_CHARS)]
                    hits[slot, source] = Fired(key, trigger, source, matched, start)
        return Scan(
            fired=[hits[place] for place in sorted(hits)],
            unfinished=tuple(self._entries[slot][0] for slot in sorted(unfinished)),
        )

    def _candidates(self, subject: Subject, source: Source) -> Iterator[tuple[int, Finder, Block]]:
        index = self._paths if source == "file" else self._lines
        for block in subject.blocks():
            folded = subject.folded[block.start : block.end].encode()
            for slot, find in index.candidates(folded):
                yield slot, find, block
