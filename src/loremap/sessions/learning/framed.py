"""The words that a finding puts around the sentences of others, and how they come off again."""

from __future__ import annotations

import re

SAID_BEFORE, PROPOSED = "Said before:", "Proposed:"
ANSWERED, SAID = "Answered:", "Said:"
TRIED, DROPPED = "Tried:", "Dropped:"
_FRAME = re.compile(
    rf"\b(?:{SAID_BEFORE}|{PROPOSED}|{ANSWERED}|{SAID}|{TRIED}|{DROPPED})(?= “)"
    r"|\bAfter `[^`]*` failed\."
)

_CONTEXT = re.compile(
    rf"\s*(?:{SAID_BEFORE}|{PROPOSED}|{TRIED}) “[^“”]*(?:“[^“”]*”[^“”]*)*”\s*"
    r"|After `[^`]*` failed\.\s*"
)
_SETTLED = re.compile(rf"(?:{ANSWERED}|{DROPPED}) “(?P<said>.+)”", re.DOTALL)


def framed(label: str, *texts: str) -> str:
    """What somebody said, each text as it was said, with what it was; nothing where it is empty."""
    said = " ".join(f"“{text}”" for text in texts if text)
    return f"{label} {said}" if said else ""


def settled(content: str) -> str:
    """What settles it: the words after those that led to it."""
    return re.split(rf"\b(?:{ANSWERED}|{SAID})(?= “)", content)[-1]


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
