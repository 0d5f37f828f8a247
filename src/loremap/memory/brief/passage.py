"""Which passage of a long text is told: the one that says most of what was asked."""

from __future__ import annotations

import re
from collections import Counter

from loremap.model.words import words

LOOKED_AT = 16_000
"""Characters of a text among which the passage is looked for, so that nobody waits for it."""
_NEXT = re.compile(r"(?<=[.!?])\s+(?=\S)|\n\s*(?=\S)")
"""Between two sentences or lines."""


def telling_start(text: str, asked: frozenset[str], *, longest: int) -> int:
    """Where the passage of `longest` characters begins whose sentences hold most of the words
    `asked` for: at the first sentence or line that has one, or so that it ends with the text. The
    opening is told where no other passage holds more."""
    if not asked or len(text) <= longest:
        return 0
    starts = [0, *(match.end() for match in _NEXT.finditer(text[:LOOKED_AT]))]
    ends = [*starts[1:], min(len(text), LOOKED_AT)]
    heard = [asked.intersection(words(text[at:end])) for at, end in zip(starts, ends, strict=True)]
    first = _best_start(starts, ends, heard, longest=longest)
    if not first:
        return 0
    fills = next((at for at in starts if len(text) - at < longest), first)
    return min(first, fills)


def _best_start(
    starts: list[int], ends: list[int], heard: list[frozenset[str]], *, longest: int
) -> int:
    """The start of the run of whole sentences that hears most; of equals the first."""
    inside: Counter[str] = Counter()
    best, most, last = 0, -1, 0
    for place, at in enumerate(starts):
        while last < len(ends) and (ends[last] - at <= longest or last == place):
            inside.update(heard[last])
            last += 1
        if (heard[place] or not place) and len(inside) > most:
            best, most = at, len(inside)
        inside.subtract(heard[place])
        inside += Counter()  # drops what is no longer inside
    return best
