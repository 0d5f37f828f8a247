"""Both eras of the protocol on one connection, request by request.

The library's own loop lets the first request decide. Copilot CLI asks in the new way and shakes
hands in the old way at once, and takes a refusal of either as the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import ServerRunner, aclose_shielded, modern_on_request
from mcp.shared.dispatcher import DispatchContext
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import InboundLadderRejection, classify_inbound_request
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.message import SessionMessage
from mcp.shared.transport_context import TransportContext
from mcp_types import PROTOCOL_VERSION_META_KEY

Params = Mapping[str, Any] | None


async def serve_both(
    server: Server[Any],
    inbox: MemoryObjectReceiveStream[SessionMessage | Exception],
    outbox: MemoryObjectSendStream[SessionMessage],
) -> None:
    """Serve one connection until it ends; each request in the way it is asked."""
    dispatcher: JSONRPCDispatcher[TransportContext] = JSONRPCDispatcher(
        inbox, outbox, inline_methods=frozenset({"initialize"})
    )
    async with server.lifespan(server) as state, outbox:
        connection = Connection.for_loop(dispatcher)
        by_handshake = ServerRunner(server, connection, state)
        by_envelope = modern_on_request(server, state)

        async def on_request(
            context: DispatchContext[TransportContext], method: str, params: Params
        ) -> dict[str, Any]:
            if method == "initialize" or not _has_envelope(params):
                return await by_handshake.on_request(context, method, params)
            route = classify_inbound_request({"method": method, "params": params})
            if isinstance(route, InboundLadderRejection):
                raise MCPError(code=route.code, message=route.message, data=route.data)
            return await by_envelope(context, method, params)

        try:
            await dispatcher.run(on_request, by_handshake.on_notify)
        finally:
            await aclose_shielded(connection)


def _has_envelope(params: Params) -> bool:
    """Whether a request says by itself which version it speaks, as of 2026-07-28."""
    meta = (params or {}).get("_meta")
    return isinstance(meta, Mapping) and PROTOCOL_VERSION_META_KEY in meta
