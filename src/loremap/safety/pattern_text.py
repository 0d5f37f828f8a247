"""A text in the forms that are searched, and the way back from a place in them to the given one."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

Span = tuple[int, int]
SCANNED_CHARS = 1_000_000
"""Only this much of a text is read: no agent writes more at once, and a check must stay short."""
_BLOCK_CHARS = 65_536
_OVERLAP_CHARS = 16_384
"""A longer text is searched block by block; only a match longer than the overlap can be missed."""
SURROGATES = re.compile("[\ud800-\udfff]")
_ALONE = (
    "\0-\t\x0b-\u02ff\u0370-\u0482\u048a-\u0590\u1100-\u1112\u1e00-\u20cf\u2100-\u2bff"
    "\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff\uac00-\ud7a3\U0001f000-\U0001faff"
)
"""Characters, not nearly all, that never combine with the one before them."""
_STRETCH = re.compile(f"(?:[{_ALONE}]{{1,40}}[^{_ALONE}]{{0,30}}){{1,20}}|[^{_ALONE}]{{1,30}}")
"""Text that composes by itself. Python takes time squared over a run of marks: 30 is enough."""


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a text, in characters and in bytes of its UTF-8."""

    start: int
    end: int
    byte_start: int
    byte_end: int


@dataclass(frozen=True)
class Subject:
    """One given text in the forms that are searched; `text` and `folded` share their offsets."""

    given: str
    text: str
    folded: str
    utf8: bytes
    is_as_given: bool

    @classmethod
    def of(cls, given: str) -> Subject:
        """The start of `given`, composed and folded."""
        given = given[:SCANNED_CHARS]
        if given.isascii() and "\r\n" not in given:
            return cls(given, given, given.lower(), given.encode(), is_as_given=True)
        normal = "".join(map(_normal, _STRETCH.findall(given)))
        text = SURROGATES.sub("\ufffd", normal)
        return cls(given, text, folded(text), text.encode(), is_as_given=normal == given)

    def blocks(self) -> Iterator[Block]:
        """The stretches that `text` is searched in, each overlapping the one before."""
        byte_start = 0
        for start, end in windows_over(len(self.text), size=_BLOCK_CHARS, overlap=_OVERLAP_CHARS):
            byte_end = byte_start + len(self.text[start:end].encode())
            yield Block(start, end, byte_start, byte_end)
            byte_start = byte_end - len(self.text[end - _OVERLAP_CHARS : end].encode())

    def char_span(self, byte_span: Span, block: Block) -> Span:
        """Where bytes found in `block` stand among the characters."""
        start, end = byte_span
        before = self.utf8[block.byte_start : start].decode(errors="ignore")
        within = self.utf8[start:end].decode(errors="ignore")
        at = block.start + len(before)
        return at, at + len(within)

    def origin(self, offset: int) -> int:
        """The place in the given text of an offset in `text`."""
        if self.is_as_given:
            return offset
        stretches, starts, offsets = self._stretches
        nth = bisect_right(offsets, offset) - 1
        stretch, rest = stretches[nth], offset - offsets[nth]
        lengths = range(len(stretch) + 1)
        inside = bisect_right(lengths, rest, key=lambda n: len(_normal(stretch[:n]))) - 1
        return starts[nth] + inside

    @cached_property
    def _stretches(self) -> tuple[list[str], list[int], list[int]]:
        """Stretches of the given text, where each starts in it, and where in `text`."""
        stretches = _STRETCH.findall(self.given)
        starts = list(accumulate(map(len, stretches), initial=0))
        offsets = list(accumulate((len(_normal(each)) for each in stretches), initial=0))
        return stretches, starts[:-1], offsets[:-1]


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n"))


def folded(text: str) -> str:
    """`text` without case, each character for one character so that offsets hold."""
    return text.replace("İ", "i").lower().replace("ς", "σ").replace("ſ", "s")


def windows_over(total: int, *, size: int, overlap: int) -> Iterator[Span]:
    """Stretches of at most `size` that cover `total`, each overlapping the one before."""
    start = 0
    while start + size < total:
        yield start, start + size
        start += size - overlap
    yield start, total
