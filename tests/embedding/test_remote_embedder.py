from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from loremap.embedding.remote import RemoteEmbedder, embeddings_url, space_name
from loremap.endpoint.post import Endpoint, Manner
from loremap.errors import BadInput, ModelFailed

SOON_S = 10
"""Far below the thirty seconds of a request, far above what a slow machine needs."""

Reply = Callable[["_Request", list[str]], None]


class Model(ThreadingHTTPServer):
    """An embedding endpoint; `replies` are used up first, then it answers well."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.replies: list[Reply] = []
        self.seen: list[dict[str, Any]] = []
        self.headers_seen: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Request(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append(asked | {"path": self.path})
        self.server.headers_seen.append(dict(self.headers))
        reply = self.server.replies.pop(0) if self.server.replies else good
        try:
            reply(self, asked["input"])
        except ConnectionError:
            return  # the client gave up, as the test meant

    def send(self, content: bytes, *, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's name
        """Keep the test's output clean."""


def row(text: str) -> list[float]:
    """A vector from which the text's length can be read back."""
    return [float(len(text)), 1.0, 0.0]


def vectors(texts: list[str]) -> list[dict[str, Any]]:
    rows = [{"index": place, "embedding": row(text)} for place, text in enumerate(texts)]
    return rows[::-1]  # in an order of its own, as the protocol allows


def good(request: _Request, texts: list[str]) -> None:
    request.send(json.dumps({"object": "list", "data": vectors(texts)}).encode())


def status(code: int, body: object = None, **headers: str) -> Reply:
    content = json.dumps(body).encode() if body is not None else b"<h1>no</h1>"
    return lambda request, texts: request.send(content, status=code, **headers)


def answer(change: Callable[[list[dict[str, Any]]], Any]) -> Reply:
    """A well-formed answer whose list of vectors went through `change`."""
    return lambda request, texts: request.send(
        json.dumps({"data": change(vectors(texts))}).encode()
    )


def body(content: bytes) -> Reply:
    return lambda request, texts: request.send(content)


def with_first(value: object) -> Reply:
    return answer(lambda data: [data[0] | {"embedding": value}, *data[1:]])


def slow(request: _Request, texts: list[str]) -> None:
    time.sleep(2.0)
    good(request, texts)


def trickle(request: _Request, texts: list[str]) -> None:
    request.send_response(200)
    request.send_header("Content-Length", "1000")
    request.end_headers()
    for _ in range(20):
        request.wfile.write(b" ")
        request.wfile.flush()
        time.sleep(0.1)


def hang_up(request: _Request, texts: list[str]) -> None:
    request.connection.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def model() -> Iterator[Model]:
    server = Model()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_vectors_come_in_the_order_of_the_texts(model: Model) -> None:
    embedder = RemoteEmbedder(model.url, "nomic-embed-text", batch_size=4)
    texts = ["x" * length for length in (5, 1, 9, 2, 7, 3, 8, 4, 6)]
    found = embedder.embed(texts)
    assert found.dtype == np.float32
    assert np.abs(np.linalg.norm(found, axis=1) - 1).max() < 1e-6
    assert [round(float(first / second)) for first, second, _ in found] == [*map(len, texts)]
    batches = [asked["input"] for asked in model.seen[1:]]  # the first asks for the dimension
    assert [len(batch) for batch in batches] == [4, 4, 1]
    assert {asked["model"] for asked in model.seen} == {"nomic-embed-text"}
    assert {asked["path"] for asked in model.seen} == {"/v1/embeddings"}


def test_the_dimension_is_asked_once_unless_given(model: Model) -> None:
    asking = RemoteEmbedder(model.url, "m")
    assert (asking.dim, asking.dim) == (3, 3)
    assert len(model.seen) == 1
    assert RemoteEmbedder(model.url, "m", dim=3).embed([]).shape == (0, 3)
    assert len(model.seen) == 1


def test_prefixes_mark_questions_and_documents(model: Model) -> None:
    embedder = RemoteEmbedder(
        model.url,
        "nomic",
        dim=3,
        query_prefix="search_query: ",
        document_prefix="search_document: ",
    )
    embedder.embed(["where?"], query=True)
    embedder.embed(["here"])
    assert [asked["input"] for asked in model.seen] == [
        ["search_query: where?"],
        ["search_document: here"],
    ]


