"""Several prompts to one process of a client, as in a user's session, and its compaction."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dialects import Json, Turn
from install import cache_folder, command
from models import ScriptedModel

from clients import RUN_SECONDS, Client, Codex, Run, end_group

SETTLE_SECONDS = 1.5
TYPING_SECONDS = 0.5
ENTER_SECONDS = 8.0
ROWS_AND_COLUMNS = (40, 140)


class Conversation:
    """A client that stays open between prompts; a subclass knows how to speak with it."""

    def __init__(self, client: Client, *, home: Path, project: Path, model: ScriptedModel) -> None:
        self.client = client
        self.home = home
        self.project = project
        self.model = model
        self.session: str | None = None
        client.prepare(home, model)

    def ask(self, prompt: str, *turns: Turn) -> Run:
        """Sends a prompt, answers it with the given turns, and returns once the client is idle."""
        return self._during(lambda: self.send(prompt), turns)

    def compact(self) -> Run:
        """Has the client replace its history by a summary."""
        return self._during(self.send_compact, ())

    def _during(self, act: Callable[[], None], turns: tuple[Turn, ...]) -> Run:
        before = len(self.model.requests)
        self.model.play(*turns)
        act()
        return Run(0, "", "", self.session, tuple(self.model.requests[before:]))

    def open(self) -> None:
        """Waits until the client, which runs by now, takes prompts."""

    def send(self, prompt: str) -> None:
        raise NotImplementedError

    def send_compact(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def spawn(self, *arguments: str, **others: Any) -> subprocess.Popen[str]:
        """The client's process, with pipes of text lines unless told otherwise."""
        streams = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.DEVNULL,
        }
        return subprocess.Popen(
            (*command(self.client.name, cache_folder()), *arguments),
            cwd=self.project,
            env=self.client.environment(self.home, self.model),
            text=True,
            encoding="utf-8",
            start_new_session=True,
            **(streams | others),
        )


