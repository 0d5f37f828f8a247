"""Both eras of the protocol on one connection, request by request.

The library's own loop lets the first request decide. Copilot CLI asks in the new way and shakes
hands in the old way at once, and takes a refusal of either as the end.
A line that is no message is answered with an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
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
from pydantic import ValidationError

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


MAX_IN_BATCH = 100
LONGEST_ID = 200
_ID = re.compile(
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"method"\s*:\s*"[^"\\]{0,99}"\s*,\s*)?'
    rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{0,200}")\s*[,}]'
)
"""The id of a request that cannot be read to its end, where it stands at its beginning."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that is no message, and what its writer is told."""

    faults: tuple[types.JSONRPCError, ...]


def understood(line: bytes | None) -> types.JSONRPCMessage | Unread:
    """What a line says; None is a line too long to be held."""
    if line is None:
        return Unread((_fault(None, types.PARSE_ERROR, "The message is too long"),))
    return _message(line) or _repaired(line)


def _repaired(line: bytes) -> types.JSONRPCMessage | Unread:
    try:
        given = json.loads(line)
        # Half of a pair of surrogates is no character, but clients cut texts in the middle of one.
        repaired = json.dumps(given, ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        found = _ID.match(line)
        id_ = json.loads(found[1]) if found else None
        return Unread((_fault(id_, types.PARSE_ERROR, "Parse error"),))
    return _message(repaired) or Unread(tuple(_faults(given)))


def _faults(given: Any) -> Iterable[types.JSONRPCError]:
    if not isinstance(given, list):
        yield _fault(_id(given), types.INVALID_REQUEST, "That is no request of JSON-RPC 2.0")
        return
    for one in given[:MAX_IN_BATCH] or [None]:
        why = "Batches are not served; send one request at a time"
        yield _fault(_id(one), types.INVALID_REQUEST, why)


def _message(line: bytes) -> types.JSONRPCMessage | None:
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return None


def _id(given: Any) -> str | int | None:
    """The id of something that may be a request."""
    found = given.get("id") if isinstance(given, dict) else None
    if isinstance(found, str):
        return found if len(found) <= LONGEST_ID and found.isprintable() else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _fault(id_: str | int | None, code: int, why: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=id_, error=types.ErrorData(code=code, message=why))
