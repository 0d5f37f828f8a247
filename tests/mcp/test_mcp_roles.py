"""Who writes over MCP: a subagent in its role, and procedures with their steps."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mcp_wire import Line, connected, said

from loremap.agent.session_agent import SessionAgent
from loremap.app import Lore
from loremap.interfaces.mcp.caller import Hello
from loremap.memory.workspaces import Workspaces
from loremap.model.hook import HookEvent, Moment, ToolCall
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Procedure


def told(
    workspaces: Workspaces[Lore],
    session_agent: SessionAgent,
    project: Path,
    story: Callable[[Line], Awaitable[None]],
) -> list[Memory]:
    """What is remembered once a client has said all of a story."""

    async def main() -> None:
        hello = Hello(client="claude", folder=project, session_id="s-1")
        async with connected(workspaces, session_agent, hello) as line:
            await story(line)

    asyncio.run(main())
    with workspaces.at(project) as lore:
        return list(reversed(lore.list()))


def test_a_subagent_writes_in_its_role(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, project: Path
) -> None:
    tool: dict[str, Any] = {"name": "mcp__loremap__remember", "use_id": "call-7"}
    event = HookEvent(
        client="claude",
        name="PreToolUse",
        moment=Moment.BEFORE_TOOL,
        session_id="s-1",
        at=datetime.now(UTC),
        folder=project,
        tool=ToolCall(**tool),
        subagent_id="a1",
        subagent_kind="planner",
    )
    session_agent.handle(event)

    async def story(line: Line) -> None:
        for use_id, text in (
            ("call-7", "Orders are planned in batches because the carrier bills by pallet."),
            ("call-8", "The carrier's sandbox is reset every night at two."),
        ):
            await line.text("remember", content=text, _meta={"claudecode/toolUseId": use_id})

    planned, other = told(workspaces, session_agent, project, story)
    assert (planned.agent, planned.created_by) == ("planner", "agent:claude")
    assert (other.agent, other.created_by) == ("claude", "agent:claude")


def test_a_procedure_is_told_with_its_steps(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, project: Path
) -> None:
    async def story(line: Line) -> None:
        await line.text(
            "remember",
            content="cut a release",
            steps=["run make changelog", "tag with vX.Y.Z"],
            when="a milestone is closed",
            needs=["a clean checkout"],
            beware=["the tag cannot be moved"],
        )
        refused = await line.call("remember", content="cut a release", when="now")
        assert "A procedure needs steps." in said(refused)

    (kept,) = told(workspaces, session_agent, project, story)
    assert kept.kind is Kind.PROCEDURE
    assert kept.procedure == Procedure(
        "cut a release",
        "a milestone is closed",
        ("run make changelog", "tag with vX.Y.Z"),
        ("a clean checkout",),
        ("the tag cannot be moved",),
    )
    assert "1. run make changelog" in kept.content
