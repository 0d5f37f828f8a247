"""The official inspector's command line lists and calls every tool over standard streams."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_wire import Json, said
from node_tools import INSPECTOR, command, ran

from loremap.agent.session_agent import SessionAgent
from loremap.app import Lore
from loremap.interfaces.mcp.caller import Hello
from loremap.interfaces.mcp.catalogue import TOOLS
from loremap.interfaces.mcp.serve import serve_stream
from loremap.memory.workspaces import Workspaces

pytestmark = [pytest.mark.agents, pytest.mark.timeout(1200)]

BRIDGE = Path(__file__).with_name("stdio_bridge.py")
Inspect = Callable[..., Json]


@pytest.fixture
def port(workspaces: Workspaces[Lore], session_agent: SessionAgent, project: Path) -> Iterator[int]:
    """Where connections are served as the resident serves its relays."""
    found: list[int] = []
    started, loop = threading.Event(), asyncio.new_event_loop()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello = Hello(client="", folder=project, session_id="inspected")
        await serve_stream(
            reader, writer, hello=hello, workspaces=workspaces, session_agent=session_agent
        )

    async def main() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        found.append(server.sockets[0].getsockname()[1])
        started.set()
        await ended
        server.close()

    ended: asyncio.Future[None] = loop.create_future()
    thread = threading.Thread(target=loop.run_until_complete, args=(main(),))
    thread.start()
    assert started.wait(10)
    yield found[0]
    loop.call_soon_threadsafe(ended.set_result, None)
    thread.join(10)
    loop.close()


@pytest.fixture
def inspect(port: int, tmp_path: Path) -> Inspect:
    """Ask by the inspector."""
    start = (*command(INSPECTOR), "--cli", sys.executable, str(BRIDGE), str(port))

    def run(method: str, *more: str, **arguments: Any) -> Json:
        given = [
            part
            for name, value in arguments.items()
            for part in (
                "--tool-arg",
                f"{name}={value if isinstance(value, str) else json.dumps(value)}",
            )
        ]
        done = ran((*start, "--method", method, *more, *given), home=tmp_path / "node-home")
        assert done.returncode == 0, done.stderr + done.stdout
        return dict(json.loads(done.stdout))

    return run


def test_the_inspector_lists_and_calls_every_tool(inspect: Inspect) -> None:
    listed = inspect("tools/list")["tools"]
    assert [tool["name"] for tool in listed] == [tool.name for tool in TOOLS]
    called: set[str] = set()

    def call(tool: str, **arguments: Any) -> str:
        called.add(tool)
        result = inspect("tools/call", "--tool-name", tool, **arguments)
        assert not result.get("isError"), result
        return said(result)

    kept = call("remember", content="Ports start at 4000", tags=["net"], importance=0.7)
    other = call("record_gotcha", text="migrate --fake skips data", trigger="migrate --fake")
    first, second = (text.partition(": #")[2][:8] for text in (kept, other))
    assert "Ports start at 4000" in call("recall", query="where do ports start?")
    assert "again=true" in call("search_memory", query="where do ports start?")
    assert "login.py" in call("brief", task="change the login")
    assert "depends_on" in call("link", **{"from": first, "to": second, "relation": "depends_on"})
    assert "infra" in call("tag", id=first, tags=["infra"])
    assert first in call("list", tag="infra", limit=3)
    assert "helpful" in call("feedback", id=first, helpful=True)
    assert "check" in call("map", action="callees", name="login")
    fields = {"core_files": ["auth/login.py"]}
    assert "is updated" in call("update_module_map", name="shop", fields=fields)
    assert "Nothing of that kind" in call("history", question="tasks")
    assert "2 here" in call("memory", command="status")
    assert first in call("forget", id=first)
    assert called == {tool["name"] for tool in listed}


def test_the_inspector_reads_resources_and_prompts(inspect: Inspect) -> None:
    assert inspect("resources/list")["resources"][0]["uri"] == "loremap://map"
    (content,) = inspect("resources/read", "--uri", "loremap://map")["contents"]
    assert "shop (4 files)" in content["text"]
    assert len(inspect("resources/templates/list")["resourceTemplates"]) == 2
    assert [prompt["name"] for prompt in inspect("prompts/list")["prompts"]] == [
        "remember",
        "forget",
        "pin",
        "memory",
    ]
    got = inspect("prompts/get", "--prompt-name", "remember", "--prompt-args", "text=no tabs")
    assert '{"command": "remember no tabs"}' in got["messages"][0]["content"]["text"]
