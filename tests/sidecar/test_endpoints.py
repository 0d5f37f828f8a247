"""Three protocols over a real socket: what is sent, what is read, and all that goes wrong."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from fake_sidecar import (
    TOKENS_IN,
    TOKENS_OUT,
    FakeSidecar,
    Reply,
    Request,
    raw,
    running,
    said,
    status,
)
from loremap.errors import BadInput, ModelFailed
from loremap.sidecar.answers import object_in
from loremap.sidecar.ask import Ask, Said, Task, Unusable
from loremap.sidecar.choose import SidecarChoice, open_model
from loremap.sidecar.protocols import PROTOCOLS, address
from loremap.sidecar.remote import RemoteModel

SCHEMA = {"type": "object", "properties": {"relevant": {"type": "array"}}}
ASK = Ask(task=Task.VERIFY, system="Judge.", text="1. a note", schema=SCHEMA, most_tokens=50)


@pytest.fixture
def server() -> Iterator[FakeSidecar]:
    with running() as started:
        yield started


def model(server: FakeSidecar, kind: str = "openai", **given: object) -> RemoteModel:
    return RemoteModel(kind, server.url, "tiny", **{"timeout_s": 5.0, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", sorted(PROTOCOLS))
@pytest.mark.parametrize("structured", [True, False])
def test_each_protocol_carries_prompt_schema_and_counts(
    server: FakeSidecar, kind: str, structured: bool
) -> None:
    server.usual = said({"relevant": [1]})
    answer = model(server, kind, structured=structured).ask(ASK)
    assert object_in(answer.text) == {"relevant": [1]}
    assert (answer.tokens_in, answer.tokens_out) == (TOKENS_IN, TOKENS_OUT)
    (sent,) = server.prompts
    assert "1. a note" in sent
    assert "Judge." in sent
    assert "relevant" in sent, "the form of the answer is told"
    assert server.paths == [PROTOCOLS[kind].path if kind != "openai" else "/v1/chat/completions"]


def test_a_key_is_shown_as_the_protocol_wants(
    server: FakeSidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", "from-env")
    model(server, "openai", key_env="A_KEY").ask(ASK)
    server.usual = said({"relevant": []})
    model(server, "anthropic", key="kept").ask(ASK)
    first, second = server.headers_seen
    assert first["authorization"] == "Bearer from-env"
    assert (second["x-api-key"], second["anthropic-version"]) == ("kept", "2023-06-01")
    assert "authorization" not in second


@pytest.mark.parametrize("refusal", [status(429), status(503), status(500)])
def test_what_may_pass_is_tried_once_more(server: FakeSidecar, refusal: Reply) -> None:
    server.answers = [refusal, said({"relevant": []})]
    assert model(server).ask(ASK).text
    server.answers = [refusal, refusal]
    with pytest.raises(ModelFailed):
        model(server).ask(ASK)
    assert len(server.seen) == 4, "one retry, not more"


def close(request: Request, asked: object) -> None:
    request.close_connection = True
    request.connection.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (status(400, '{"error":{"message":"no schemas"}}'), "no schemas"),
        (status(401, "who are you"), "401"),
        (status(404), "404"),
        (status(302, Location="http://192.0.2.1/"), "302"),
        (raw(b"<html>"), "JSON"),
        (raw(b'{"choices": [{"mess'), "JSON"),
        (raw(b'{"choices": []}'), "form of its protocol"),
        (raw(b"[1, 2]"), "form of its protocol"),
        (raw(b'{"choices": [{"message": {"content": null}}]}'), "no text"),
        (raw(b'"a text"'), "form of its protocol"),
        (raw(b'{"choices": {"0": 1}}'), "form of its protocol"),
        (raw(b'{"choices": [null]}'), "form of its protocol"),
        (raw(b'{"choices": null}'), "form of its protocol"),
        (raw(b'{"choices": [{"message": {"content": [{"text": "{}"}]}}]}'), "no text"),
        (raw(b" " * (3 << 20)), "more than an answer"),
        (close, "could not be reached"),
    ],
)
def test_what_is_no_answer_is_said(server: FakeSidecar, reply: Reply, says: str) -> None:
    server.answers = [reply, reply]
    with pytest.raises(ModelFailed, match=says):
        model(server).ask(ASK)


@pytest.mark.parametrize(
    "usage", ["[1]", '"many"', '{"prompt_tokens": 1e300}', '{"prompt_tokens": [1]}', "NaN", "null"]
)
def test_what_a_server_counts_need_not_be_a_number(server: FakeSidecar, usage: str) -> None:
    answer = f'{{"choices": [{{"message": {{"content": "{{}}"}}}}], "usage": {usage}}}'
    server.answers = [raw(answer.encode())]
    assert model(server).ask(ASK) == Said("{}", 0, 0)


def test_what_a_server_says_is_left_out_of_the_short_form(server: FakeSidecar) -> None:
    server.answers = [status(400, "you sent: the user's own words")]
    with pytest.raises(ModelFailed) as failed:
        model(server).ask(ASK)
    assert "own words" in failed.value.message
    assert "own words" not in failed.value.short
    assert "400" in failed.value.short


def test_a_slow_answer_costs_no_more_than_the_timeout(server: FakeSidecar) -> None:
    def trickle(request: Request, asked: object) -> None:
        request.send_response(200)
        request.end_headers()
        for _ in range(50):
            request.wfile.write(b" ")
            request.wfile.flush()
            time.sleep(0.05)

    server.usual = trickle
    began = time.monotonic()
    with pytest.raises(ModelFailed, match="gave no answer within"):
        model(server, timeout_s=0.3).ask(ASK)
    assert time.monotonic() - began < 2


def test_nobody_listens() -> None:
    with running() as gone:
        url = gone.url
    with pytest.raises(ModelFailed, match="refuses connections"):
        RemoteModel("openai", url, "tiny").ask(ASK)


@pytest.mark.parametrize(
    ("kind", "url", "leaves"),
    [
        ("openai", "http://localhost:8080/v1", False),
        ("ollama", "", False),
        ("anthropic", "", True),
        ("openai", "https://models.example/v1", True),
    ],
)
def test_whether_words_leave_the_machine(kind: str, url: str, leaves: bool) -> None:
    found = open_model(SidecarChoice(kind=kind, url=url, model="tiny"))
    assert found is not None
    assert found.leaves_machine is leaves


def test_beyond_this_machine_only_encrypted() -> None:
    with pytest.raises(BadInput, match="without encryption"):
        RemoteModel("openai", "http://models.example/v1", "tiny")
    assert RemoteModel("openai", "http://models.example/v1", "tiny", plain_http=True)


@pytest.mark.parametrize(
    ("kind", "url", "posted"),
    [
        ("openai", "http://h:1", "http://h:1/v1/chat/completions"),
        ("openai", "http://h:1/v1/", "http://h:1/v1/chat/completions"),
        ("openai", "https://h/openai/v1", "https://h/openai/v1/chat/completions"),
        ("openai", "http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("anthropic", "", "https://api.anthropic.com/v1/messages"),
        ("anthropic", "https://h/v1", "https://h/v1/messages"),
        ("ollama", "", "http://127.0.0.1:11434/api/chat"),
    ],
)
def test_where_a_request_is_posted(kind: str, url: str, posted: str) -> None:
    assert address(PROTOCOLS[kind], url) == posted


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Sure! ```json\n{"a": {"b": [1]}}\n``` Anything else?', {"a": {"b": [1]}}),
        ('{not json} {"a": 2}', {"a": 2}),
        ('{"a": "cut o', None),
        ("[1, 2]", None),
        ("", None),
        ("{" * 5_000, None),
    ],
)
def test_the_object_in_what_was_said(text: str, found: object) -> None:
    if found is None:
        with pytest.raises(Unusable):
            object_in(text)
    else:
        assert object_in(text) == found


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        (SidecarChoice(kind="openai", url="http://localhost:1"), "name of a model"),
        (SidecarChoice(kind="openai", model="tiny"), "address"),
        (SidecarChoice(kind="agent"), "name of an agent"),
        (SidecarChoice(kind="openai", url="ftp://x", model="m"), "usable http address"),
        (SidecarChoice(kind="openai", url="https://a:b@x", model="m"), "name or password"),
    ],
)
def test_a_choice_that_cannot_be(choice: SidecarChoice, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        open_model(choice)


def test_no_choice_is_no_model() -> None:
    assert open_model(SidecarChoice()) is None
