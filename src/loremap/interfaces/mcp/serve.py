"""Serves the protocol: to a relay over its socket, and to HTTP clients at /mcp."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.message import SessionMessage

from loremap.interfaces.http.guard import MAX_BODY_BYTES, ASGIApp, Guard
from loremap.interfaces.mcp.call import ToolContext
from loremap.interfaces.mcp.caller import Introduction, introduced_by_http
from loremap.interfaces.mcp.eras import Unread, serve_both, understood
from loremap.interfaces.mcp.server import made
from loremap.interfaces.mcp.turnover import Turnover

if TYPE_CHECKING:
    from loremap.agent.session_agent import SessionAgent
    from loremap.app.lore import Lore
    from loremap.interfaces.mcp.caller import Hello
    from loremap.memory.workspaces import Workspaces

CHUNK_BYTES = 1 << 16
MAX_LINE_BYTES = 4 << 20
"""A longer message is refused; a tool's arguments are far below."""
MAX_SESSIONS = 200
OPENING_AT_ONCE = 50


async def serve_stream(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    *,
    hello: Hello,
    workspaces: Workspaces[Lore],
    session_agent: SessionAgent,
) -> None:
    """Serve one relay, a JSON-RPC message a line, until it goes."""
    introduced = Introduction(hello, folder_of=session_agent.folder_of)
    server = made(ToolContext(workspaces, session_agent), introduced)
    incoming, inbox = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outbox, outgoing = anyio.create_memory_object_stream[SessionMessage]()
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_hear, reader, incoming, outbox.clone())
            tasks.start_soon(_speak, writer, outgoing, tasks.cancel_scope)
            await serve_both(server, inbox, outbox)
    finally:
        writer.close()


async def _hear(
    reader: asyncio.StreamReader,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    complaints: MemoryObjectSendStream[SessionMessage],
) -> None:
    """Pass on what the relay sends; what is no message is answered as such."""
    async with incoming, complaints:
        async for line in _lines(reader):
            heard = understood(line)
            if isinstance(heard, Unread):
                for fault in heard.faults:
                    await complaints.send(SessionMessage(fault))
            else:
                await incoming.send(SessionMessage(heard))


async def _speak(
    writer: asyncio.StreamWriter,
    outgoing: MemoryObjectReceiveStream[SessionMessage],
    connection: anyio.CancelScope,
) -> None:
    """Send what the server says; a relay that has gone ends the connection."""
    async with outgoing:
        try:
            async for message in outgoing:
                said = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                writer.write(said.encode() + b"\n")
                await writer.drain()
        except ConnectionError:
            connection.cancel()


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes | None]:
    """The lines of a stream as they come; None for one that is too long to be held."""
    held, too_long = bytearray(), False
    while chunk := await _chunk(reader):
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            line = bytes(held + part)
            held.clear()
            if too_long or len(line) > MAX_LINE_BYTES:
                too_long = False
                yield None
            elif line.strip():
                yield line
        held += rest
        if len(held) > MAX_LINE_BYTES:
            held.clear()
            too_long = True


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(CHUNK_BYTES)
    except ConnectionError:
        return b""


def http_app(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, *, token: str | None
) -> ASGIApp:
    """The app that serves /mcp. With a token it is for TCP; without one for the Unix socket, whose
    folder only its owner may enter."""
    server = made(ToolContext(workspaces, session_agent), introduced_by_http)
    app = server.streamable_http_app(
        streamable_http_path="/mcp",
        json_response=True,
        max_request_body_size=MAX_BODY_BYTES,
        max_sessions=MAX_SESSIONS + OPENING_AT_ONCE,
        # The guard is stricter, and knows the names of the Unix socket.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return Guard(Turnover(app, most=MAX_SESSIONS), token=token)
