"""What is printed for an answer, in the shape each client takes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loremap.interfaces.hooks.answers import dressed, nothing
from loremap.model.hook import Moment, Reply


@pytest.mark.parametrize(
    ("client", "name", "moment", "reply", "printed"),
    [
        (
            "claude",
            "UserPromptSubmit",
            Moment.PROMPT,
            Reply("c"),
            {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "c"}},
        ),
        (
            "claude",
            "PostToolUseFailure",
            Moment.AFTER_TOOL,
            Reply("c"),
            {
                "hookSpecificOutput": {
                    "hookEventName": "PostToolUseFailure",
                    "additionalContext": "c",
                }
            },
        ),
        ("claude", "SessionEnd", Moment.SESSION_END, Reply("c", "n"), {"systemMessage": "n"}),
        (
            "codex",
            "SessionStart",
            Moment.SESSION_START,
            Reply("c", "n"),
            {
                "systemMessage": "n",
                "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "c"},
            },
        ),
        (
            "gemini",
            "AfterTool",
            Moment.AFTER_TOOL,
            Reply("c"),
            {"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": "c"}},
        ),
        ("gemini", "BeforeTool", Moment.BEFORE_TOOL, Reply("c"), {}),
        ("gemini", "AfterAgent", Moment.STOP, Reply(), {}),
        ("copilot", "sessionStart", Moment.SESSION_START, Reply("c"), {"additionalContext": "c"}),
        ("copilot", "UserPromptSubmit", Moment.PROMPT, Reply("c"), {"additionalContext": "c"}),
        ("copilot", "agentStop", Moment.STOP, Reply("c", "n"), None),
        (
            "cline",
            "PostToolUse",
            Moment.AFTER_TOOL,
            Reply("c"),
            {"cancel": False, "contextModification": "c"},
        ),
        ("cline", "TaskStart", Moment.SESSION_START, Reply("c"), {}),
        ("cursor", "sessionStart", Moment.SESSION_START, Reply("c"), {"additional_context": "c"}),
        ("cursor", "beforeSubmitPrompt", Moment.PROMPT, Reply("c"), {}),
        (
            "vscode",
            "PreToolUse",
            Moment.BEFORE_TOOL,
            Reply("c"),
            {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "c"}},
        ),
        ("vscode", "UserPromptSubmit", Moment.PROMPT, Reply("c"), None),
        (
            "opencode",
            "UserPromptSubmit",
            Moment.PROMPT,
            Reply("c", "n"),
            {"context": "c", "notice": "n"},
        ),
        ("opencode", "Stop", Moment.STOP, Reply(), None),
        ("nobody", "UserPromptSubmit", Moment.PROMPT, Reply("c"), None),
        (
            "claude",
            "PreToolUse",
            Moment.BEFORE_TOOL,
            Reply(hold="why"),
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "why",
                }
            },
        ),
        (
            "gemini",
            "BeforeTool",
            Moment.BEFORE_TOOL,
            Reply(hold="why"),
            {"decision": "deny", "reason": "why"},
        ),
        (
            "copilot",
            "preToolUse",
            Moment.BEFORE_TOOL,
            Reply(hold="why"),
            {"permissionDecision": "deny", "permissionDecisionReason": "why"},
        ),
        ("opencode", "PreToolUse", Moment.BEFORE_TOOL, Reply(hold="why"), {"hold": "why"}),
        ("cursor", "preToolUse", Moment.BEFORE_TOOL, Reply(hold="why"), {}),
        ("claude", "PostToolUse", Moment.AFTER_TOOL, Reply(hold="why"), None),
    ],
)
def test_the_shape_a_client_takes(
    client: str, name: str, moment: Moment, reply: Reply, printed: dict[str, Any] | None
) -> None:
    said = dressed(reply, client=client, name=name, moment=moment)
    assert (json.loads(said) if said else None) == printed


@pytest.mark.parametrize(
    ("client", "printed"),
    [("claude", b""), ("codex", b""), ("copilot", b""), ("gemini", b"{}"), ("cline", b"{}")],
)
def test_what_says_nothing(client: str, printed: bytes) -> None:
    assert nothing(client) == printed


def test_signs_beyond_latin_are_printed_as_utf_8() -> None:
    reply = Reply("größer → 記憶")
    said = dressed(reply, client="claude", name="SessionStart", moment=Moment.SESSION_START)
    assert "größer → 記憶" in said.decode("utf-8")
