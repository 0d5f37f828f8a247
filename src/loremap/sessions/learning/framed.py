"""The words that a finding puts around the sentences of others, and how they come off again."""

from __future__ import annotations

import re
from collections.abc import Iterable

SAID_BEFORE, PROPOSED = "Said before:", "Proposed:"
ANSWERED, SAID, RESTATED = "Answered:", "Said:", "Restated by the agent:"
TRIED, DROPPED = "Tried:", "Dropped:"
INSTEAD = "Instead of:"
_MARK = f"{INSTEAD} “"
_FRAME = re.compile(
    rf"\b(?:{SAID_BEFORE}|{PROPOSED}|{ANSWERED}|{SAID}|{RESTATED}|{TRIED}|{DROPPED})(?= “)"
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
    """What settles it: what was restated, or the words after those that led to it."""
    if content.startswith(RESTATED):
        return content
    return re.split(rf"\b(?:{ANSWERED}|{SAID})(?= “)", content)[-1]


def told_apart(content: str) -> tuple[str, tuple[str, ...]]:
    """What was settled, and the lines that say on what it was: said before, proposed, failed."""
    around, at = list[str](), 0
    while match := _CONTEXT.match(content, at):
        around.append(match[0].strip())
        at = match.end()
    settled = _SETTLED.fullmatch(content, at)
    return (content, ()) if settled is None else (settled["said"], tuple(around))


def paired(quote: str, rejected: Iterable[str]) -> str:
    """What was said, and beside it what that turned down, where it does not name it itself. The
    last mark is always ours: what was turned down holds none, and after a quote that does, ours
    stands empty."""
    others = (text.replace(_MARK, f'{INSTEAD} "') for text in rejected if text not in quote)
    instead = framed(INSTEAD, *others) or (f"{_MARK}”" if _MARK in quote else "")
    return f"{quote} {instead}".strip()


def pair(snippet: str) -> tuple[str, str]:
    """What was said, and what that turned down; the latter is mostly empty."""
    quote, mark, rejected = snippet.rpartition(_MARK)
    is_whole = bool(mark) and rejected.endswith("”")
    return (quote.strip(), rejected.removesuffix("”")) if is_whole else (snippet, "")


def spoken(content: str) -> str:
    """What a person said, of what a finding says: without what led to it and its marks."""
    said = re.split(rf"\b(?:{ANSWERED}|{SAID}|{DROPPED})(?= “)", content)
    return said[-1].strip().removeprefix("“").removesuffix("”") if len(said) > 1 else content


def unframed(content: str) -> str:
    """What was said, without the words around it."""
    return _FRAME.sub(" ", content)
