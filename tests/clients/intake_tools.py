"""A intake over a real store, with somebody who always answers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from loremap.agent.intake.intake import EventIntake
from loremap.app import Lore
from loremap.app.lore import open_workspaces
from loremap.config.folders import folders
from loremap.interfaces.hooks.answered import answered
from loremap.memory.workspaces import Workspaces
from loremap.model.event import Event
from loremap.model.hook import HookEvent, Reply
from loremap.storage import events
from loremap.storage.tables import events as table

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


class Talker:
    """Answers each event, and keeps what it was asked."""

    def __init__(self) -> None:
        self.heard: list[HookEvent] = []
        self.expected: list[HookEvent] = []

    def expect(self, event: HookEvent) -> None:
        """Somebody is about to type."""
        self.expected.append(event)

    def undelivered(self, event: HookEvent) -> None:
        """Nobody heard it."""

    def handle(self, event: HookEvent) -> Reply:
        """Say something to whatever comes."""
        self.heard.append(event)
        return Reply(f"about {event.moment}", "")


class Desk:
    """A intake and what it keeps."""

    def __init__(self, workspaces: Workspaces[Lore]) -> None:
        self.workspaces = workspaces
        self.talker = Talker()
        self.intake = EventIntake(workspaces, self.talker)

    def hook(
        self,
        client: str,
        payload: Mapping[str, Any] | bytes,
        *,
        name: str | None = None,
        env: Mapping[str, str] | None = None,
        after_s: float = 0,
        ticket: str = "",
    ) -> bytes:
        """What a hook of `client` would print."""
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        at = NOW + timedelta(seconds=after_s)
        return answered(
            self.intake,
            client=client,
            name=name,
            payload=raw,
            env=env or {},
            now=at,
            ticket=ticket,
        ).text

    def kept(self) -> list[Event]:
        """Every event in the log."""
        with self.workspaces.engine.store.read() as conn:
            sessions = conn.execute(
                table.select().with_only_columns(table.c.session_id).distinct()
            ).scalars()
            return [one for session in sessions.all() for one in events.of_session(conn, session)]

    @property
    def home(self) -> Path:
        """The data folder."""
        return self.workspaces.places.home

    def said_on_disk(self, words: str) -> bool:
        """Whether any file of the data folder holds the words."""
        files = [path for path in self.home.rglob("*") if path.is_file()]
        assert files
        return any(words.encode() in path.read_bytes() for path in files)


@contextmanager
def desk_open() -> Iterator[Desk]:
    """A desk in the data folder that the environment names."""
    workspaces = open_workspaces(folders(), now=lambda: NOW)
    desk = Desk(workspaces)
    try:
        yield desk
    finally:
        desk.intake.close()
        workspaces.close()


def repository(folder: Path) -> Path:
    """An empty git repository."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def tool_use(folder: Path, use_id: str = "toolu_1", **fields: Any) -> dict[str, Any]:
    """What Claude Code sends after a command."""
    return {
        "session_id": "s1",
        "cwd": str(folder),
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_use_id": use_id,
        "tool_input": {"command": "make test", "description": "run the tests"},
        "tool_response": {"stdout": "ok", "stderr": "", "interrupted": False},
    } | fields
