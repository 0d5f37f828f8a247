"""What a connection asks for, read from its first bytes after both sides have proved themselves."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from loremap.interfaces.hooks.client import MAC_BYTES, NONCE_BYTES, PAYLOAD_BYTES, proof

HELLO_S = 5.0
HEADER_BYTES = 1 << 17
READ_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One connection's header and payload."""

    kind: str
    client: str = ""
    name: str | None = None
    cwd: str = ""
    version: str = ""
    stamp: int = 0
    budget_s: float = 5.0
    ticket: str = ""
    """By which this run of a hook is known, should it leave a reference."""
    env: Mapping[str, str] = field(default_factory=dict)
    payload: bytes = b""


class NotOurs(Exception):
    """Who connected does not know the key or does not speak as we do."""


async def proved(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: bytes) -> None:
    """Prove ourselves to who has connected, and have them prove themselves."""
    async with asyncio.timeout(HELLO_S):
        theirs = await reader.readexactly(NONCE_BYTES)
        ours = secrets.token_bytes(NONCE_BYTES)
        writer.write(ours + proof(key, b"resident", theirs, ours))
        said = await reader.readexactly(MAC_BYTES)
    if not hmac.compare_digest(said, proof(key, b"client", ours, theirs)):
        raise NotOurs


async def read_request(reader: asyncio.StreamReader) -> Request:
    """The request that follows the proof."""
    async with asyncio.timeout(READ_S):
        length = int.from_bytes(await reader.readexactly(4), "big")
        if length > HEADER_BYTES:
            raise NotOurs
        head = await reader.readexactly(length)
        payload_length = int.from_bytes(await reader.readexactly(8), "big")
        if payload_length > PAYLOAD_BYTES:
            raise NotOurs
        payload = await reader.readexactly(payload_length)
    return request_of(head, payload)


def request_of(head: bytes, payload: bytes) -> Request:
    """The request that a header and a payload make."""
    pairs = (each.partition("=") for each in head.decode("utf-8", "surrogateescape").split("\0"))
    said = {name: value for name, _, value in pairs}
    try:
        return Request(
            kind=said["kind"],
            client=said.get("client", ""),
            name=said.get("name") or None,
            cwd=said.get("cwd", ""),
            version=said.get("version", ""),
            stamp=int(said.get("stamp") or 0),
            budget_s=int(said.get("budget_ms") or 5_000) / 1_000,
            ticket=said.get("ticket", ""),
            env={name[4:]: value for name, value in said.items() if name.startswith("env.")},
            payload=payload,
        )
    except (KeyError, ValueError) as fault:
        raise NotOurs from fault
