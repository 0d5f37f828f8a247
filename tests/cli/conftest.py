"""A repository to stand in and `lore` to run there."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cli_tools import Cli, repository_in

from loremap import app
from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.hook import FileUse, Moment, Operation
from loremap.model.session import Session
from loremap.storage import events, sessions

PROMPT = "fix the login timeout in the auth service"


@pytest.fixture
def shop(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, with the environment of a user who speaks for themselves."""
    for name in ("LOREMAP_SESSION", "LOREMAP_AGENT", "LOREMAP_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    return repository_in(tmp_path / "shop")


@pytest.fixture
def words_only(home: Path) -> None:
    """A user who chose no model, for what has nothing to do with vectors."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')


@pytest.fixture
def no_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who has no coding agent to connect."""
    user = tmp_path / "user"
    user.mkdir()
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("PATH", os.pathsep.join(["/usr/bin", "/bin"]))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def cli(shop: Path, words_only: None) -> Cli:
    """`lore` in the repository, by words alone."""
    return Cli(shop)


@pytest.fixture
def full(shop: Path) -> Cli:
    """`lore` in the repository, with the real model."""
    return Cli(shop)


@pytest.fixture
def worked(cli: Cli) -> Cli:
    """A project in which an agent has fixed something."""
    with app.open(cli.folder) as lore:
        lore.init()
        at = datetime.now(UTC) - timedelta(hours=2)
        session = Session(
            id="session-one",
            client="claude",
            created_at=at,
            project_id=lore.project_id,
            folder=str(cli.folder),
            ended_at=at + timedelta(minutes=9),
            branch="main",
        )

        def event(minute: int, moment: Moment, **more: object) -> Event:
            return Event(
                id=new_id(),
                at=at + timedelta(minutes=minute),
                client="claude",
                moment=moment,
                session_id=session.id,
                project_id=lore.project_id,
                **more,  # type: ignore[arg-type]
            )

        def edit(minute: int, path: str) -> Event:
            use = FileUse(path=path, operation=Operation.EDIT, lines=(3, 9), changed="+1: timeout")
            return event(minute, Moment.AFTER_TOOL, tool="Edit", success=True, files=(use,))

        run = {"tool": "Bash", "success": True, "parameters": '{"command": "make test"}'}
        made = [
            event(0, Moment.PROMPT, text=PROMPT),
            *(edit(minute, path) for minute in (1, 2, 3) for path in ("auth.py", "store.py")),
            event(5, Moment.AFTER_TOOL, duration_ms=40, **run),
        ]
        with lore.store.append() as conn:
            sessions.upsert(conn, session)
            events.append(conn, made)
        lore.sessions.learn(session.id)
    return cli
