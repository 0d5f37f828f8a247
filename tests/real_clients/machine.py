"""A throw-away machine: a home, a small project, a scripted model, and Loremap's own command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from conversations import Conversation, conversation
from dialects import Json
from models import ScriptedModel

from clients import Client, Run

LORE_SECONDS = 60
BEGINNING = (
    ("init", "--no-encrypt", "--keep", "none"),
    ("config", "set", "inject.deadline_ms", "2000"),  # this machine may be busy
)


@dataclass(frozen=True)
class Machine:
    """Where one user works with several clients."""

    home: Path
    project: Path
    model: ScriptedModel
    data: Path
    shelf: Path

    def begin(self, *told: tuple[str, ...]) -> None:
        """A data folder in which nothing but these commands was run. The first test that wants it
        runs them, and the others have a copy."""
        kept = self.shelf / sha256(repr(told).encode()).hexdigest()
        shutil.rmtree(self.data, ignore_errors=True)
        if kept.exists():
            shutil.copytree(kept, self.data)
            return
        for command in (*BEGINNING, *told, ("service", "stop")):
            self.lore(*command)
        shutil.copytree(self.data, kept)

    def lore(self, *arguments: str, client: Client | None = None) -> str:
        """What `lore` prints, run in the project and in the environment a client would have."""
        environment = {**os.environ, "HOME": str(self.home), "USERPROFILE": str(self.home)}
        if client is not None:
            environment |= client.environment(self.home, self.model)
        done = subprocess.run(
            (str(Path(sys.executable).with_name("lore")), *arguments),
            cwd=self.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=LORE_SECONDS,
        )
        assert done.returncode == 0, f"lore {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout

    def connect(self, client: Client) -> None:
        """Connects a client for the user, as somebody who agrees to all that is asked."""
        client.prepare(self.home, self.model)
        self.lore("connect", client.name, "--yes", "--trust", client=client)

    def start_resident(self) -> None:
        """Starts the resident, as else the first event of a client does."""
        self.lore("service", "start")

    def wait_until_warm(self) -> None:
        """Waits until the resident has loaded all that it loads."""
        deadline = time.monotonic() + LORE_SECONDS
        while not _is_warm(json.loads(self.lore("service", "status", "--json"))):
            assert time.monotonic() < deadline, "the resident does not become ready"
            time.sleep(0.5)

    def disconnect(self, client: Client) -> None:
        """Takes everything of ours out of a client."""
        self.lore("disconnect", client.name, "--yes", client=client)

    def run(self, client: Client, prompt: str, *, resume: str | None = None) -> Run:
        """One prompt in a process of its own."""
        return client.run(
            prompt, home=self.home, project=self.project, model=self.model, resume=resume
        )

    def call(self, client: Client, slash: str, typed: str) -> Run:
        """One slash command in a process of its own."""
        return client.call(slash, typed, home=self.home, project=self.project, model=self.model)

    def talk(self, client: Client) -> AbstractContextManager[Conversation]:
        """A session for several prompts."""
        return conversation(client, home=self.home, project=self.project, model=self.model)


def _is_warm(status: Json) -> bool:
    return bool(status.get("speaks_mcp")) and status["model"] != "loading"