def test_texts_that_endpoints_choke_on_are_made_harmless(model: Model) -> None:
    RemoteEmbedder(model.url, "m", dim=3).embed(["", " \n", "\ud800!"])
    assert model.seen[0]["input"] == ["(empty)", "(empty)", "?!"]


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (with_first([float("nan"), 1.0, 0.0]), "not finite"),
        (with_first([float("inf"), 1.0, 0.0]), "not finite"),
        (with_first([0.0, 0.0, 0.0]), "no length"),
        (with_first([1e300, 1e300, 0.0]), "no length"),
        (with_first([1.0, 2.0]), "rows of numbers"),
        (with_first(None), "rows of numbers"),
        (with_first("AACAPw=="), "rows of numbers"),
        (with_first([[1.0], [2.0], [3.0]]), "rows of numbers"),
        (answer(lambda data: [item | {"embedding": [1.0] * 4} for item in data]), "4 dimensions"),
        (answer(lambda data: [item | {"embedding": []} for item in data]), "rows of numbers"),
        (answer(lambda data: data[1:]), "1 vectors for 2 texts"),
        (answer(lambda data: [*data, data[0]]), "3 vectors for 2 texts"),
        (answer(lambda data: [data[0], data[0]]), "indices"),
        (answer(lambda data: [item | {"index": None} for item in data]), "indices"),
        (answer(lambda data: None), "no list"),
        (answer(lambda data: ["vector", "vector"]), "no list"),
        (body(b'{"data": [{"ind'), "JSON"),
        (body(b"<html>proxy login</html>"), "JSON"),
        (body(b"\xff\xfe\x00"), "JSON"),
        (body(b"[" * 100_000), "JSON"),
        (body(b""), "JSON"),
        (body(b"[]"), "no list"),
        (
            status(400, {"error": {"message": "this model does not\nsupport embeddings"}}),
            "not supp",
        ),
        (status(401, {"detail": "bad key"}), "401 Unauthorized: bad key"),
        (status(404, {"error": "model 'm' not found"}), "model 'm' not found"),
        (status(413), "413"),
        (status(302, Location="http://127.0.0.1:1/"), "302"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused_at_once(
    model: Model, reply: Reply, says: str
) -> None:
    model.replies = [reply]
    with pytest.raises(ModelFailed, match=says) as caught:
        RemoteEmbedder(model.url, "m", dim=3).embed(["one", "three"])
    assert len(model.seen) == 1
    assert "\n" not in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    "replies",
    [
        [status(429, Retry_After="Wed, 21 Oct 2026 07:28:00 GMT")],
        [status(429, Retry_After="1")],
        [status(503, {"error": "loading model"}), status(500)],
        [hang_up],
    ],
)
def test_what_passes_is_tried_again(model: Model, replies: list[Reply]) -> None:
    model.replies = [*replies]
    assert RemoteEmbedder(model.url, "m", dim=3).embed(["text"]).shape == (1, 3)
    assert len(model.seen) == len(replies) + 1


@pytest.mark.parametrize(
    ("reply", "attempts", "says"),
    [
        (status(500), 4, "500"),
        (status(429, Retry_After="3600"), 1, "429"),  # no use in waiting
    ],
)
def test_trying_again_has_an_end(model: Model, reply: Reply, attempts: int, says: str) -> None:
    model.replies = [reply] * 9
    begun = time.monotonic()
    with pytest.raises(ModelFailed, match=says):
        RemoteEmbedder(model.url, "m", dim=3).embed(["text"])
    assert len(model.seen) == attempts
    assert time.monotonic() - begun < SOON_S


@pytest.mark.parametrize("reply", [slow, trickle])
def test_a_slow_endpoint_costs_no_more_than_the_timeout(model: Model, reply: Reply) -> None:
    model.replies = [reply]
    with pytest.raises(ModelFailed, match=r"no answer within 0\.5 s"):
        RemoteEmbedder(model.url, "m", dim=3, timeout_s=0.5).embed(["text"])


def test_the_timeout_bounds_all_attempts_together(model: Model) -> None:
    model.replies = [status(503)] * 9
    with pytest.raises(ModelFailed, match="503"):
        RemoteEmbedder(model.url, "m", dim=3, timeout_s=0.4).embed(["text"])
    assert len(model.seen) == 2


