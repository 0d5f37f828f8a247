"""HTTP connections whose request does not come to its end: dropped after seconds, and few."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S = 10.0
"""How long a request may take to arrive whole, from the connection or the answer before it."""
MAX_UNFINISHED = 32
"""So many connections of one peer may wait for the end of a request; the oldest makes room."""


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 for clients that say what they want."""

    request_s = REQUEST_S
    most_unfinished = MAX_UNFINISHED

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected: it has some seconds to ask."""
        super().connection_made(transport)
        self._await_request()
        waiting = self._waiting_alike()
        if len(waiting) > self.most_unfinished:
            min(waiting, key=lambda other: other.since).drop()

    def data_received(self, data: bytes) -> None:
        """A part of a request: the clock stops when it is whole."""
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._await_request()
        else:
            self._stop()

    def on_response_complete(self) -> None:
        """An answer is given; the keep-alive timeout of the server waits for the next request."""
        super().on_response_complete()
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._stop()
        super().connection_lost(exc)

    @property
    def since(self) -> float:
        """When it began to wait; later than everything where it does not."""
        return float("inf") if self._timer is None else self._timer.when()

    def drop(self) -> None:
        """End it, without a word."""
        self._stop()
        self.transport.abort()

    def _waiting_alike(self) -> list[BoundedProtocol]:
        """The connections of the same peer, of any port, that wait for a request."""
        known = [other for other in self.connections if isinstance(other, BoundedProtocol)]
        peer = (self.client or ("",))[0]
        return [
            other
            for other in known
            if other._timer is not None and (other.client or ("",))[0] == peer
        ]

    def _await_request(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.request_s, self.drop)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
