"""What can be said of a text at a glance: where its subject stands, and whether it is code."""

from __future__ import annotations

import re

HEAD_CHARS = 300
"""The opening of a text says its subject; what follows counts for less."""

_DECLARATION = re.compile(
    r"\s*(?:@\w|(?:export |pub |public |private |static |async )*"
    r"(?:def|class|func|function|fn|interface|struct|enum|impl)\s+\w+\s*[\w(<:{=])"
)
_STATEMENT = re.compile(
    r"[;{}]\s*$|^\s*(?:return|import|from|if|for|while|else|try|except)\b.*[:;(]"
    r"|^\s*[\w.\[\]]+\s*[-+*/]?=\s*\S|^\s*[\w.]+\(.*\)\s*$"
)


def opening(text: str) -> tuple[str, str]:
    """`text` cut in two at a space: its first 300 characters, and the rest."""
    if len(text) <= HEAD_CHARS:
        return text, ""
    cut = text.rfind(" ", 0, HEAD_CHARS)
    cut = cut if cut > HEAD_CHARS // 2 else HEAD_CHARS
    return text[:cut], text[cut:]


def is_code(text: str) -> bool:
    """Whether `text` is source code: it opens with a declaration, or half its lines are
    statements."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return False
    statements = sum(bool(_STATEMENT.search(line)) for line in lines)
    return bool(_DECLARATION.match(text)) or 2 * statements >= len(lines)


_UNSEEN = dict.fromkeys(
    (
        *(code for code in range(0x20) if chr(code) not in "\n\t"),
        *range(0x7F, 0xA0),
        *(0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF),  # signs of no width that join no letters
        *range(0x202A, 0x202F),  # signs that turn the direction of writing
        *range(0x2066, 0x206A),
    ),
    " ",
)


def visible(text: str) -> str:
    """`text` without signs that steer a terminal or hide what is said; a space takes their place.

    What a repository holds was written by anyone, and is shown on terminals and given to agents.
    """
    return text.translate(_UNSEEN)
