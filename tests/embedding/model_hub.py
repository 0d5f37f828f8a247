"""A model hub on this machine whose faults a test can choose."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Hub(ThreadingHTTPServer):
    """Serves the toy's files in a folder under addresses like those of the public hub."""

    daemon_threads = True

    def __init__(self, files: Path) -> None:
        super().__init__(("127.0.0.1", 0), _HubRequest)
        self.files = files
        self.requests: list[str] = []
        self.cut_at: int | None = None
        self.flip_at: int | None = None
        self.stall = False
        self.stalled = threading.Event()
        self.go_on = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _HubRequest(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        name = self.path.rsplit("/", 1)[-1]
        self.server.requests.append(name)
        place = {"weights.bin": "onnx/weights.bin"}.get(name, name)
        if (
            self.path != f"/toys/toy-model/resolve/main/{place}"
            or not (self.server.files / name).is_file()
        ):
            self.send_error(404)
            return
        content = bytearray((self.server.files / name).read_bytes())
        if name == "weights.bin" and self.server.flip_at is not None:
            content[self.server.flip_at] ^= 1
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if name == "weights.bin":
            self._send_weights(bytes(content))
        else:
            self.wfile.write(content)

    def _send_weights(self, content: bytes) -> None:
        half = len(content) // 2
        try:
            if self.server.cut_at is not None:
                self.wfile.write(content[: self.server.cut_at])
                return
            self.wfile.write(content[:half])
            if self.server.stall:
                self.server.stalled.set()
                self.server.go_on.wait(30)
            self.wfile.write(content[half:])
        except ConnectionError:
            return  # the client was killed, as the test meant

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's name
        """Keep the test's output clean."""
