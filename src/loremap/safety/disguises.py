"""The readings of a text in which a disguised secret shows: unveiled, folded, and joined."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from loremap.safety.linear import Span

_INVISIBLE = re.compile(
    "[\u00ad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_LINE_ENDS = bytes.maketrans(b"\x85\x0b\x0c", b"\n\n\n")
_LINE_END = re.compile(rb"\r\n|\n|\r|\\n")
_LEAD = re.compile(rb"""[ \t]*(?:(?:#|//|\*|>|\|)[ \t]+)?["'`]?""")
"""What a line may begin with besides its text: an indent, the sign of a comment, a quote."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a text, and where each of its characters stands in the text itself.

    `joins` are the places where line breaks were taken out, and `shifts` how much was taken out up
    to each of them.
    """

    data: bytes
    places: Sequence[int]
    joins: Sequence[int] = ()
    shifts: Sequence[int] = (0,)

    def original(self, start: int, end: int) -> Span:
        """The span of the text that `start` to `end` was read from."""
        return self._place(start), self._place(end - 1) + 1

    def joins_within(self, start: int, end: int) -> Sequence[int]:
        """Where line breaks were taken out between `start` and `end`."""
        return self.joins[bisect_right(self.joins, start) : bisect_left(self.joins, end)]

    def starts_line(self, at: int) -> bool:
        """Whether a line break was taken out right before `at`, or the text begins there."""
        return at == 0 or len(self.joins_within(at - 1, at + 1)) > 0

    def _place(self, at: int) -> int:
        return self.places[at + self.shifts[bisect_right(self.joins, at)]]


def readings(text: str) -> Iterator[Reading]:
    """`text` as it stands, then without invisible characters, then with its letters made plain."""
    yield Reading(as_bytes(text), range(len(text)))
    if text.isascii():
        return
    if _INVISIBLE.search(text) is not None:
        yield _rewritten(text, lambda sign: "" if _INVISIBLE.match(sign) else sign)
    if unicodedata.normalize("NFKC", text) != text:
        yield _rewritten(text, _plain)


def joined(reading: Reading) -> Reading | None:
    """`reading` with its lines run together, or None where it is one line."""
    pieces, joins, shifts, length = list[bytes](), list[int](), list[int](), 0
    for start, end in _lines(reading.data):
        lead = _LEAD.match(reading.data, start, end) if pieces else None
        start = lead.end() if lead is not None else start
        if piece := _without_trail(reading.data[start:end]):
            joins.append(length)
            shifts.append(start - length)
            pieces.append(piece)
            length += len(piece)
    return Reading(b"".join(pieces), reading.places, joins[1:], shifts) if len(joins) > 1 else None


def _without_trail(line: bytes) -> bytes:
    """`line` without what joins it to the next in code: a backslash, a quote, a plus."""
    bare = line.rstrip(b" \t\\")
    if bare.endswith((b" +", b'"+', b"'+", b"`+")):
        bare = bare[:-1].rstrip(b" \t")
    return bare.rstrip(b"\"'`")


def _lines(data: bytes) -> Iterator[Span]:
    start = 0
    for end in _LINE_END.finditer(data):
        yield start, end.start()
        start = end.end()
    yield start, len(data)


def as_bytes(text: str) -> bytes:
    """`text` with one byte for each character, so that places in both are the same."""
    lines = text.replace("\u2028", "\n").replace("\u2029", "\n")
    return lines.encode("latin-1", "replace").translate(_LINE_ENDS)


def _rewritten(text: str, rewrite: Callable[[str], str]) -> Reading:
    new = {ord(sign): rewrite(sign) for sign in set(text) if not sign.isascii()}
    if all(len(signs) == 1 for signs in new.values()):
        return Reading(as_bytes(text.translate(new)), range(len(text)))
    places = list[int]()
    for at, sign in enumerate(text):
        places.extend([at] * len(new.get(ord(sign), sign)))
    return Reading(as_bytes(text.translate(new)), places)


def _plain(sign: str) -> str:
    return "" if _INVISIBLE.match(sign) else unicodedata.normalize("NFKC", sign)