class Lines:
    """A process that is spoken with in lines of JSON."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._number = 0
        # A client that hangs must fail the test and not hold it.
        self._watch = threading.Timer(RUN_SECONDS, process.kill)
        self._watch.start()

    def write(self, line: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def until(self, wanted: Callable[[Json], bool]) -> Json:
        """Reads on to the first line that is wanted, and permits whatever is asked meanwhile."""
        assert self.process.stdout is not None
        for text in self.process.stdout:
            line: Json = json.loads(text) if text.startswith("{") else {}
            if line.get("method") == "session/request_permission":
                self._permit(line)
            if wanted(line):
                return line
        raise EOFError(f"{self.process.args!r} ended")

    def request(self, method: str, params: Json) -> Json:
        self._number += 1
        number = self._number
        self.write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        answer = self.until(lambda line: line.get("id") == number and "method" not in line)
        found: Json = answer["result"]
        return found

    def _permit(self, asked: Json) -> None:
        options = [o for o in asked["params"]["options"] if o["kind"].startswith("allow")]
        chosen = {"outcome": "selected", "optionId": options[0]["optionId"]}
        self.write({"jsonrpc": "2.0", "id": asked["id"], "result": {"outcome": chosen}})

    def close(self) -> None:
        self._watch.cancel()
        _close(self.process)


def _close(process: subprocess.Popen[str]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
    end_group(process.pid)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


class ClaudeConversation(Conversation):
    """Claude Code, fed with lines of its stream format."""

    def __init__(self, client: Client, **where: Any) -> None:
        super().__init__(client, **where)
        stream = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        allowed = ("--allowedTools", "Bash", "mcp__loremap")
        self._lines = Lines(self.spawn("-p", *stream, *allowed))

    def send(self, prompt: str) -> None:
        self._lines.write({"type": "user", "message": {"role": "user", "content": prompt}})
        result = self._lines.until(lambda line: line.get("type") == "result")
        self.session = result["session_id"]

    def send_compact(self) -> None:
        self.send("/compact")

    def close(self) -> None:
        self._lines.close()


class CodexConversation(Conversation):
    """Codex, through its app server."""

    def __init__(self, client: Codex, **where: Any) -> None:
        super().__init__(client, **where)
        self._lines = Lines(self.spawn("app-server", *client.options(self.model)))

    def open(self) -> None:
        info = {"name": "tests", "title": "Tests", "version": "1"}
        self._lines.request("initialize", {"clientInfo": info})
        self._lines.write({"method": "initialized"})
        started = self._lines.request("thread/start", {"cwd": str(self.project)})
        self.session = started["thread"]["id"]

    def send(self, prompt: str) -> None:
        text = [{"type": "text", "text": prompt}]
        self._turn("turn/start", {"threadId": self.session, "input": text})

    def send_compact(self) -> None:
        self._turn("thread/compact/start", {"threadId": self.session})

    def _turn(self, method: str, params: Json) -> None:
        self._lines.request(method, params)
        self._lines.until(lambda line: line.get("method") == "turn/completed")

    def close(self) -> None:
        self._lines.close()


class CopilotConversation(Conversation):
    """Copilot CLI, through the agent client protocol."""

    def __init__(self, client: Client, **where: Any) -> None:
        super().__init__(client, **where)
        self._lines = Lines(self.spawn("--acp", "--allow-all-tools"))

    def open(self) -> None:
        self._lines.request("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        new = self._lines.request("session/new", {"cwd": str(self.project), "mcpServers": []})
        self.session = new["sessionId"]

    def send(self, prompt: str) -> None:
        text = [{"type": "text", "text": prompt}]
        self._lines.request("session/prompt", {"sessionId": self.session, "prompt": text})

    def send_compact(self) -> None:
        self.send("/compact")

    def close(self) -> None:
        self._lines.close()


class OpenCodeConversation(Conversation):
    """OpenCode, through its server."""

    def __init__(self, client: Client, **where: Any) -> None:
        super().__init__(client, **where)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._url = f"http://127.0.0.1:{port}"
        self._process = self.spawn("serve", "--port", str(port), stdin=subprocess.DEVNULL)

    def open(self) -> None:
        assert self._process.stdout is not None
        while self._url not in self._process.stdout.readline():
            if self._process.poll() is not None:
                raise EOFError("opencode serve ended")
        self.session = json.loads(self._post("/session", {}))["id"]

    def _post(self, path: str, body: Json) -> bytes:
        request = urllib.request.Request(
            f"{self._url}{path}", json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=RUN_SECONDS) as answer:
            found: bytes = answer.read()
        return found

    def send(self, prompt: str) -> None:
        parts = [{"type": "text", "text": prompt}]
        self._post(f"/session/{self.session}/message", {"parts": parts})

    def send_compact(self) -> None:
        which = {"providerID": "scripted", "modelID": "scripted"}
        self._post(f"/session/{self.session}/summarize", which)

    def close(self) -> None:
        self._process.terminate()
        _close(self._process)


class GeminiConversation(Conversation):
    """Gemini CLI on a terminal: its protocol mode leaves out the hooks of start and tools."""

    def __init__(self, client: Client, **where: Any) -> None:
        super().__init__(client, **where)
        # Modules that Windows has not.
        import pty
        import termios

        self._screen, inner = pty.openpty()
        termios.tcsetwinsize(inner, ROWS_AND_COLUMNS)
        streams = {"stdin": inner, "stdout": inner, "stderr": inner}
        self._process = self.spawn("-y", "-m", "gemini-2.5-flash", **streams)
        os.close(inner)

    def open(self) -> None:
        self._read_until(lambda shown: b"Type your message" in shown)

    def send(self, prompt: str) -> None:
        before = len(self.model.requests)
        # Pasted, since single keys such as ? and ! have a meaning of their own.
        os.write(self._screen, b"\x1b[200~" + prompt.encode() + b"\x1b[201~")
        self._read_until(lambda shown: prompt.split()[-1].encode() in shown)
        while len(self.model.requests) == before:
            # Enter that follows at once counts as part of what was pasted.
            time.sleep(TYPING_SECONDS)
            os.write(self._screen, b"\r")
            self._read_for(ENTER_SECONDS, lambda: len(self.model.requests) > before)
        self._read_until(lambda _: self.model.is_quiet(SETTLE_SECONDS))

    def send_compact(self) -> None:
        self.send("/compress")

    def _read_until(self, wanted: Callable[[bytes], bool]) -> None:
        shown = b""
        deadline = time.monotonic() + RUN_SECONDS
        while not wanted(shown):
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise EOFError(f"gemini did not go on: {shown[-500:]!r}")
            shown += self._read()

    def _read_for(self, seconds: float, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + seconds
        while not done() and time.monotonic() < deadline:
            self._read()

    def _read(self) -> bytes:
        is_there = select.select([self._screen], [], [], 0.1)[0]
        return os.read(self._screen, 65536) if is_there else b""

    def close(self) -> None:
        end_group(self._process.pid)
        self._process.wait()
        os.close(self._screen)


KINDS: dict[str, Callable[..., Conversation]] = {
    "claude": ClaudeConversation,
    "codex": CodexConversation,
    "gemini": GeminiConversation,
    "opencode": OpenCodeConversation,
    "copilot": CopilotConversation,
}


@contextmanager
def conversation(
    client: Client, *, home: Path, project: Path, model: ScriptedModel
) -> Iterator[Conversation]:
    """The client, open for several prompts in one session."""
    opened = KINDS[client.name](client, home=home, project=project, model=model)
    try:
        opened.open()
        yield opened
    finally:
        opened.close()
