"""The words that a finding puts around the sentences of others, and how they come off again."""

from __future__ import annotations

import re

SAID_BEFORE, PROPOSED, ANSWERED = "Said before:", "Proposed:", "Answered:"
TRIED, DROPPED = "Tried:", "Dropped:"
_FRAME = re.compile(
    rf"\b(?:{SAID_BEFORE}|{PROPOSED}|{ANSWERED}|{TRIED}|{DROPPED})(?= “)|\bAfter `[^`]*` failed\."
)

_CONTEXT = re.compile(
    rf"\s*(?:{SAID_BEFORE}|{PROPOSED}|{TRIED}) “[^“”]*(?:“[^“”]*”[^“”]*)*”\s*"
    r"|After `[^`]*` failed\.\s*"
)
_SETTLED = re.compile(rf"(?:{ANSWERED}|{DROPPED}) “(?P<said>.+)”", re.DOTALL)


def framed(label: str, text: str) -> str:
    """A sentence of somebody with what it was, or nothing."""
    return f"{label} “{text}”" if text else ""


def told_apart(content: str) -> tuple[str, tuple[str, ...]]:
    """What was settled, and the lines that say on what it was: said before, proposed, failed."""
    around, at = list[str](), 0
    while match := _CONTEXT.match(content, at):
        around.append(match[0].strip())
        at = match.end()
    settled = _SETTLED.fullmatch(content, at)
    return (content, ()) if settled is None else (settled["said"], tuple(around))


def unframed(content: str) -> str:
    """What was said, without the words around it."""
    return _FRAME.sub(" ", content)
