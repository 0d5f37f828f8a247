"""Reads what a client sent without trusting it: a field may be missing or hold anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Raw = Mapping[str, Any]

MAX_BYTES = 64 * 1024 * 1024
_TROUBLE = (b"\\ud", b"\\uD", b"\\u0000")
"""Escapes that may stand for halves of a sign or for none; no file or database takes those."""


def parsed(payload: bytes) -> Raw | None:
    """The JSON object in `payload`; None if there is none."""
    if len(payload) > MAX_BYTES:
        return None
    try:
        found = json.loads(payload.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    if any(escape in payload for escape in _TROUBLE) or b"\x00" in payload:
        try:
            return _mapping(_storable(found))
        except RecursionError:
            return None
    return found


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_storable(item) for item in value]
    return value


def _mapping(value: Any) -> Raw:
    return value if isinstance(value, dict) else {}


def text(raw: Raw, *names: str) -> str:
    """The first of the fields that holds text; empty where none does."""
    for name in names:
        value = raw.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def whole(raw: Raw, *names: str) -> int | None:
    """The first of the fields that holds a number, as a whole one."""
    for name in names:
        value = raw.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53:
            return int(value)
    return None


def mapping(raw: Raw, *names: str) -> Raw:
    """The first of the fields that holds an object, or JSON text of one; empty where none does."""
    for name in names:
        value = raw.get(name)
        if isinstance(value, dict) and value:
            return value
        if isinstance(value, str) and value.lstrip().startswith("{"):
            inner = parsed(value.encode("utf-8", "replace"))
            if inner is not None:
                return inner
    return {}


def items(raw: Raw, *names: str) -> list[Any]:
    """The first of the fields that holds a list; empty where none does."""
    for name in names:
        value = raw.get(name)
        if isinstance(value, list):
            return value
    return []


def said(value: Any, *, depth: int = 4) -> str:
    """What a value says in words: text as it is, blocks of text joined, anything else nothing."""
    if isinstance(value, str):
        return value
    if depth and isinstance(value, list):
        return "\n".join(part for item in value if (part := said(item, depth=depth - 1)))
    if depth and isinstance(value, dict):
        for name in ("text", "content", "output", "stdout", "result", "file", "filenames"):
            if part := said(value.get(name), depth=depth - 1):
                return part
    return ""
