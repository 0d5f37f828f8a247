"""The HTTP app on real sockets: a server in a thread, and a client that sends what it is told."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from mcp_wire import MODERN, Json, request

ACCEPT = "application/json, text/event-stream"


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        return dict(json.loads(self.body))


@dataclass(frozen=True)
class Server:
    """Where the app listens."""

    port: int = 0
    path: Path | None = None

    def ask(
        self,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        *,
        method: str = "POST",
        target: str = "/mcp",
    ) -> Answer:
        """Send one request with exactly these headers (and its length)."""
        sock: socket.socket
        if self.path is None:
            sock = socket.create_connection(("127.0.0.1", self.port))
        else:
            sock = socket.socket(socket.AF_UNIX)
            sock.connect(str(self.path))
        connection = http.client.HTTPConnection("unused")
        connection.sock = sock
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            got = connection.getresponse()
            return Answer(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())
        finally:
            connection.close()


@contextmanager
def served(app: Any, *, path: Path | None = None) -> Iterator[Server]:
    """`app` on a free port of this machine, or on a Unix socket."""
    if path is None:
        sock = socket.create_server(("127.0.0.1", 0))
    else:
        sock = socket.socket(socket.AF_UNIX)
        sock.bind(str(path))
        sock.listen()
    server = uvicorn.Server(
        uvicorn.Config(app, lifespan="on", log_level="warning", ws="none", access_log=False)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        deadline = time.monotonic() + 20
        while not server.started and thread.is_alive() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert server.started
        yield Server(0 if path else sock.getsockname()[1], path)
    finally:
        server.should_exit = True
        thread.join(20)
        sock.close()


class Session:
    """A client of one version over HTTP."""

    def __init__(self, server: Server, headers: Mapping[str, str], version: str) -> None:
        self._server, self._headers, self._version = server, dict(headers), version
        self._last = 0

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> Json:
        """The answer to one request."""
        self._last += 1
        message = request(self._last, method, params or {}, version=self._version)
        headers = {"Content-Type": "application/json", "Accept": ACCEPT} | self._headers
        if self._version == MODERN:
            headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
            name = (params or {}).get("name") or (params or {}).get("uri")
            headers |= {"Mcp-Name": name} if name else {}
        answer = self._server.ask(json.dumps(message).encode(), headers)
        assert answer.status == 200, (answer.status, answer.body)
        if session := answer.headers.get("mcp-session-id"):
            self._headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": self._version}
        return answer.json

    def begin(self, name: str = "probe") -> Json:
        """Shake hands, where the version has that."""
        if self._version == MODERN:
            return dict(self.ask("server/discover")["result"])
        told = {"protocolVersion": self._version, "capabilities": {}}
        result = self.ask("initialize", told | {"clientInfo": {"name": name, "version": "1"}})
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        headers = {"Content-Type": "application/json", "Accept": ACCEPT} | self._headers
        assert self._server.ask(json.dumps(note).encode(), headers).status == 202
        return dict(result["result"])

    def call(self, tool: str, /, **arguments: Any) -> Json:
        """The result of a tool."""
        return dict(self.ask("tools/call", {"name": tool, "arguments": arguments})["result"])
