"""Connections whose request never comes to its end are dropped, and do not crowd out the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from loremap.interfaces.resident import doors
from loremap.interfaces.resident.unfinished import BoundedProtocol

ASKED = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
PARTS = [
    b"",
    b"GET / HT",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf",
]
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _answers(scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Any) -> None:
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    while (await receive()).get("more_body"):
        pass
    headers = [(b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def served() -> AsyncIterator[Callable[[bytes], Awaitable[Streams]]]:
    """The server that the resident runs, on a free port; yields what connects to it."""
    import socket

    listening = socket.create_server(("127.0.0.1", 0))
    server = doors._server(_answers)
    task = asyncio.create_task(server.serve(sockets=[listening]))
    port = listening.getsockname()[1]

    async def knock(said: bytes) -> Streams:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(said)
        await writer.drain()
        return reader, writer

    try:
        yield knock
    finally:
        server.should_exit = True
        await task


async def _ended(streams: Streams) -> bytes:
    """What still comes over a connection until the server drops it."""
    reader, writer = streams
    try:
        async with asyncio.timeout(60):
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize("part", PARTS)
def test_half_a_request_is_dropped(part: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedProtocol, "request_s", 0.3)

    async def tried() -> bytes:
        async with served() as knock:
            return await _ended(await knock(part))

    assert asyncio.run(tried()) == b""


def test_a_whole_request_is_answered_and_the_next_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedProtocol, "request_s", 30.0)

    async def tried() -> list[bytes]:
        async with served() as knock:
            reader, writer = await knock(ASKED)
            answers = [await reader.readuntil(b"ok")]
            writer.write(ASKED)
            answers.append(await reader.readuntil(b"ok"))
            writer.close()
            return answers

    assert all(answer.startswith(b"HTTP/1.1 200") for answer in asyncio.run(tried()))


def test_many_unfinished_ones_make_room_for_those_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedProtocol, "most_unfinished", 5)

    async def tried() -> tuple[bytes, list[bytes]]:
        async with served() as knock:
            halves = [await knock(b"GET / HT") for _ in range(12)]
            reader, writer = await knock(ASKED)
            answer = await reader.readuntil(b"ok")
            writer.close()
            dropped = [await _ended(one) for one in halves[:7]]
            for _, other in halves[7:]:
                other.close()
            return answer, dropped

    answer, dropped = asyncio.run(tried())
    assert answer.startswith(b"HTTP/1.1 200")
    assert dropped == [b""] * 7
