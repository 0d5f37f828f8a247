"""Runs the hook client as an agent does, and waits for what it brings about."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loremap.interfaces.hooks import client as hook_client
from loremap.interfaces.resident.places import run_folder

ENTER = Path(hook_client.__file__).with_name("enter.py")


class Hook:
    """Runs the hook client as an agent does."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(
        self,
        payload: bytes | dict[str, object] = b"{}",
        *words: str,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        started = time.perf_counter()
        done = subprocess.run(
            [*self.line, "hook", *(words or ("claude", "UserPromptSubmit"))],
            input=data,
            capture_output=True,
            env=env,
            cwd=cwd,
            timeout=20,
            check=False,
        )
        return Ran(done, (time.perf_counter() - started) * 1_000)

    @property
    def line(self) -> list[str]:
        """The command line up to its words."""
        run = str(run_folder(self.home).path)
        return [sys.executable, "-I", "-S", str(ENTER), "--home", str(self.home), "--run", run]

    def spooled(self) -> list[dict[str, object]]:
        """The references that hooks left, oldest first."""
        files = sorted((self.home / "spool").glob("*.json"))
        return [json.loads(file.read_text()) for file in files]


class Ran:
    """How a hook ended."""

    def __init__(self, done: subprocess.CompletedProcess[bytes], ms: float) -> None:
        self.code, self.out, self.errors, self.ms = done.returncode, done.stdout, done.stderr, ms


class Session:
    """An agent that speaks with its MCP server."""

    def __init__(self, line: list[str]) -> None:
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._heard: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._ear = threading.Thread(target=self._listen, daemon=True)
        self._ear.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._heard.put(json.loads(line))

    def say(self, **message: Any) -> None:
        """Send one message."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def heard(self, *, seconds: float = 15.0) -> dict[str, Any]:
        """The next message."""
        return self._heard.get(timeout=seconds)

    def is_silent(self) -> bool:
        """Whether nothing more was said."""
        return self._heard.empty()

    def close(self) -> None:
        """End the session as an agent does."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(10)
        self._ear.join(5)
        assert self.process.stdout is not None
        self.process.stdout.close()
        assert code == 0


class Client:
    """A session of an agent: it writes its transcript, where it is Claude Code, then calls its
    hooks."""

    def __init__(
        self, hook: Hook, project: Path, path: Path, session_id: str, client: str = "claude"
    ) -> None:
        self.hook, self.project, self.path, self.id = hook, project, path, session_id
        self.client, self.number = client, 0

    def happens(self, event: str, **more: Any) -> dict[str, Any]:
        """What the hook of an event answers."""
        payload = {
            "session_id": self.id,
            "cwd": str(self.project),
            "hook_event_name": event,
            **({"transcript_path": str(self.path)} if self.client == "claude" else {}),
            **more,
        }
        ran = self.hook(payload, self.client, event)
        assert ran.code == 0, ran.errors
        return dict(json.loads(ran.out)) if ran.out.strip() else {}

    def asks(self, text: str) -> str:
        """What the session is told at a prompt."""
        told = self.happens("UserPromptSubmit", prompt=text)
        return str(told.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def writes(self, kind: str, content: object) -> None:
        """Add a line to the transcript."""
        self.number += 1
        line = {
            "type": kind,
            "message": {"role": kind, "content": content},
            "timestamp": f"2026-05-04T09:00:{self.number:02d}Z",
            "sessionId": self.id,
        }
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def types(self, text: str) -> None:
        """A person types this."""
        self.writes("user", text)
        self.happens("UserPromptSubmit", prompt=text)

    def edits(self, path: Path) -> None:
        """The agent changes a file."""
        use_id = f"e{self.number}"
        given = {"file_path": str(path), "old_string": "0.0", "new_string": "0"}
        self.writes(
            "assistant", [{"type": "tool_use", "id": use_id, "name": "Edit", "input": given}]
        )
        self.writes("user", [{"type": "tool_result", "tool_use_id": use_id, "content": "ok"}])
        self.happens(
            "PostToolUse",
            tool_name="Edit",
            tool_use_id=use_id,
            tool_input=given,
            tool_response="ok",
        )

    def runs(self, command: str, output: str, *, fails: bool = False) -> str:
        """The agent runs a command; what it is told with the result."""
        use_id = f"r{self.number}"
        given = {"command": command}
        said = f"Exit code 1\n{output}" if fails else output
        used = {"type": "tool_use", "id": use_id, "name": "Bash", "input": given}
        result = {"type": "tool_result", "tool_use_id": use_id, "content": said}
        self.writes("assistant", [used])
        self.writes("user", [{**result, "is_error": fails}])
        told = self.happens(
            "PostToolUseFailure" if fails else "PostToolUse",
            tool_name="Bash",
            tool_use_id=use_id,
            tool_input=given,
            **({"error": said} if fails else {"tool_response": said}),
        )
        return str(told.get("hookSpecificOutput", {}).get("additionalContext", ""))


def wait_for(found: Callable[[], object], *, seconds: float = 10.0) -> None:
    """Wait until something is true; fail where it does not become so."""
    until = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)
