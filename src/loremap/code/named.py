"""The definitions of one file by name, each with the sketch of its span, made when asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from loremap.code.facts import Definition, FileFacts, qualified_names
from loremap.code.sketch import Sketch, sketch_of, tokens

MAX_SHARING = 4
PROBED, LEAST_SHARED = 16, 0.15
"""A file that has no more of the first part of a sketch than this share has nothing like it."""
_REPEATED = re.compile(r"#\d+")


class Named:
    """What a file defines. Definitions of one name (overloads, a getter and its setter) count as
    one symbol, so that a new one before it does not make another of it."""

    def __init__(self, facts: FileFacts, source: bytes) -> None:
        self.language = facts.language
        self.broken = facts.broken
        self._source = source
        self._held: dict[str, list[Definition]] = {}
        self._sketches: dict[str, Sketch] = {}
        self._holders: dict[int, list[str]] | None = None
        for name, definition in zip(qualified_names(facts), facts.definitions, strict=True):
            plain = _REPEATED.sub("", name)
            if plain and "<" not in plain:
                self._held.setdefault(plain, []).append(definition)

    def __contains__(self, symbol: str) -> bool:
        return symbol in self._held

    @property
    def symbols(self) -> Sequence[str]:
        """The dotted names, in the order of the file."""
        return tuple(self._held)

    def definitions(self, symbol: str) -> Sequence[Definition]:
        """Where a symbol is defined, in the order of the file."""
        return self._held[symbol]

    def line(self, symbol: str) -> int:
        """The line where a symbol begins."""
        return self._held[symbol][0].start_line

    def digest(self, symbol: str) -> str:
        """The hash by which the code graph knows a symbol."""
        return self._held[symbol][0].digest

    def ending(self, chain: str) -> list[str]:
        """The symbols whose dotted name is `chain` or ends in it."""
        return [name for name in self._held if name == chain or name.endswith("." + chain)]

    def at_line(self, line: int) -> str | None:
        """The innermost symbol that spans a line."""
        spans = [
            (one.end_line - one.start_line, name)
            for name, held in self._held.items()
            for one in held
            if one.start_line <= line <= one.end_line
        ]
        return min(spans)[1] if spans else None

    def sketch(self, symbol: str) -> Sketch:
        """The sketch of a symbol's span, or of all its spans in an order of their own."""
        if symbol not in self._sketches:
            names = symbol.split(".")
            said = sorted(
                tokens(
                    self._source[self._start(one) : one.end_byte].decode("utf-8", "replace"),
                    names=names,
                    language=self.language,
                )
                for one in self._held[symbol]
            )
            self._sketches[symbol] = sketch_of([token for span in said for token in span])
        return self._sketches[symbol]

    def sharing(self, sketch: Sketch) -> list[str]:
        """The symbols that have most in common with a sketch; none where all have little."""
        if self._holders is None:
            self._holders = {}
            for symbol in self._held:
                for one in self.sketch(symbol).sample:
                    self._holders.setdefault(one, []).append(symbol)
        probe = sketch.sample[:PROBED]
        if sum(map(self._holders.__contains__, probe)) <= LEAST_SHARED * len(probe):
            return []
        shared = self._holders.keys() & sketch.members
        counts = Counter(symbol for one in shared for symbol in self._holders[one])
        return [symbol for symbol, _ in counts.most_common(MAX_SHARING)]

    def _start(self, one: Definition) -> int:
        """Where a definition begins with its decorators, which are part of what it does."""
        start = self._source.rfind(b"\n", 0, one.start_byte) + 1
        indent = one.start_byte - start
        first = one.start_byte
        at = start
        while one.decorators and at > 0:
            above = self._source.rfind(b"\n", 0, at - 1) + 1
            line = self._source[above : at - 1]
            said = line.strip()
            margin = len(line) - len(line.lstrip())
            if not said or margin < indent or (margin == indent and said[:1] not in b"@)]}#"):
                break
            if said.startswith(b"@") and margin == indent:
                first = above + margin
            at = above
        return first
