"""The marks by which text of our own is known again, so that it is neither asked nor learned."""

from __future__ import annotations

import re
from functools import lru_cache

from loremap.model.text import visible

XML_OPEN = '<project_memory source="loremap"'
XML_CLOSE = "</project_memory>"
MARKDOWN_OPEN = "# Project memory from Loremap"
MARKDOWN_CLOSE = "*End of project memory from Loremap.*"
TEXT_OPEN = "[project memory from Loremap"
TEXT_CLOSE = "[end of project memory]"

_PAIRS = (
    (XML_OPEN, XML_CLOSE),
    (MARKDOWN_OPEN, MARKDOWN_CLOSE),
    (TEXT_OPEN, TEXT_CLOSE),
    ("<hook_context>", "</hook_context>"),  # Gemini CLI puts it round what hooks gave
)
COMMAND = re.compile(
    r"\s*(?:I typed /(?:remember|forget|pin|memory)\b[^\n]{0,40}\. Call the tool `memory`"
    r"|[/$](?:loremap[:.])?(?:remember|forget|pin|memory)\b"
    r'|The user explicitly invoked the "/(?:loremap:)?(?:remember|forget|pin|memory)[\w-]*" skill)'
)
"""How a slash command of ours begins, as it is typed and as a client expands it."""

_LEAD = re.compile(r"[ \t]*\b\w+ hook additional context:\s*\Z")
_LONGEST_LEAD = 200
REMOVED = "[mark removed]"
"""Stands in a text where it had the mark of a frame."""
_FRAME = re.compile(
    r"<[\s/]{0,4}(?:project_memory|hook_context|system|system[-_]reminder|environment_context|"
    r"user_instructions|untrusted_context|function_calls|tool_call)(?![\w.:-])[^<>]{0,200}>?"
    r"|[\[#*]\s{0,4}(?:end\s{1,4}of\s{1,4})?project\s{1,4}memory\s{1,4}from\s{1,4}loremap"
    r"|\[\s{0,4}end\s{1,4}of\s{1,4}project\s{1,4}memory\s{0,4}\]?",
    re.IGNORECASE,
)
"""The marks of our frame, and those that clients put round words of their own."""


def without_ours(text: str) -> str:
    """`text` without what was injected into it; what was begun and cut off goes to its end."""
    if not any(mark in text for pair in _PAIRS for mark in pair):
        return text
    for begin, end in _PAIRS:
        text = _without(text, begin, end)
    return text.strip()


def is_our_command(prompt: str) -> bool:
    """Whether a prompt is a slash command of ours, which is no task."""
    return COMMAND.match(prompt) is not None


def _without(text: str, begin: str, end: str) -> str:
    kept: list[str] = []
    at = 0
    while (start := text.find(begin, at)) >= 0:
        lead = max(at, start - _LONGEST_LEAD)
        kept += text[at:lead], _LEAD.sub("", text[lead:start])
        stop = text.find(end, start + len(begin))
        at = len(text) if stop < 0 else stop + len(end)
    return "".join((*kept, text[at:]))


@lru_cache(maxsize=2048)
def harmless(text: str) -> str:
    """`text` with nothing changed but what would deceive: characters that hide or steer are gone,
    and `[mark removed]` stands where it had the mark of a frame, ours or a client's. Kept, for what
    stands is told to every session."""
    return _FRAME.sub(REMOVED, visible(text))
