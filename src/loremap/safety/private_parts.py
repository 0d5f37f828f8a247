"""What a writer marks as private: `<private>…</private>`, which is never kept."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.safety.linear import Hit, Span

_MARK = re.compile(r"(?<!`)<(/?)\s{0,3}private\s{0,3}>(?!`)", re.IGNORECASE)
"""A mark in backticks is only spoken of."""


def private_parts(text: str) -> Iterator[Hit]:
    """The private parts of `text` with their marks.

    One that is not closed goes on to the end of the text, and one that was not opened began before
    it: the text may be cut out of a longer one.
    """
    return (Hit("private", start, end) for start, end in _spans(text))


def without_private(text: str) -> str:
    """`text` without its private parts, for what must be cut before it is redacted."""
    if "private" not in text.lower():
        return text
    kept, at = list[str](), 0
    for start, end in _spans(text):
        kept.append(text[at:start])
        at = end
    return "[REDACTED: private]".join((*kept, text[at:]))


def _spans(text: str) -> Iterator[Span]:
    depth, start, last = 0, 0, 0
    for mark in _MARK.finditer(text):
        if not mark.group(1):
            start = mark.start() if depth == 0 else start
            depth += 1
        elif depth <= 1:
            yield (start if depth else last), mark.end()
            depth, last = 0, mark.end()
        else:
            depth -= 1
    if depth:
        yield start, len(text)
