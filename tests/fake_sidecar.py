"""A small model's server, written by hand: it speaks the three protocols over a real socket.

What it says is up to the test: `answers` are used up first, then `usual` is said.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from loremap.app import Lore
from loremap.config import settings
from loremap.memory.sidecar import Sidecar

Open = Callable[..., Sidecar]
Reply = Callable[["Request", dict[str, Any]], None]
TOKENS_IN, TOKENS_OUT = 120, 30


class FakeSidecar(ThreadingHTTPServer):
    """An endpoint of a small model."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.answers: list[Reply] = []
        self.usual: Reply = said("{}")
        self.seen: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers_seen: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        """Its base address."""
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def prompts(self) -> list[str]:
        """What was sent, whole, request by request."""
        return [json.dumps(one, ensure_ascii=False) for one in self.seen]


class Request(BaseHTTPRequestHandler):
    """One request."""

    server: FakeSidecar

    def do_POST(self) -> None:
        """Note what is asked, and say what the test wants."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append(asked)
        self.server.paths.append(self.path)
        self.server.headers_seen.append({name.lower(): v for name, v in self.headers.items()})
        reply = self.server.answers.pop(0) if self.server.answers else self.server.usual
        try:
            reply(self, asked)
        except ConnectionError:
            return  # the client gave up, as the test meant

    def send(self, content: bytes, *, status: int = 200, **headers: str) -> None:
        """Answer with these bytes."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's name
        """Keep the test's output clean."""


def said(text: str | dict[str, Any]) -> Reply:
    """An answer in the protocol that was spoken."""
    content = text if isinstance(text, str) else json.dumps(text)

    def reply(request: Request, asked: dict[str, Any]) -> None:
        request.send(json.dumps(_in_protocol(request.path, content, asked)).encode())

    return reply


def _in_protocol(path: str, text: str, asked: dict[str, Any]) -> dict[str, Any]:
    if path.endswith("/messages"):
        block: dict[str, Any] = {"type": "text", "text": text}
        if "tools" in asked:
            block = {"type": "tool_use", "id": "t", "name": "answer", "input": json.loads(text)}
        used = {"input_tokens": TOKENS_IN, "output_tokens": TOKENS_OUT}
        return {"type": "message", "role": "assistant", "content": [block], "usage": used}
    if path.endswith("/api/chat"):
        message = {"role": "assistant", "content": text}
        counts = {"prompt_eval_count": TOKENS_IN, "eval_count": TOKENS_OUT}
        return {"model": asked["model"], "message": message, "done": True, **counts}
    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
    used = {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT}
    return {"object": "chat.completion", "choices": [choice], "usage": used}


def status(code: int, body: str = "", **headers: str) -> Reply:
    """A refusal."""
    return lambda request, _: request.send(body.encode(), status=code, **headers)


def raw(content: bytes) -> Reply:
    """Bytes that may be no answer."""
    return lambda request, _: request.send(content)


@contextmanager
def running() -> Iterator[FakeSidecar]:
    """A server that is there while it is used."""
    server = FakeSidecar()
    serving = {"poll_interval": 0.02}
    thread = threading.Thread(target=server.serve_forever, kwargs=serving, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def use(lore: Lore, **given: object) -> None:
    """Set settings of the sidecar, as `lore config set` does."""
    for name, value in given.items():
        settings.save(lore.places.settings, f"sidecar.{name}", value)
    lore.engine.settings = settings.load(lore.places.settings)
