"""A client that tells of a prompt only with the first tool of its turn."""

from __future__ import annotations

from agent_tools import Scene

from loremap.model.hook import Beginning, Moment, ToolCall

TOLD = "Cart totals are rounded with ROUND_HALF_EVEN"
PROMPT = "how are cart totals rounded?"


def test_the_block_and_what_fits_the_prompt_come_with_the_first_tool(scene: Scene) -> None:
    scene.remember("Always use tabs here", pin=True)
    scene.remember(TOLD)
    begun = scene.event(Moment.SESSION_START, client="cline", beginning=Beginning.STARTUP)
    assert not scene.session_agent.handle(begun)
    first = scene.event(
        Moment.BEFORE_TOOL,
        client="cline",
        prompt=PROMPT,
        tool=ToolCall(name="read_files", use_id="call_0"),
    )
    said = scene.session_agent.handle(first).context
    assert "Always use tabs here" in said
    assert TOLD in said
    again = scene.event(
        Moment.BEFORE_TOOL,
        client="cline",
        prompt=PROMPT,
        tool=ToolCall(name="read_files", use_id="call_1"),
    )
    assert scene.session_agent.handle(again).context == ""
    assert scene.session_agent.spoken.is_said(PROMPT, client="cline", session_id=again.session_id)
