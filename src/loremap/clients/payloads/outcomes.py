"""What came of a tool call: its words, whether it worked, its error."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loremap.clients.payloads.payload import Raw, said, text

_EXIT_CODE = re.compile(r"\bexit(?:ed with)? code:?\s+(-?\d+)", re.IGNORECASE)
ERROR_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call; `success` is None where the client does not tell."""

    result: str = ""
    success: bool | None = None
    error: str = ""


def failed(words: str, *, result: str = "") -> Outcome:
    """A call that did not work."""
    return Outcome(result or words, False, words[:ERROR_CHARACTERS])


def told_by_text(words: str, *, otherwise: bool | None) -> Outcome:
    """What the words of a result say of its exit code; `otherwise` where they name none."""
    # The code stands before or after the output, never in the midst of it.
    found = list(_EXIT_CODE.finditer(words[:300])) + list(_EXIT_CODE.finditer(words[-300:]))
    if not found:
        return Outcome(words, otherwise)
    return told_by_code(int(found[-1][1]), words)


def told_by_code(code: int, words: str) -> Outcome:
    """What an exit code says of a command."""
    return Outcome(words, True) if code == 0 else failed(f"exit code {code}", result=words)


def of_any(raw: Raw) -> Outcome:
    """A client we do not know: what its fields say, if they say anything."""
    if error := text(raw, "error", "error_message"):
        return failed(error)
    names = ("tool_response", "tool_result", "toolResult", "tool_output", "result", "output")
    words = next((found for name in names if (found := said(raw.get(name)))), "")
    return told_by_text(words, otherwise=None)
