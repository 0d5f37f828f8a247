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


def is_statement_of_code(line: str) -> bool:
    """Whether a line alone reads as code: a declaration or a statement."""
    return bool(_DECLARATION.match(line) or _STATEMENT.search(line))


_LAST_WORD = re.compile(r"(?<=\s)\S+\Z")
_STEERING = dict.fromkeys(
    (
        *(code for code in range(0x20) if chr(code) not in "\n\t"),
        *range(0x7F, 0xA0),
        *(0x2028, 0x2029),  # ends of a line and of a paragraph
    ),
    " ",
)
_SYMBOLS = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_JOINING = (
    "\u0600-\u060b\u0620-\u06ff\u0700-\u10ff\u1200-\u17b3\u17b6-\u180a\u1810-\u18af"
    "\ufb50-\ufdff\ufe70-\ufefc"
)
"""Letters of Arabic, Syriac and the scripts of India and Indochina, which a joiner shapes."""
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Signs without a width."""
_SHAPING = re.compile(
    f"(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])"  # as Persian writes its verbs
    f"|(?:(?<=[{_SYMBOLS}])|(?<=[{_SYMBOLS}]\ufe0f))\u200d(?=[{_SYMBOLS}])"  # 👩, joined to 💻
    f"|(?<=[{_SYMBOLS}])[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)"
)
"""The few of them that shape what is seen."""


def visible(text: str) -> str:
    """`text` without control characters and characters that hide what is said.

    What a repository holds was written by anyone, and is shown on terminals and given to agents;
    a model reads signs that a person does not see. A space takes the place of what steers; what has
    no width goes, so that a secret with such a sign in it is whole again and known as one. Joiners
    stay between letters and pictures that they shape; flags of regions and rare variants of a
    letter lose what tells them from the plain sign.
    """
    text = text.translate(_STEERING)
    return text if text.isascii() else _HIDDEN.sub(_shaping, text)


def _shaping(found: re.Match[str]) -> str:
    return found[0] if _SHAPING.match(found.string, found.start()) else ""


def one_line(text: str) -> str:
    """`text` on one line, without characters that hide or steer."""
    return " ".join(visible(text).split())


def cut(text: str, longest: int) -> str:
    """`text` of at most so many characters, cut between words."""
    if len(text) <= longest:
        return text
    kept = text[: longest - 1]
    if not text[longest - 1].isspace():
        kept = _LAST_WORD.sub("", kept) or kept
    return kept.rstrip() + "…"
