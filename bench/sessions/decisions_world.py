"""A user's store and repository in which chats were held and commits made, asked as a hook asks."""

from __future__ import annotations

import shutil
import subprocess
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.sessions.decisions_data import Task
from bench.sessions.learning_transcripts import Json, written
from loremap.agent.session_agent import SessionAgent
from loremap.app.lore import open_workspaces
from loremap.config.folders import Folders, folders
from loremap.embedding.protocol import Embedder
from loremap.model.finding import Finding
from loremap.model.hook import Beginning, HookEvent, Moment
from loremap.model.session import Session
from loremap.model.turn import Turn
from loremap.sessions.finishing import Known
from loremap.sessions.learning.evidence import Weights
from loremap.sessions.learning.learn import findings_of
from loremap.sessions.session_memory import SessionMemory
from loremap.storage import sessions

CLIENT = "claude"
BEGAN = datetime(2026, 1, 5, 9, tzinfo=UTC)
NOW = BEGAN + timedelta(days=120)
INJECTED_TOKENS = 1_000
"""What of it the brief of a first prompt may take is 800."""
DEADLINE_MS = 5_000
"""This machine may be busy; how fast it is, others measure."""
BEFORE, DECIDED, BROKEN = "plain", "decided", "simplified"


class World:
    """One store, one repository."""

    def __init__(
        self,
        home: Path,
        repository: Path,
        embedder: Embedder | None,
        weights: Weights | None = None,
    ) -> None:
        self._home, self.repository, self._weights = home, repository, weights
        places = Folders(home=home, cache=folders().cache)
        self.workspaces = open_workspaces(places, now=lambda: NOW)
        engine = self.workspaces.engine
        engine.use_embedder(embedder)
        values = {"inject.tokens": INJECTED_TOKENS, "inject.deadline_ms": DEADLINE_MS}
        engine.settings = replace(engine.settings, values={**engine.settings.values, **values})
        self._agent = SessionAgent(self.workspaces)

    def close(self) -> None:
        """Let go of everything."""
        self._agent.close()
        self.workspaces.close()

    def begin(self) -> None:
        """As `lore init` does: the map, and what history teaches."""
        with self.workspaces.aside(self.repository) as lore:
            lore.init()
            lore.code.scan()
            lore.modules.refresh()
            lore.code.embed()
            lore.commits.learn()

    def talked(self, chat: Sequence[Json], day: int) -> int:
        """A chat was held in a session of its own, and is learned from; how much it taught."""
        name = uuid.uuid4().hex
        path = self._home / f"{name}.jsonl"
        began = BEGAN + timedelta(days=day)
        turns = [
            {**turn, "at": (began + timedelta(minutes=at)).isoformat()}
            for at, turn in enumerate(chat)
        ]
        written({"client": "claude-code", "turns": turns}, path)
        ended = began + timedelta(minutes=len(chat))
        with self.workspaces.aside(self.repository) as lore:
            row = Session(
                id=name,
                client=CLIENT,
                created_at=began,
                project_id=lore.project_id,
                transcript=str(path),
                folder=str(self.repository),
                last_at=ended,
                ended_at=ended,
            )
            with lore.store.append() as conn:
                sessions.upsert(conn, row)
            return len(SessionMemory(lore, self._read).learn(name).outcomes)

    def _read(self, turns: Sequence[Turn], known: Known) -> Sequence[Finding]:
        return findings_of(
            turns, known=known.stated, injected=known.injected, weights=self._weights
        )

    def committed(self, task: Task) -> int:
        """The commit that decided a task was made, then the one that broke it; how much they
        taught."""
        write(self.repository, task, BEFORE)
        git(self.repository, "commit", "--quiet", "--allow-empty", "--message", "wip")
        taught = 0
        for state, message in ((DECIDED, task.commit), (BROKEN, task.cause)):
            write(self.repository, task, state)
            git(self.repository, "commit", "--quiet", "--message", message)
            with self.workspaces.aside(self.repository) as lore:
                lore.code.scan()
                taught += len(lore.commits.learn().new)
        return taught

    def briefed(self, report: str) -> str:
        """What a new session is told at its first prompt."""
        session = uuid.uuid4().hex

        def event(moment: Moment, **more: Any) -> HookEvent:
            return HookEvent(
                client=CLIENT,
                name=moment.value,
                moment=moment,
                session_id=session,
                at=NOW,
                folder=self.repository,
                key=uuid.uuid4().hex,
                **more,
            )

        self._agent.handle(event(Moment.SESSION_START, beginning=Beginning.STARTUP))
        self._agent.settle()
        told = self._agent.handle(event(Moment.PROMPT, prompt=report)).context
        self._agent.settle()
        return told


def write(repository: Path, task: Task, state: str) -> None:
    """Leave the module of a task in a state, made where the host lacks it."""
    path = repository / task.module
    path.parent.mkdir(parents=True, exist_ok=True)
    name = task.function or "checked"
    marker = f"\n\ndef _{name}_rule(value):\n    return value.{{}}()\n"
    text = path.read_text("utf-8") if path.exists() else _module(task)
    for one in (BEFORE, DECIDED, BROKEN):
        text = text.replace(marker.format(one), "")
    path.write_text(text + marker.format(state), "utf-8")
    git(repository, "add", "--all")


def _module(task: Task) -> str:
    name = task.function or Path(task.module).stem
    return f"def {name}(value):\n    return _{task.function or 'checked'}_rule(value)\n"


def clone(host: Path, commit: str, place: Path) -> None:
    """The host repository at a commit, as its user has it."""
    subprocess.run(["git", "clone", "--quiet", str(host), str(place)], check=True)
    git(place, "checkout", "--quiet", "-B", "master", commit)
    git(place, "config", "user.name", "Dev")
    git(place, "config", "user.email", "dev@example.org")


def git(place: Path, *arguments: str) -> None:
    """Run git there."""
    subprocess.run(["git", "-C", str(place), *arguments], check=True, capture_output=True)


def restored(kept: Path, place: Path) -> None:
    """Make a folder what it was when it was kept."""
    if place.exists():
        shutil.rmtree(place)
    shutil.copytree(kept, place, symlinks=True)
