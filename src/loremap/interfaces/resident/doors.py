"""HTTP for those who ask for it: on a socket in the run folder, on a loopback port where set."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from loremap.interfaces.resident.places import RunFolder, bound_at, write_private

if TYPE_CHECKING:
    import uvicorn

    from loremap.interfaces.http.guard import ASGIApp, Receive, Scope, Send

log = logging.getLogger("loremap.resident")

AppFor = Callable[[str | None], "ASGIApp"]
"""Makes the app; with a token it asks for that."""
CLOSE_S = 2.0


class Doors:
    """The places where HTTP is spoken. What serves it is loaded when somebody first knocks."""

    def __init__(self, run: RunFolder, app_for: AppFor, noted: Callable[[], None]) -> None:
        self._run, self._app_for, self._noted = run, app_for, noted
        self._servers: list[tuple[uvicorn.Server, asyncio.Task[None]]] = []
        self._waiting: list[socket.socket] = []

    def open(self, port: int) -> None:
        """Listen in the run folder, and on a port of this machine where one is given."""
        if sys.platform != "win32":
            self._listen(bound_at(self._run.http), None)
        if port:
            try:
                listening = socket.create_server(("127.0.0.1", port))
            except OSError as fault:
                log.error("port %d cannot be used: %s", port, fault.strerror)
                return
            self._listen(listening, token_of(self._run))

    def _listen(self, listening: socket.socket, token: str | None) -> None:
        listening.setblocking(False)
        loop = asyncio.get_running_loop()
        if sys.platform == "win32":
            self._serve(listening, token)
            return
        self._waiting.append(listening)
        loop.add_reader(listening, self._knocked, listening, token)

    def _knocked(self, listening: socket.socket, token: str | None) -> None:
        asyncio.get_running_loop().remove_reader(listening)
        self._waiting.remove(listening)
        self._serve(listening, token)

    def _serve(self, listening: socket.socket, token: str | None) -> None:
        server = _server(_Noted(self._app_for(token), self._noted))
        task = asyncio.get_running_loop().create_task(server.serve(sockets=[listening]))
        self._servers.append((server, task))
        log.info("HTTP is spoken")

    async def close(self) -> None:
        """Close every door."""
        for listening in self._waiting:
            asyncio.get_running_loop().remove_reader(listening)
            listening.close()
        for server, _ in self._servers:
            server.should_exit = True
        if self._servers:
            await asyncio.wait([task for _, task in self._servers], timeout=CLOSE_S + 1)
        self._run.http.unlink(missing_ok=True)


class _Noted:
    """An app whose use is noted, so that the resident does not take itself for idle."""

    def __init__(self, app: ASGIApp, noted: Callable[[], None]) -> None:
        self._app, self._noted = app, noted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._noted()
        await self._app(scope, receive, send)
        self._noted()


def _server(app: Callable[..., Awaitable[None]]) -> uvicorn.Server:
    import uvicorn

    from loremap.interfaces.resident.unfinished import BoundedProtocol

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Leave signals to the resident."""
            yield

    config = uvicorn.Config(
        app,
        http=BoundedProtocol,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=int(CLOSE_S),
    )
    return Server(config)


def token_of(run: RunFolder) -> str:
    """The token that HTTP clients on the loopback port send; made if there is none."""
    file = run.path / "token"
    with contextlib.suppress(FileNotFoundError):
        if found := file.read_text("ascii").strip():
            return found
    write_private(file, secrets.token_urlsafe(32).encode())
    return file.read_text("ascii").strip()
