"""Posts JSON to a model's HTTP endpoint within bounds of time, attempts and bytes."""

from __future__ import annotations

import ipaddress
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx2 as httpx

from loremap.errors import BadInput, ModelFailed

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_QUOTED_CHARS = 200
_HINTS = {
    401: "Check the key.",
    403: "Check the key and what it may do.",
    404: "Check the address and the model's name; with Ollama, pull the model first.",
}
Headers = Mapping[str, str]


def bearer(key: str) -> Headers:
    """The usual way to show a key."""
    return {"Authorization": f"Bearer {key}"}


@dataclass(frozen=True, slots=True)
class Manner:
    """How one kind of endpoint is spoken to, and what is said where it fails."""

    called: str
    """What messages call it, such as "embedding endpoint"."""
    otherwise: str
    """What else may be done, said after a comma: "choose the local model"."""
    hints: Mapping[int, str] = field(default_factory=dict)
    """What to do about some answers, beyond what holds for any endpoint."""
    pauses_s: tuple[float, ...] = (0.25, 0.5, 1.0)
    """How long is waited before each further attempt."""
    answer_bytes: int = 64 << 20
    shows_key: Callable[[str], Headers] = bearer


class _AttemptError(Exception):
    """What went wrong in one attempt, and whether another may go better."""

    def __init__(
        self,
        what: str,
        *,
        said: str = "",
        hint: str = "",
        passing: bool = False,
        wait_s: float = 0.0,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.said = said
        self.hint = hint
        self.passing = passing
        self.wait_s = wait_s


class Endpoint:
    """One address, and what it takes to reach it."""

    def __init__(
        self,
        url: str,
        manner: Manner,
        *,
        key_env: str = "",
        key: str = "",
        timeout_s: float = 30.0,
    ) -> None:
        host = _host(url, manner)
        self.leaves_machine = not _is_loopback(host)
        self._url = url
        self._manner = manner
        self._key_env = key_env
        self._given_key = key
        self._timeout_s = timeout_s
        # A redirect, or a proxy before this machine itself, would carry the texts and the key to
        # a machine that the user did not name.
        self._client = httpx.Client(follow_redirects=False, trust_env=self.leaves_machine)

    def post(self, payload: object) -> object:
        """The decoded answer; what may pass by itself is tried again while time lasts."""
        deadline = time.monotonic() + self._timeout_s
        body, headers = json.dumps(payload).encode(), self._headers()
        for pause_s in (*self._manner.pauses_s, float("inf")):
            try:
                return _decoded(self._answer(body, headers, deadline))
            except _AttemptError as error:
                resume = time.monotonic() + max(pause_s, error.wait_s)
                if not error.passing or resume >= deadline:
                    raise self.failure(error.what, said=error.said, hint=error.hint) from error
            time.sleep(max(0.0, resume - time.monotonic()))
        raise AssertionError("the last pause never ends")

    def failure(self, what: str, *, said: str = "", hint: str = "") -> ModelFailed:
        """An error that names this endpoint, without the query, which may hold a key."""
        parts = urlsplit(self._url)
        port = f":{parts.port}" if parts.port else ""
        shown = f"{parts.scheme}://{parts.hostname}{port}{parts.path}"
        hint = hint or f"See that server's log, or {self._manner.otherwise}."
        short = f"The {self._manner.called} {shown} {what}"
        message = f"{short}: {said}." if said else f"{short}."
        return ModelFailed(message, hint=hint, short=f"{short}.")

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "User-Agent": "loremap"}
        if self._key_env or self._given_key:
            key = self._key()
            if not key or not key.isascii() or not key.isprintable():
                place = self._key_env or "what was kept for it"
                hint = f"Set {self._key_env} in the environment, or {self._manner.otherwise}."
                raise self.failure(
                    f"needs a key, and {place} holds none", hint=hint if self._key_env else ""
                )
            headers.update(self._manner.shows_key(key))
        return headers

    def _key(self) -> str:
        named = os.environ.get(self._key_env, "") if self._key_env else ""
        return (named or self._given_key).strip()

    def _answer(self, body: bytes, headers: dict[str, str], deadline: float) -> bytes:
        left_s = max(0.001, deadline - time.monotonic())
        try:
            with self._client.stream(
                "POST", self._url, content=body, headers=headers, timeout=left_s
            ) as answer:
                if not answer.is_success:
                    raise self._refusal(answer, deadline)
                return _read(answer, deadline, self._manner.answer_bytes)
        except (httpx.TimeoutException, TimeoutError) as error:
            raise _AttemptError(f"gave no answer within {self._timeout_s:g} s") from error
        except httpx.HTTPError as error:
            raise self._unreached(error) from error

    def _refusal(self, answer: httpx.Response, deadline: float) -> _AttemptError:
        try:
            said = _quoted(_read(answer, deadline, self._manner.answer_bytes))
            if key := self._key():
                said = said.replace(key, "…")
        except (httpx.HTTPError, TimeoutError, _AttemptError):
            said = ""
        return _AttemptError(
            f"answered {answer.status_code} {answer.reason_phrase}",
            said=said,
            hint=(_HINTS | {**self._manner.hints}).get(answer.status_code, ""),
            passing=answer.status_code in _PASSING,
            wait_s=_seconds(answer.headers.get("Retry-After")),
        )

    def _unreached(self, error: httpx.HTTPError) -> _AttemptError:
        if _caused_by(error, ConnectionRefusedError):
            hint = f"Start that server, or {self._manner.otherwise}."
            return _AttemptError("refuses connections", hint=hint)
        passing = isinstance(
            error, httpx.NetworkError | httpx.RemoteProtocolError
        ) and not isinstance(error, httpx.ConnectError)
        return _AttemptError(f"could not be reached ({_one_line(str(error))})", passing=passing)


def _caused_by(error: BaseException, kind: type[BaseException]) -> bool:
    """Whether it is of a kind, or what it was raised from is."""
    while True:
        if isinstance(error, kind):
            return True
        before = error.__cause__ or error.__context__
        if before is None:
            return False
        error = before


def _host(url: str, manner: Manner) -> str:
    """The host of a usable address; a bad one is not repeated, for it may hold a password."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise BadInput(
            f"The address of the {manner.called} is not a usable http address.",
            hint="Give one such as http://localhost:11434/v1.",
        )
    if parts.username is not None:
        raise BadInput(
            f"The address of the {manner.called} holds a name or password.",
            hint="Put the key in an environment variable and name that as key_env.",
        )
    return str(parts.hostname)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _read(answer: httpx.Response, deadline: float, most_bytes: int) -> bytes:
    """The whole body; a timeout of the socket alone would let a slow trickle go on for ever."""
    body = bytearray()
    for block in answer.iter_bytes():
        body += block
        if time.monotonic() > deadline:
            raise TimeoutError
        if len(body) > most_bytes:
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
