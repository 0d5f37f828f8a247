"""Who may ask over HTTP: this machine, by its own name, from its own pages, with the token."""

from __future__ import annotations

import hmac
import re
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, NamedTuple

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY_BYTES = 1 << 20
COOKIE = "loremap_token"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
SOCKET_NAME = "loremap"
"""What a client may call the server on the Unix socket, where no name is needed."""
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::([0-9]{1,5}))?")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Refusal(NamedTuple):
    """Why a request is not let in."""

    status: int
    says: str


WRONG_HOST = Refusal(421, "This server answers to localhost only.")
WRONG_ORIGIN = Refusal(403, "Pages of other origins may not ask this server.")
NO_TOKEN = Refusal(401, "A token is needed: send it as Authorization: Bearer.")
TOO_LARGE = Refusal(413, f"A request holds at most {MAX_BODY_BYTES} bytes.")


class Guard:
    """Lets through to `app` only what comes from this machine and its user.

    A page in the user's browser can send requests here, too: its Host (after DNS rebinding), its
    Origin and the missing token each give it away. No answer ever allows another origin to read.
    """

    def __init__(self, app: ASGIApp, *, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            refusal = refused(headers_of(scope), token=self._token)
            if refusal is not None:
                await _answer(refusal, send)
            else:
                await _bounded(self._app, scope, receive, send)
        else:  # a websocket: nothing here speaks it
            await send({"type": "websocket.close", "code": 1008})


def headers_of(scope: Scope) -> dict[str, list[str]]:
    """The headers by their names, each with every value that was sent."""
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def refused(headers: dict[str, list[str]], *, token: str | None) -> Refusal | None:
    """Why a request with these headers is refused; None where it may pass.

    `token` is None on the Unix socket, which only its owner can open.
    """
    host = _place(_only(headers, "host"), also=SOCKET_NAME if token is None else None)
    if host is None:
        return WRONG_HOST
    if not _is_own_page(headers, port=host.port):
        return WRONG_ORIGIN
    if token is not None and not _knows(headers, token):
        return NO_TOKEN
    length = _only(headers, "content-length") or "0"
    if not length.isascii() or not length.isdigit() or int(length[:20]) > MAX_BODY_BYTES:
        return TOO_LARGE
    return None


class _Place(NamedTuple):
    name: str
    port: int


def _only(headers: dict[str, list[str]], name: str) -> str | None:
    """The one value of a header; nothing where it was sent twice and neither can be believed."""
    values = headers.get(name, [])
    return values[0] if len(values) == 1 else None


def _place(host: str | None, *, also: str | None = None, default: int = 80) -> _Place | None:
    """A loopback name and its port; None for every other."""
    parts = _HOST.fullmatch((host or "").lower())
    if parts is None or (parts[1] not in LOOPBACK and parts[1] != also):
        return None
    return _Place(parts[1], int(parts[2] or default))


def _is_own_page(headers: dict[str, list[str]], *, port: int) -> bool:
    """Whether no page asks, or one of this server. Pages of other ports of this machine are
    strangers too: any project's development server is one."""
    if "origin" in headers:
        origin = _only(headers, "origin") or ""
        scheme, _, host = origin.partition("://")
        place = _place(host, default=_DEFAULT_PORTS.get(scheme, 0))
        if scheme not in _DEFAULT_PORTS or place is None or place.port != port:
            return False
    return all(site in ("same-origin", "none") for site in headers.get("sec-fetch-site", []))


def _knows(headers: dict[str, list[str]], token: str) -> bool:
    """Whether the token came along, as a bearer's or in the cookie that only we can set."""
    scheme, _, given = (_only(headers, "authorization") or "").partition(" ")
    bearer = given.strip() if scheme.lower() == "bearer" else ""
    return _same(bearer, token) or _same(_cookie(headers), token)


def _cookie(headers: dict[str, list[str]]) -> str:
    try:
        found = SimpleCookie(_only(headers, "cookie") or "").get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


async def _answer(refusal: Refusal, send: Send) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    if refusal is NO_TOKEN:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": refusal.says.encode() + b"\n"})


async def _bounded(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Pass a request on; a body that grows past the bound without having said so is cut off."""
    received, answered, cut = 0, False, False

    async def counted() -> Message:
        nonlocal received, cut
        message = await receive()
        received += len(message.get("body", b""))
        if received > MAX_BODY_BYTES:
            cut = True
            return {"type": "http.disconnect"}
        return message

    async def seen(message: Message) -> None:
        nonlocal answered
        if cut and not answered:
            return  # what the app makes of half a body is of no use to anyone
        answered = True
        await send(message)

    await app(scope, counted, seen)
    if cut and not answered:
        await _answer(TOO_LARGE, send)
