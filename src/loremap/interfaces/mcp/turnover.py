"""Makes room for a new HTTP session: where there are too many, the idlest ends.

The library refuses new sessions while it is full, and keeps each for half an hour after its last
request. Clients that never say goodbye would lock out the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from loremap.interfaces.http.guard import ASGIApp

if TYPE_CHECKING:
    from loremap.interfaces.http.guard import Message, Receive, Scope, Send

SESSION = b"mcp-session-id"
Headers = Iterable[tuple[bytes, bytes]]


class Turnover:
    """Counts the sessions that go through it, the one used last at the end."""

    def __init__(self, app: ASGIApp, *, most: int) -> None:
        self._app, self._most = app, most
        self._open: dict[bytes, None] = {}
        self._at_work: Counter[bytes] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        session = _session(scope["headers"])
        if session is None:
            await self._make_room(scope)
        elif session in self._open:
            self._use(session)

        async def heard(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._answered(session, message, method=scope["method"])
            await send(message)

        self._at_work[session or b""] += 1
        try:
            await self._app(scope, receive, heard)
        finally:
            self._at_work[session or b""] -= 1
            self._at_work += Counter()

    def _use(self, session: bytes) -> None:
        self._open.pop(session, None)
        self._open[session] = None

    def _answered(self, session: bytes | None, message: Message, *, method: str) -> None:
        """Note a session that began, or is gone."""
        begun = _session(message.get("headers", ()))
        if message["status"] == 404 or (method == "DELETE" and message["status"] < 400):
            self._open.pop(session or b"", None)
        elif begun is not None and message["status"] < 400:
            self._use(begun)

    async def _make_room(self, scope: Scope) -> None:
        """End sessions that nobody uses now, the idlest first, until one more has room."""
        idle = [session for session in self._open if not self._at_work[session]]
        for session in idle[: max(0, len(self._open) - self._most + 1)]:
            self._open.pop(session, None)
            await self._app(_goodbye(scope, session), _nothing, _unheard)


def _session(headers: Headers) -> bytes | None:
    return next((value for name, value in headers if name.lower() == SESSION), None)


def _goodbye(scope: Scope, session: bytes) -> Scope:
    """The request by which a client ends its session."""
    host = [(name, value) for name, value in scope["headers"] if name.lower() == b"host"]
    return {**scope, "method": "DELETE", "headers": [*host, (SESSION, session)]}


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _unheard(_message: Message) -> None:
    """Nobody waits for the answer."""
