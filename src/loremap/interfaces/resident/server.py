"""The asynchronous edge of the resident: takes connections and hands their work to threads."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import struct
import sys
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Protocol

from loremap.interfaces.hooks.client import ANSWERED, LEAVING, REFUSED, TAKEN, UNRECORDED
from loremap.interfaces.resident.places import (
    BACKLOG,
    ResidentState,
    RunFolder,
    bound_at,
    write_private,
)
from loremap.interfaces.resident.requests import NotOurs, Request, proved, read_request

if TYPE_CHECKING:
    from loremap.interfaces.hooks.answered import Answer

THREADS = 8
COMMAND_THREADS = 4
BEGIN_S = 2.0
"""A command that nobody has begun with by then is left to the process that asked."""
EVENT_BYTES = 1 << 20
BATCH = 500
MAX_AT_ONCE = 64
"""So many events are answered or wait for it; what comes then is left to a reference."""
POLL_S = 0.01
LOAD_S = 60.0
FINISH_S = 5.0
"""How long work at hand may take when the resident leaves."""

log = logging.getLogger("loremap.resident")


class Core(Protocol):
    """What the edge hands its work to; all but `mcp` is called in threads."""

    @property
    def is_ready(self) -> bool:
        """Whether events can be answered."""

    def answer(self, request: Request) -> Answer:
        """What answers a hook's event, which is then recorded."""

    def record(self, request: Request, payloads: Sequence[bytes]) -> int:
        """Record events that nobody waits for; how many."""

    def command(self, request: Request) -> bytes | None:
        """What a command of `lore` printed; None where it is left to the process that asked."""

    async def mcp(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Speak MCP until the client ends."""

    def described(self, state: ResidentState) -> ResidentState:
        """The state with what the core knows of itself."""

    def reload(self) -> None:
        """Read the settings again."""


class Server:
    """The connections of one resident."""

    def __init__(self, run: RunFolder, key: bytes, core: Core, state: ResidentState) -> None:
        self._run, self._key, self._core, self._state = run, key, core, state
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="hook")
        self._commands = ThreadPoolExecutor(COMMAND_THREADS, thread_name_prefix="command")
        """Apart, so that no hook waits for a thread that a command has."""
        self._work: dict[asyncio.Future[Answer], float] = {}
        """The events being answered, and since when."""
        self._open: dict[asyncio.Task[None], str] = {}
        self._server: asyncio.Server | None = None
        self._leave = asyncio.Event()
        self.spoke_at = 0.0
        self._kinds: dict[str, Callable[[Request, _Streams], Awaitable[None]]] = {
            "hook": self._hook,
            "events": self._events,
            "mcp": self._mcp,
            "command": self._command,
            "control": self._control,
        }

    # Its life

    async def listen(self) -> None:
        """Begin to take connections."""
        self.note()
        if sys.platform == "win32":
            self._server = await asyncio.start_server(
                self._connected, "127.0.0.1", 0, backlog=BACKLOG
            )
            port = self._server.sockets[0].getsockname()[1]
            write_private(self._run.socket, str(port).encode())
        else:
            self._server = await asyncio.start_unix_server(
                self._connected, sock=bound_at(self._run.socket), backlog=BACKLOG
            )

    @property
    def clients(self) -> int:
        """How many are connected; who only asks how it is does not count."""
        return sum(1 for kind in self._open.values() if kind != "control")

    def quiet_s(self) -> float:
        """For how long no client has spoken."""
        return 0.0 if self.clients else asyncio.get_running_loop().time() - self.spoke_at

    def waits_s(self) -> float:
        """How long the event has waited that has waited longest."""
        oldest = min(self._work.values(), default=None)
        return 0.0 if oldest is None else asyncio.get_running_loop().time() - oldest

    def note(self) -> None:
        """A client has spoken."""
        self.spoke_at = asyncio.get_running_loop().time()

    def leave(self) -> None:
        """Ask the resident to end."""
        self._state = replace(self._state, leaving=True)
        self._leave.set()

    async def left(self) -> None:
        """Wait until the resident was asked to end."""
        await self._leave.wait()

    async def close(self) -> None:
        """Take no more connections, finish the work at hand and let the others go."""
        if self._server is not None:
            self._server.close()
            self._run.socket.unlink(missing_ok=True)
        if self._work:
            await asyncio.wait(self._work, timeout=FINISH_S)
        brief = [task for task, kind in self._open.items() if kind != "mcp"]
        if brief:
            await asyncio.wait(brief, timeout=1.0)
        rest = list(self._open)
        for task in rest:
            task.cancel()
        if rest:
            await asyncio.wait(rest, timeout=1.0)
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._commands.shutdown(wait=False, cancel_futures=True)

    # One connection

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        try:
            _check_owner(writer)
            await proved(reader, writer, self._key)
            request = await read_request(reader)
            serve = self._kinds.get(request.kind)
            if serve is None or task is None:
                raise NotOurs
            self._open[task] = request.kind
            await serve(request, _Streams(reader, writer))
        except (NotOurs, EOFError, TimeoutError, ConnectionError) as fault:
            log.debug("a connection ended: %s", type(fault).__name__)
        except asyncio.CancelledError:
            log.debug("a connection was ended")
        finally:
            if task is not None and self._open.pop(task, "control") != "control":
                self.note()
            writer.close()

    def _outdated_by(self, request: Request) -> bool:
        return self._state.older_than(request.version, request.stamp)

    async def _hook(self, request: Request, streams: _Streams) -> None:
        how, answer = await self._answered(request)
        if self._outdated_by(request):
            log.info("making room for version %s", request.version)
            how = LEAVING if how == ANSWERED else how
            self.leave()
        try:
            await streams.answer(how, b"" if answer is None else answer.text)
        except ConnectionError:
            self._lose(answer)
            raise

    async def _answered(self, request: Request) -> tuple[bytes, Answer | None]:
        loop = asyncio.get_running_loop()
        until = loop.time() + request.budget_s
        if not await self._ready(request.budget_s) or len(self._work) >= MAX_AT_ONCE:
            return REFUSED, None
        asked = [request]  # emptied where nobody begins with it: the pool forgets it only later
        begun = self._pool.submit(lambda: self._core.answer(asked[0]))
        work = asyncio.wrap_future(begun)
        self._work[work] = loop.time()
        work.add_done_callback(self._done)
        try:
            async with asyncio.timeout_at(until):
                answer = await asyncio.shield(work)
                return ANSWERED if answer.recorded else UNRECORDED, answer
        except TimeoutError:
            if begun.cancel():  # nobody has begun with it: the hook keeps a reference
                asked.clear()
                return REFUSED, None
            work.add_done_callback(self._too_late)
            return TAKEN, None

    def _too_late(self, work: asyncio.Future[Answer]) -> None:
        if not work.cancelled() and work.exception() is None:
            self._lose(work.result())

    def _lose(self, answer: Answer | None) -> None:
        """Whoever waited has gone: what was said to them is to be said again."""
        if answer is not None:
            answer.lost()  # quick: what it writes down is written later

    async def _ready(self, seconds: float) -> bool:
        """Wait until events can be answered; whether they can. Looking now and then holds no
        thread, of which there are few."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while not self._core.is_ready and loop.time() < until:
            await asyncio.sleep(POLL_S)
        return self._core.is_ready

    def _done(self, work: asyncio.Future[Answer]) -> None:
        self._work.pop(work, None)
        fault = None if work.cancelled() else work.exception()
        if fault is not None:
            log.error("an event was not answered: %s", type(fault).__name__)

    async def _events(self, request: Request, streams: _Streams) -> None:
        """Record a stream of events; each four bytes that come back say how many are safe."""
        await streams.answer(ANSWERED, b"")
        loop = asyncio.get_running_loop()
        waiting: asyncio.Queue[bytes | None] = asyncio.Queue(4 * BATCH)
        reading = loop.create_task(_read_events(streams.reader, waiting))
        done = 0
        try:
            while batch := await _batch(waiting):
                if not await self._ready(LOAD_S):
                    return
                await loop.run_in_executor(self._pool, self._core.record, request, batch)
                done += len(batch)
                with suppress(ConnectionError):  # who no longer listens has told all the same
                    streams.writer.write(done.to_bytes(4, "big"))
                    await streams.writer.drain()
        finally:
            reading.cancel()

    async def _mcp(self, request: Request, streams: _Streams) -> None:
        if self._outdated_by(request):
            self.leave()
            await streams.answer(LEAVING, b"")
            return
        ready = await self._ready(request.budget_s)
        await streams.answer(ANSWERED if ready else REFUSED, b"")
        if ready:
            await self._core.mcp(request, streams.reader, streams.writer)

    async def _command(self, request: Request, streams: _Streams) -> None:
        """Run a command of the same installation; whatever stands against that leaves it to the
        process that asked."""
        told = None
        if self._outdated_by(request):
            self.leave()
        elif self._state.is_of(request.version, request.stamp) and self._core.is_ready:
            told = await self._printed(request)
        await streams.answer(REFUSED if told is None else ANSWERED, told or b"")

    async def _printed(self, request: Request) -> bytes | None:
        begun = self._commands.submit(self._core.command, request)
        work = asyncio.wrap_future(begun)
        _, waiting = await asyncio.wait([work], timeout=BEGIN_S)
        if waiting and begun.cancel():
            return None
        try:
            return await work
        except Exception as fault:  # noqa: BLE001  who asked meets it too, and says it
            log.error("a command failed: %s", type(fault).__name__)
            return None

    async def _control(self, request: Request, streams: _Streams) -> None:
        asked = request.payload.decode("utf-8", "replace")
        loop = asyncio.get_running_loop()
        if asked in ("stop", "leave"):
            if asked == "stop" or self._outdated_by(request):
                self.leave()
        elif asked == "reload":
            await loop.run_in_executor(None, self._core.reload)
        state = replace(self._state, clients=self.clients)
        if asked != "ping":
            state = await loop.run_in_executor(None, self._core.described, state)
        await streams.answer(ANSWERED, json.dumps(asdict(state)).encode())


class _Streams:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def answer(self, how: bytes, answer: bytes) -> None:
        self.writer.write(how + len(answer).to_bytes(4, "big") + answer)
        await self.writer.drain()


def _check_owner(writer: asyncio.StreamWriter) -> None:
    """Raise where another user's process has connected, as far as the system tells."""
    if sys.platform == "linux":
        sock = writer.get_extra_info("socket")
        told = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        if struct.unpack("3i", told)[1] not in (os.getuid(), 0):
            raise NotOurs


async def _read_events(reader: asyncio.StreamReader, waiting: asyncio.Queue[bytes | None]) -> None:
    try:
        while True:
            length = int.from_bytes(await reader.readexactly(4), "big")
            if length > EVENT_BYTES:
                break
            await waiting.put(await reader.readexactly(length))
    except (EOFError, ConnectionError):
        log.debug("a stream of events ended")
    await waiting.put(None)


async def _batch(waiting: asyncio.Queue[bytes | None]) -> list[bytes]:
    """What waits, at least one event; empty at the stream's end."""
    found: list[bytes] = []
    first = await waiting.get()
    while first is not None:
        found.append(first)
        if waiting.empty() or len(found) >= BATCH:
            return found
        first = waiting.get_nowait()
    if found:
        waiting.put_nowait(None)
    return found
