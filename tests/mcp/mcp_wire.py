"""What the tests of MCP share: raw JSON-RPC over a real socket, in the words of each version."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from loremap.agent.session_agent import SessionAgent
from loremap.app import Lore
from loremap.interfaces.mcp.caller import Hello
from loremap.interfaces.mcp.serve import serve_stream
from loremap.memory.workspaces import Workspaces

HANDSHAKES = ("2024-11-05", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
VERSIONS = (*HANDSHAKES, MODERN)
Json = dict[str, Any]


class Line:
    """A client's end of one connection."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, version: str
    ) -> None:
        self.reader, self.writer, self.version = reader, writer, version
        self.roots: list[str] | None = None
        self._last = 0

    async def send(self, message: Any) -> None:
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.writer.write(raw + b"\n")
        await self.writer.drain()

    async def receive(self) -> Json:
        return dict(json.loads(await asyncio.wait_for(self.reader.readline(), 60)))

    async def ask(self, method: str, params: Mapping[str, Any] | None = None) -> Json:
        """The whole answer to one request; questions of the server meanwhile are answered."""
        self._last += 1
        await self.send(request(self._last, method, params or {}, version=self.version))
        while True:
            answer = await self.receive()
            if answer.get("method") == "roots/list":
                roots = [{"uri": root} for root in self.roots or []]
                await self.send({"jsonrpc": "2.0", "id": answer["id"], "result": {"roots": roots}})
            elif answer.get("id") == self._last:
                return answer

    async def call(self, tool: str, /, **arguments: Any) -> Json:
        """The result of a tool."""
        meta = arguments.pop("_meta", None)
        params = {"name": tool, "arguments": arguments} | ({"_meta": meta} if meta else {})
        answer = await self.ask("tools/call", params)
        assert "result" in answer, answer
        return dict(answer["result"])

    async def text(self, tool: str, /, **arguments: Any) -> str:
        """The text of a tool that must succeed."""
        result = await self.call(tool, **arguments)
        assert not result.get("isError"), result
        return said(result)

    async def error(self, tool: str, /, **arguments: Any) -> str:
        """The one line of a tool that must fail."""
        result = await self.call(tool, **arguments)
        assert result["isError"] is True
        assert "structuredContent" not in result
        text = said(result)
        assert "\n" not in text
        assert "Traceback" not in text
        return text

    async def begin(self, capabilities: Json | None = None, name: str = "probe") -> Json:
        """Shake hands, where the version has that; the server's introduction."""
        if self.version == MODERN:
            return dict((await self.ask("server/discover"))["result"])
        hello = {
            "protocolVersion": self.version,
            "capabilities": capabilities or {},
            "clientInfo": {"name": name, "version": "1"},
        }
        answer = await self.ask("initialize", hello)
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return dict(answer["result"])


def said(result: Mapping[str, Any]) -> str:
    (content,) = result["content"]
    assert content["type"] == "text"
    return str(content["text"])


def request(number: int, method: str, params: Mapping[str, Any], *, version: str) -> Json:
    """One JSON-RPC request; the newest version says with each who asks."""
    given = dict(params)
    if version == MODERN:
        prefix = "io.modelcontextprotocol/"
        given["_meta"] = {
            prefix + "protocolVersion": MODERN,
            prefix + "clientInfo": {"name": "probe", "version": "1"},
            prefix + "clientCapabilities": {},
            **given.get("_meta", {}),
        }
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": given}


@asynccontextmanager
async def connected(
    workspaces: Workspaces[Lore],
    session_agent: SessionAgent,
    hello: Hello,
    *,
    version: str = "2025-11-25",
    begin: bool = True,
) -> AsyncIterator[Line]:
    """A connection to a server in this process, over a socket pair."""
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    serving = asyncio.create_task(
        serve_stream(
            *await asyncio.open_connection(sock=theirs),
            hello=hello,
            workspaces=workspaces,
            session_agent=session_agent,
        )
    )
    line = Line(reader, writer, version)
    try:
        if begin:
            await line.begin()
        yield line
    finally:
        writer.close()
        await asyncio.wait_for(serving, 10)
