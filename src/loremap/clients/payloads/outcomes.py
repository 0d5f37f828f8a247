"""What came of a tool call, by each client's own truth: its words, whether it worked, its error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from loremap.clients.payloads.payload import Raw, mapping, said, text, whole

_EXIT_CODE = re.compile(r"\bexit(?:ed with)? code:?\s+(-?\d+)", re.IGNORECASE)
_FAILED = frozenset("failure failed error denied rejected timeout cancelled aborted".split())
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
    code = int(found[-1][1])
    return Outcome(words, True) if code == 0 else failed(f"exit code {code}", result=words)


def of_claude(raw: Raw) -> Outcome:
    """Claude Code: a failure has an event of its own, so what comes otherwise has worked."""
    if error := text(raw, "error"):
        return failed(error)
    response = raw.get("tool_response", raw.get("tool_result"))
    parts = mapping(raw, "tool_response")
    words = said(response)
    if parts:
        errors = text(parts, "stderr")
        words = "\n".join(part for part in (words, errors) if part)
        if parts.get("interrupted") is True:
            return failed("interrupted", result=words)
        if parts.get("success") is False or parts.get("is_error") is True:
            return failed(words or "failed")
    return Outcome(words, True)


def of_codex(raw: Raw) -> Outcome:
    """Codex: a failing command looks like one that says nothing; only its own words can tell."""
    if error := text(raw, "error"):
        return failed(error)
    parts = mapping(raw, "tool_response")
    words = said(raw.get("tool_response")) or said(parts)
    code = whole(mapping(parts, "metadata") or parts, "exit_code", "exitCode")
    if code is not None:
        return Outcome(words, True) if code == 0 else failed(f"exit code {code}", result=words)
    if parts.get("isError") is True:
        return failed(words or "failed")
    return told_by_text(words, otherwise=None)


def of_gemini(raw: Raw) -> Outcome:
    """Gemini: a failing command is a success whose words hold its exit code."""
    parts = mapping(raw, "tool_response")
    words = said(parts.get("llmContent")) or said(parts.get("returnDisplay"))
    words = words.replace("<untrusted_context>", "").replace("</untrusted_context>", "").strip()
    error = mapping(parts, "error")
    if error or text(parts, "error"):
        return failed(text(error, "message") or text(parts, "error") or "failed", result=words)
    return told_by_text(words, otherwise=True)


def of_copilot(raw: Raw) -> Outcome:
    """Copilot, in either of its shapes: a failing command is a success whose words say so."""
    if error := text(raw, "error"):
        return failed(error)
    parts = mapping(raw, "toolResult", "tool_result", "tool_response")
    words = text(parts, "textResultForLlm", "text_result_for_llm") or said(parts)
    words = words or text(raw, "toolResult", "tool_result", "tool_response")
    if text(parts, "resultType", "result_type").lower() in _FAILED:
        return failed(words or "failed")
    return told_by_text(words, otherwise=True)


def of_cline(raw: Raw) -> Outcome:
    """Cline: says of each part of a call whether it worked, and calls the whole a success."""
    after = mapping(raw, "tool_result", "postToolUse")
    output = after.get("output", after.get("result"))
    words = said(output)
    parts = [part for part in (output if isinstance(output, list) else [output]) if _is_part(part)]
    if wrong := [part for part in parts if part.get("success") is False]:
        return failed(text(wrong[0], "error") or said(wrong[0]) or "failed", result=words)
    if error := text(after, "error"):
        return failed(error, result=words)
    success = mapping(raw, "postToolUse").get("success")
    if success is False:
        return failed(words or "failed")
    return told_by_text(words, otherwise=True if success is True or parts else None)


def _is_part(value: Any) -> bool:
    return isinstance(value, dict)


def of_cursor(raw: Raw) -> Outcome:
    """Cursor: a failure has an event of its own; a command's result holds its exit code."""
    if error := text(raw, "error_message", "error"):
        return failed(error)
    parts = mapping(raw, "tool_output", "result_json", "tool_response")
    words = said(parts) or text(raw, "tool_output", "output", "result_json", "tool_response")
    code = whole(parts, "exitCode", "exit_code")
    if code is not None:
        return Outcome(words, True) if code == 0 else failed(f"exit code {code}", result=words)
    return told_by_text(words, otherwise=True)


def of_opencode(raw: Raw) -> Outcome:
    """OpenCode: our plugin passes the exit code on, and an error where the tool threw one."""
    words = said(raw.get("tool_output"))
    if error := text(raw, "error"):
        return failed(error, result=words)
    code = whole(raw, "exit_code")
    if code is not None and code != 0:
        return failed(f"exit code {code}", result=words)
    return Outcome(words, True)


def of_any(raw: Raw) -> Outcome:
    """A client we do not know: what its fields say, if they say anything."""
    if error := text(raw, "error", "error_message"):
        return failed(error)
    names = ("tool_response", "tool_result", "toolResult", "tool_output", "result", "output")
    words = next((found for name in names if (found := said(raw.get(name)))), "")
    return told_by_text(words, otherwise=None)
