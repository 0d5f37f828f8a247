"""One line of a relay as the protocol's message, or an error for the one who wrote it.

An error names the request it is for, else a client waits for its answer until its time is up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from pydantic import ValidationError

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
