"""No secret and nothing private of a session is in any byte of any file."""

from __future__ import annotations

from pathlib import Path

from intake_tools import Desk, tool_use

from told_secrets import told


def prompt(folder: Path, text: str) -> dict[str, str]:
    """What Claude Code sends when its user types."""
    return {
        "session_id": "s1",
        "cwd": str(folder),
        "hook_event_name": "UserPromptSubmit",
        "prompt": text,
    }


def leaked(desk: Desk, secrets: list[str]) -> list[str]:
    """The secrets that some file of the data folder holds."""
    return [secret for secret in secrets if desk.said_on_disk(secret)]


def test_prompts_in_six_languages(desk: Desk, project: Path) -> None:
    said = told(21)
    for at, one in enumerate(said):
        desk.hook("claude", prompt(project, f"{one.text}\nuse {one.secret}"), after_s=60 * at)
    assert len([event for event in desk.kept() if "[REDACTED: " in event.text]) == len(said)
    assert leaked(desk, [one.secret for one in said]) == []


def test_a_tool_call_that_says_it_once_with_its_label(desk: Desk, project: Path) -> None:
    said = told(22)
    for at, one in enumerate(said):
        event = tool_use(
            project,
            f"toolu_{at}",
            tool_input={"command": f"echo {one.secret} > notes.txt", "description": one.text},
            tool_response={"stdout": f"wrote {one.secret}", "stderr": f"{one.secret}?"},
        )
        desk.hook("claude", event, after_s=60 * at)
    assert len(desk.kept()) == len(said)
    assert leaked(desk, [one.secret for one in said]) == []


def test_what_is_private_is_dropped_from_prompts_and_tools(desk: Desk, project: Path) -> None:
    words = "plum orchard meeting"
    marked = f"Fix the mailer <private>the {words}</private> today"
    long = f"<private>the {words} {'x ' * 30_000}{words}</private> and more"
    desk.hook("claude", prompt(project, marked))
    desk.hook("claude", prompt(project, long), after_s=60)
    event = tool_use(
        project,
        tool_input={"command": f"cat <<E\n{marked}\nE", "notes": [{"text": long}]},
        tool_response={"stdout": f"head\n{long}", "stderr": marked},
    )
    desk.hook("claude", event, after_s=120)
    kept = desk.kept()
    assert kept[0].text == "Fix the mailer [REDACTED: private] today"
    assert kept[1].text == "[REDACTED: private] and more"
    assert leaked(desk, [words]) == []
