"""The words that a finding puts around the sentences of others, and how they come off again."""

from __future__ import annotations

import re

SAID_BEFORE, PROPOSED, ANSWERED = "Said before:", "Proposed:", "Answered:"
TRIED, DROPPED = "Tried:", "Dropped:"
_FRAME = re.compile(
    rf"\b(?:{SAID_BEFORE}|{PROPOSED}|{ANSWERED}|{TRIED}|{DROPPED})(?= “)|\bAfter `[^`]*` failed\."
)


def framed(label: str, text: str) -> str:
    """A sentence of somebody with what it was, or nothing."""
    return f"{label} “{text}”" if text else ""


def unframed(content: str) -> str:
    """What was said, without the words around it."""
    return _FRAME.sub(" ", content)
