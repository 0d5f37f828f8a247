"""Two servers of the tests' own: one that hands requests on and notes them, and a hostile site."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HANDED_ON_SECONDS = 10
EVIL = "evil.example"
"""A name of somebody else, which the browser is told leads to this machine."""
HOSTILE = "/hostile"
"""Where a hostile page lies, on its own site and, before the name is rebound, on ours."""
SCRIPT = Path(__file__).with_name("hostile.js").read_text(encoding="utf-8")
PAGE = f"<!doctype html><meta charset=utf-8><body>Kittens<script>{SCRIPT}</script>".encode()


@dataclass(frozen=True)
class Exchange:
    """One request as it came, and how it was answered."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    status: int
    answer_headers: tuple[tuple[str, str], ...]
    answer: bytes

    def header(self, name: str) -> str | None:
        """What a header of the request said."""
        return next((value for key, value in self.headers if key.lower() == name), None)


@dataclass
class Wire:
    """A port that leads to another one of this machine; nothing is changed on the way."""

    port: int
    seen: list[Exchange] = field(default_factory=list)


class _Quiet(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its base's name
        """Say nothing."""

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _answer(self, status: int, headers: tuple[tuple[str, str], ...], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _page(self, *more: tuple[str, str]) -> bool:
        """Answer with the hostile page; whether that was asked for."""
        is_asked = self.path.partition("?")[0] == HOSTILE
        if is_asked:
            self._answer(200, (("Content-Type", "text/html"), *more), PAGE)
        return is_asked

    def __getattr__(self, name: str) -> object:
        if name.startswith("do_"):
            return self.serve
        raise AttributeError(name)

    def serve(self) -> None:
        """Answer one request, whatever its method."""
        raise NotImplementedError


@contextmanager
def wire_to(port: int) -> Iterator[Wire]:
    """A port that hands everything on to `port`, but the page that a rebound name began with."""
    wire = Wire(0)

    class HandOn(_Quiet):
        def serve(self) -> None:
            if self._page():
                return
            body = self._body()
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=HANDED_ON_SECONDS)
            line.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                line.putheader(name, value)
            line.endheaders(body or None)
            got = line.getresponse()
            headers = tuple(got.getheaders())
            is_stream = "event-stream" in (got.getheader("Content-Type") or "")
            said = b"" if is_stream else got.read()
            line.close()
            asked = tuple(self.headers.items())
            wire.seen.append(Exchange(self.command, self.path, asked, got.status, headers, said))
            self._answer(got.status, headers, said)

    with _served(HandOn) as wire.port:
        yield wire


@contextmanager
def hostile_site() -> Iterator[int]:
    """The port of a site whose page does what it can to reach another; `/to?URL` redirects."""

    class Hostile(_Quiet):
        def serve(self) -> None:
            self._body()
            public = ("Content-Security-Policy", "treat-as-public-address")
            if self._page(*([public] if "public" in self.path else [])):
                return
            path, _, target = self.path.partition("?")
            open_to_all = ("Access-Control-Allow-Origin", self.headers.get("Origin") or "*")
            if path == "/to":
                self._answer(307, (("Location", target), open_to_all), b"")
            else:
                self._answer(404, (), b"")

    with _served(Hostile) as port:
        yield port


@contextmanager
def _served(answers: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """A browser may hang up at any time."""

    server = Server(("127.0.0.1", 0), answers)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