def test_a_closed_port_fails_at_once() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound but not listening: refused
        embedder = RemoteEmbedder(f"http://127.0.0.1:{held.getsockname()[1]}", "m", dim=3)
        begun = time.monotonic()
        with pytest.raises(ModelFailed, match="refuses connections"):
            embedder.embed(["text"])
    assert time.monotonic() - begun < SOON_S


def test_an_unknown_host_is_said() -> None:
    with pytest.raises(ModelFailed, match="could not be reached"):
        RemoteEmbedder("http://no-such-host.invalid", "m", dim=3, timeout_s=5).embed(["text"])


def test_the_key_is_read_from_the_named_variable(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = RemoteEmbedder(model.url, "m", dim=3, key_env="LOREMAP_TEST_KEY")
    for unusable in ("", " ", "two\nlines", "schlüssel"):
        monkeypatch.setenv("LOREMAP_TEST_KEY", unusable)
        with pytest.raises(ModelFailed, match="LOREMAP_TEST_KEY holds none"):
            embedder.embed(["text"])
    key = "-".join(["made", "up", "for", "this", "test"])
    monkeypatch.setenv("LOREMAP_TEST_KEY", f"{key}\n")
    embedder.embed(["text"])
    assert [headers.get("Authorization") for headers in model.headers_seen] == [f"Bearer {key}"]


def test_no_key_is_sent_where_none_is_named(model: Model) -> None:
    RemoteEmbedder(model.url, "m", dim=3).embed(["text"])
    assert "Authorization" not in model.headers_seen[0]


def test_an_error_repeats_neither_key_nor_password(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "-".join(["made", "up", "for", "this", "test"])
    monkeypatch.setenv("LOREMAP_TEST_KEY", key)
    model.replies = [status(401, {"error": f"Incorrect API key: {key}"})]
    with pytest.raises(ModelFailed) as caught:
        RemoteEmbedder(model.url, "m", dim=3, key_env="LOREMAP_TEST_KEY").embed(["text"])
    assert key not in str(caught.value)
    assert "Incorrect API key" in str(caught.value)
    manner = Manner(called="endpoint", otherwise="choose another")
    endpoint = Endpoint(f"{model.url}/embeddings?token={key}", manner)
    assert key not in str(endpoint.failure("is down"))
    with pytest.raises(BadInput, match="name or password") as refused:
        RemoteEmbedder(f"http://me:{key}@127.0.0.1:1/v1", "m")
    assert key not in str(refused.value)


def test_a_proxy_does_not_see_what_stays_here(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    assert RemoteEmbedder(model.url, "m", dim=3).embed(["text"]).shape == (1, 3)


@pytest.mark.parametrize(
    ("url", "leaves"),
    [
        ("http://localhost:11434", False),
        ("http://LOCALHOST:11434/v1", False),
        ("http://ollama.localhost/v1", False),
        ("http://127.0.0.1:8080/v1", False),
        ("http://127.8.9.1/v1", False),
        ("http://[::1]:8080/v1", False),
        ("https://api.voyageai.com/v1", True),
        ("http://192.168.1.7:11434/v1", True),
        ("http://localhost.example.com/v1", True),
        ("http://127.0.0.1.example.com/v1", True),
    ],
)
def test_it_knows_whether_texts_leave_the_machine(url: str, leaves: bool) -> None:
    assert RemoteEmbedder(url, "m").leaves_machine is leaves


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:11434",
        "file:///etc/passwd",
        "ftp://host/v1",
        "http://",
        "http://host:port",
        "http://host:99999",
        "http://[::1",
        "http://localhost@example.com/v1",
    ],
)
def test_an_address_must_be_http(url: str) -> None:
    with pytest.raises(BadInput):
        RemoteEmbedder(url, "m")


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1/embeddings"),
        ("http://localhost:11434/", "http://localhost:11434/v1/embeddings"),
        ("https://api.voyageai.com/v1", "https://api.voyageai.com/v1/embeddings"),
        ("https://host/openai/v1/", "https://host/openai/v1/embeddings"),
        ("https://host/v1/embeddings", "https://host/v1/embeddings"),
    ],
)
def test_embeddings_url(base: str, url: str) -> None:
    assert embeddings_url(base) == url


def test_other_prefixes_make_another_space() -> None:
    names = {
        space_name("nomic", "", ""),
        space_name("nomic", "q: ", ""),
        space_name("nomic", "", "q: "),
        space_name("nomic", "q: ", "d: "),
    }
    assert len(names) == 4
    assert "nomic" in names
