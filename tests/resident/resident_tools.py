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


def wait_for(found: Callable[[], object], *, seconds: float = 10.0) -> None:
    """Wait until something is true; fail where it does not become so."""
    until = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)
