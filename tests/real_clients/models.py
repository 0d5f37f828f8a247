"""A scripted model on a loopback port: it records every request and answers turn by turn."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from dialects import Call, Dialect, Json, Message, Say, Turn, dialect_of

__all__ = ["Call", "Message", "Request", "Say", "ScriptedModel", "Turn"]

END = Say("Done.")
SIDE_ANSWER = Say("A short title")
SUMMARY_ANSWER = Say("<summary>The user asked and the agent answered.</summary>")
# By these words the clients ask for the summary that a compaction leaves, in the order of PINS.
_SUMMARY_WORDS = (
    "an <analysis> block followed by a <summary> block",
    "CONTEXT CHECKPOINT COMPACTION",
    "<state_snapshot>",
    "anchored summary",
    "create a detailed summary of the conversation",
)


@dataclass(frozen=True)
class Request:
    """One request of a client: a `turn` of its loop or a `subagent`'s, a `summary`, or a `side`
    call for a title and the like."""

    path: str
    body: Json
    kind: str
    messages: tuple[Message, ...]

    def text(self, *roles: str) -> str:
        """All that the request says to the model, in order, of the given roles or of all."""
        return "\n".join(m.text for m in self.messages if not roles or m.role in roles)


class ScriptedModel:
    """A model server; `play` sets the turns of the next prompt, `requests` says what it was sent.

    The turn is chosen by how many answers of the model a request holds beyond those of the first
    request since `play`: so a client may repeat a request, and a resumed session goes on.
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._main = _Script(())
        self._subagents: dict[str, _Script] = {}
        self._lock = threading.Lock()
        self._last = time.monotonic()
        self._last_turn: Turn = END
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def play(self, *turns: Turn) -> None:
        """Sets the turns of the next prompt; requests beyond them are answered by END."""
        with self._lock:
            self._main = _Script(turns)
            self._subagents.clear()

    def play_subagent(self, task: str, *turns: Turn) -> None:
        """Sets the turns of the subagent whose task holds these words."""
        with self._lock:
            self._subagents[task] = _Script(turns)

    def is_quiet(self, seconds: float) -> bool:
        """Whether the model has said its last word, and was asked nothing since."""
        return isinstance(self._last_turn, Say) and time.monotonic() - self._last > seconds

    def receive(self, path: str, body: Json, dialect: Dialect) -> Turn:
        """Records a request and returns the turn that answers it."""
        messages = tuple(dialect.messages(body))
        with self._lock:
            kind, script = self._script(messages, is_turn=dialect.is_turn(body))
            self.requests.append(Request(path, body, kind, messages))
            self._last = time.monotonic()
            self._last_turn = script.turn(dialect.answered(body))
            return self._last_turn

    def _script(self, messages: Sequence[Message], *, is_turn: bool) -> tuple[str, _Script]:
        """The request's kind, and the turns that answer it."""
        given = [message.text for message in messages if message.role == "user"]
        if any(words in text for words in _SUMMARY_WORDS for text in given[-1:]):
            return "summary", _Script((SUMMARY_ANSWER,))
        if not is_turn:
            return "side", _Script((SIDE_ANSWER,))
        for task, script in self._subagents.items():
            if any(task in text for text in given):
                return "subagent", script
        return "turn", self._main


class _Script:
    """Turns, and how many answers the conversation held when the first of them was asked for."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns
        self._before: int | None = None

    def turn(self, answered: int) -> Turn:
        if self._before is None:
            self._before = answered
        place = max(0, answered - self._before)
        return self._turns[place] if place < len(self._turns) else END


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's word
            """Keeps the test's output to the test."""

        def do_GET(self) -> None:
            self._send_json({"object": "list", "data": [], "models": []})

        def do_HEAD(self) -> None:
            self._send_json({})

        def do_POST(self) -> None:
            body = self._body()
            dialect = dialect_of(self.path)
            if dialect is None:
                tokens = {"input_tokens": 10, "totalTokens": 10}
                self._send_json(tokens if "ount" in self.path else {})
                return
            turn = model.receive(self.path, body, dialect)
            if body.get("stream") or ":stream" in self.path:
                self._send_stream(dialect, body, turn)
            else:
                self._send_json(dialect.whole(body, turn))

        def _body(self) -> Json:
            raw = self._chunks() if self.headers["transfer-encoding"] else self._sized()
            if self.headers["content-encoding"] == "gzip":
                raw = gzip.decompress(raw)
            found: Json = json.loads(raw or b"{}")
            return found

        def _sized(self) -> bytes:
            return self.rfile.read(int(self.headers["content-length"] or 0))

        def _chunks(self) -> bytes:
            found = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                found += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return found

        def _send_json(self, answer: Json) -> None:
            raw = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(raw)

        def _send_stream(self, dialect: Dialect, body: Json, turn: Turn) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for line in dialect.answer(body, turn):
                self.wfile.write(line.encode())
            self.close_connection = True

    return Handler
