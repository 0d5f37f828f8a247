"""Posts JSON to a model's HTTP endpoint within bounds of time, attempts and bytes."""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import time
import urllib.error
import urllib.request
from email.message import Message
from typing import IO
from urllib.parse import urlsplit

from loremap.errors import BadInput, ModelFailed

_PAUSES_S = (0.25, 0.5, 1.0)
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_ANSWER_BYTES = 64 << 20
_QUOTED_CHARS = 200
_BLOCK = 1 << 16
_OTHERWISE = "See that server's log, or choose the local model."
_HINTS = {
    400: "Check that the model embeds, or make the batch smaller.",
    401: "Check the key.",
    403: "Check the key and what it may do.",
    404: "Check the address and the model's name; with Ollama, pull the model first.",
    413: "Make the batch smaller.",
    422: "Check that the model embeds, or make the batch smaller.",
    429: "Wait, or make the batch smaller.",
}


class _AttemptError(Exception):
    """What went wrong in one attempt, and whether another may go better."""

    def __init__(
        self, what: str, *, hint: str = _OTHERWISE, passing: bool = False, wait_s: float = 0.0
    ) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.passing = passing
        self.wait_s = wait_s


class Endpoint:
    """One address, and what it takes to reach it."""

    def __init__(self, url: str, *, key_env: str = "", timeout_s: float = 30.0) -> None:
        host = _host(url)
        self.leaves_machine = not _is_loopback(host)
        self._url = url
        self._key_env = key_env
        self._timeout_s = timeout_s
        # A redirect, or a proxy before this machine itself, would carry the texts and the key to
        # a machine that the user did not name.
        proxy = urllib.request.ProxyHandler(None if self.leaves_machine else {})
        self._opener = urllib.request.build_opener(_NoRedirect, proxy)

    def post(self, payload: object) -> object:
        """The decoded answer; what may pass by itself is tried again while time lasts."""
        deadline = time.monotonic() + self._timeout_s
        request = self._request(json.dumps(payload).encode())
        for pause_s in (*_PAUSES_S, float("inf")):
            try:
                return _decoded(self._answer(request, deadline))
            except _AttemptError as error:
                resume = time.monotonic() + max(pause_s, error.wait_s)
                if not error.passing or resume >= deadline:
                    raise self.failure(error.what, hint=error.hint) from error
            time.sleep(max(0.0, resume - time.monotonic()))
        raise AssertionError("the last pause never ends")

    def failure(self, what: str, *, hint: str = _OTHERWISE) -> ModelFailed:
        """An error that names this endpoint, without the query, which may hold a key."""
        parts = urlsplit(self._url)
        port = f":{parts.port}" if parts.port else ""
        shown = f"{parts.scheme}://{parts.hostname}{port}{parts.path}"
        return ModelFailed(f"The embedding endpoint {shown} {what}.", hint=hint)

    def _request(self, body: bytes) -> urllib.request.Request:
        headers = {"Content-Type": "application/json", "User-Agent": "loremap"}
        if self._key_env:
            key = self._key()
            if not key or not key.isascii() or not key.isprintable():
                hint = f"Set {self._key_env} in the environment, or choose the local model."
                raise self.failure(f"needs a key, and {self._key_env} holds none", hint=hint)
            headers["Authorization"] = f"Bearer {key}"
        return urllib.request.Request(self._url, data=body, headers=headers)

    def _key(self) -> str:
        return os.environ.get(self._key_env, "").strip()

    def _answer(self, request: urllib.request.Request, deadline: float) -> bytes:
        left_s = max(0.001, deadline - time.monotonic())
        try:
            with self._opener.open(request, timeout=left_s) as answer:
                return _read(answer, deadline)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error, deadline) from error
        except (OSError, http.client.HTTPException) as error:
            raise self._unreached(error) from error

    def _refusal(self, error: urllib.error.HTTPError, deadline: float) -> _AttemptError:
        try:
            said = _quoted(_read(error, deadline))
            if key := self._key():
                said = said.replace(key, "…")
        except (OSError, http.client.HTTPException, _AttemptError):
            said = ""
        return _AttemptError(
            f"answered {error.code} {error.reason}{': ' + said if said else ''}",
            hint=_HINTS.get(error.code, _OTHERWISE),
            passing=error.code in _PASSING,
            wait_s=_seconds(error.headers.get("Retry-After")),
        )

    def _unreached(self, error: Exception) -> _AttemptError:
        cause = getattr(error, "reason", None) or error
        if isinstance(cause, TimeoutError):
            return _AttemptError(f"gave no answer within {self._timeout_s:g} s")
        if isinstance(cause, ConnectionRefusedError):
            return _AttemptError(
                "refuses connections", hint="Start that server, or choose the local model."
            )
        passing = isinstance(cause, ConnectionError | http.client.HTTPException)
        return _AttemptError(f"could not be reached ({_one_line(str(cause))})", passing=passing)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> None:
        """No further request: the answer then counts as the error it is."""


def _host(url: str) -> str:
    """The host of a usable address; a bad one is not repeated, for it may hold a password."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise BadInput(
            "The address of the embedding endpoint is not a usable http address.",
            hint="Give one such as http://localhost:11434/v1.",
        )
    if parts.username is not None:
        raise BadInput(
            "The address of the embedding endpoint holds a name or password.",
            hint="Put the key in an environment variable and name that as key_env.",
        )
    return str(parts.hostname)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _read(answer: IO[bytes], deadline: float) -> bytes:
    """The whole body; a timeout of the socket alone would let a slow trickle go on for ever."""
    body = bytearray()
    while block := answer.read1(_BLOCK):  # type: ignore[attr-defined]  # HTTPResponse has it
        body += block
        if time.monotonic() > deadline:
            raise TimeoutError
        if len(body) > _ANSWER_BYTES:
            raise _AttemptError("sends more than an answer can be")
    return bytes(body)


def _decoded(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _AttemptError("did not answer in JSON", hint="Check the address.") from error


def _quoted(body: bytes) -> str:
    """What an error answer says, in the shapes that endpoints use."""
    text = body.decode("utf-8", "replace")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return _one_line(text)
    for key in ("error", "message", "detail"):
        while isinstance(said, dict) and key in said:
            said = said[key]
    return _one_line(said if isinstance(said, str) else text)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_QUOTED_CHARS]


def _seconds(header: str | None) -> float:
    """The seconds of a Retry-After; its other form, a date, counts as none given."""
    try:
        return max(0.0, float(header or 0))
    except ValueError:
        return 0.0
