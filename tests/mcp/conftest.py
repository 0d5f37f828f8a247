"""A workspaces without a model, and a small project in it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from loremap.agent.session_agent import SessionAgent
from loremap.app import Lore
from loremap.app.lore import open_workspaces
from loremap.config.folders import folders
from loremap.memory.workspaces import Workspaces

LOGIN = '''"""Signing in."""


def check(password: str) -> bool:
    """Whether the password is right."""
    return bool(password)


def login(user: str, password: str) -> str:
    """A token for the user."""
    return user if check(password) else ""
'''
ROUTES = '''"""The pages."""

from auth.login import login


def page(user: str) -> str:
    """Sign the user in."""
    return login(user, "x")
'''


@pytest.fixture
def workspaces(home: Path) -> Iterator[Workspaces[Lore]]:
    """The engine of one user; hashed words stand for the model, which is not the matter here."""
    home.mkdir()
    (home / "config.toml").write_text('[embedding]\nprovider = "hashing"\n', "utf-8")
    workspaces = open_workspaces(folders())
    yield workspaces
    workspaces.close()


@pytest.fixture
def session_agent(workspaces: Workspaces[Lore]) -> Iterator[SessionAgent]:
    """The memory agent."""
    session_agent = SessionAgent(workspaces)
    yield session_agent
    session_agent.close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with two modules."""
    folder = tmp_path / "shop"
    for path, text in (
        ("auth/__init__.py", ""),
        ("auth/login.py", LOGIN),
        ("web/__init__.py", ""),
        ("web/routes.py", ROUTES),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    for arguments in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "1")):
        said = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(("git", *said, *arguments), cwd=folder, check=True, capture_output=True)
    return folder
