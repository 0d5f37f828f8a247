"""An installation to be attacked: a resident of its own with a memory, a token and an open port."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import secrets
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LORE = str(Path(sys.executable).with_name("lore"))
LORE_SECONDS = 60
READY_SECONDS = 60
VERSION = "2026-07-28"
OWN_NOTES = ("metrics",)
"""What the resident writes by itself, asked or not."""


@dataclass(frozen=True)
class Installation:
    """Where the resident lives, and what nobody else may know or do."""

    home: Path
    project: Path
    port: int
    environment: Mapping[str, str]
    secret: str
    """A word of its one memory."""

    def lore(self, *words: str) -> str:
        """All that `lore` says, run in the project."""
        done = subprocess.run(
            (LORE, *words),
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=LORE_SECONDS,
        )
        assert done.returncode == 0, f"lore {' '.join(words)}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def status(self) -> dict[str, Any]:
        """What the resident says of itself."""
        return dict(json.loads(self.lore("service", "status", "--json")))

    @property
    def token(self) -> str:
        """The token that HTTP clients send."""
        return (self.home / "run" / "token").read_text("ascii")

    def rows(self) -> dict[str, list[tuple[object, ...]]]:
        """Every row of the store but what the resident notes by itself."""
        named = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
        store = sqlite3.connect(f"file:{self.home / 'lore.db'}?mode=ro", uri=True)
        with contextlib.closing(store):
            return {
                name: sorted(store.execute(f'SELECT * FROM "{name}"'), key=repr)
                for (name,) in store.execute(named).fetchall()
                if name not in OWN_NOTES
            }

    def ask(
        self, port: int, message: Mapping[str, object], headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """How a plain client of this user, with the right name and the token, is answered."""
        usual = {
            "Host": f"localhost:{port}",
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": str(message["method"]),
            "X-Loremap-Folder": str(self.project),
        }
        params = message.get("params")
        if isinstance(params, dict) and "name" in params:
            usual["Mcp-Name"] = str(params["name"])
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        line.request("POST", "/mcp", json.dumps(message), usual | dict(headers or {}))
        answer = line.getresponse()
        said = answer.status, answer.read()
        line.close()
        return said


def calling(tool: str, **arguments: object) -> dict[str, object]:
    """One request, in the version that needs no session, that calls a tool."""
    prefix = "io.modelcontextprotocol/"
    meta = {
        f"{prefix}protocolVersion": VERSION,
        f"{prefix}clientInfo": {"name": "probe", "version": "1"},
        f"{prefix}clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


@contextmanager
def lived_in(root: Path, *, encrypted: bool) -> Iterator[Installation]:
    """An installation below `root`, warm, with its port open; its resident ends with it."""
    home, project, port = root / "home", root / "shop", _free_port()
    home.mkdir(mode=0o700)
    project.mkdir()
    subprocess.run(("git", "init", "-q"), cwd=project, check=True)
    (home / "config.toml").write_text(f"[service]\nhttp_port = {port}\n", encoding="utf-8")
    installation = Installation(
        home, project, port, _environment(root), f"vault-{secrets.token_hex(8)}"
    )
    installation.lore("init", "--encrypt" if encrypted else "--no-encrypt", "--keep", "none")
    installation.lore("remember", f"The door of the {installation.secret} opens at dawn")
    try:
        installation.lore("service", "start")
        _wait_until_warm(installation)
        yield installation
    finally:
        installation.lore("service", "stop")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def _environment(root: Path) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("LOREMAP_") or name == "LOREMAP_CACHE"
    }
    return kept | {
        "LOREMAP_HOME": str(root / "home"),
        "LOREMAP_KEYS": str(root / "keys"),
        "LOREMAP_IDLE_SECONDS": "120",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }


def _wait_until_warm(installation: Installation) -> None:
    until = time.monotonic() + READY_SECONDS
    while (
        not (installation.home / "run" / "token").exists()
        or installation.status()["model"] == "loading"
    ):
        assert time.monotonic() < until, "the resident does not open its port"
        time.sleep(0.2)
