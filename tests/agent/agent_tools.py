"""A session as the memory agent meets it: a repository, the store, and what happens in turn."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from loremap.agent.session_agent import SessionAgent
from loremap.app.lore import Lore, open_workspaces
from loremap.config.folders import folders
from loremap.model.hook import Beginning, FileUse, HookEvent, Moment, Operation, Reply, ToolCall
from loremap.model.memory import Memory, Trigger
from loremap.model.outcome import Stored
from loremap.model.session import Injection, Session
from loremap.storage import injections, sessions

FILES = {
    "src/auth/__init__.py": '"""Logs customers in and keeps them logged in."""\n',
    "src/auth/tokens.py": '"""Access and refresh tokens."""\n\n\nclass Tokens:\n'
    "    def refresh(self, token):\n        return token\n",
    "src/auth/sessions.py": '"""Sessions of customers, kept in Redis."""\nimport redis\n'
    "from auth.tokens import Tokens\n\n\ndef stay(customer):\n"
    "    return Tokens().refresh(redis.Redis().get(customer))\n",
    "src/store/__init__.py": '"""Carts and prices."""\n',
    "src/store/cart.py": '"""The cart of a customer."""\nfrom auth.sessions import stay\n\n\n'
    "class Cart:\n    def total(self):\n        return stay(self)\n",
    "tests/test_tokens.py": "from auth.tokens import Tokens\n",
    "pyproject.toml": '[project]\nname = "shop"\n',
}


def shop_in(folder: Path) -> Path:
    """A small repository with two modules."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git = ("git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org")
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "The shop")):
        subprocess.run([*git, *arguments], check=True)
    return folder


class Clock:
    """A clock that a test sets; it moves on by a millisecond with every look."""

    def __init__(self) -> None:
        self.at = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.at += timedelta(milliseconds=1)
        return self.at


class Scene:
    """One user's memory, a repository and the agent's sessions in it."""

    def __init__(self, home: Path, folder: Path, **session_agent: Any) -> None:
        self.home, self.folder = home, folder
        self.clock = Clock()
        self._given = session_agent
        self.workspaces = open_workspaces(folders(), now=self.clock)
        self.session_agent = self._open(session_agent)
        self.numbers = itertools.count()

    def _open(self, session_agent: dict[str, Any]) -> SessionAgent:
        self.workspaces.engine.slot.embedder()
        self.set("inject.deadline_ms", 5_000)  # this machine may be busy
        made = SessionAgent(self.workspaces, **session_agent)
        made.caught = self._fail
        return made

    @staticmethod
    def _fail(where: str, fault: BaseException) -> None:
        raise AssertionError(where) from fault

    def close(self) -> None:
        """Let go of everything."""
        self.session_agent.close()
        self.workspaces.close()

    def restart(self, **session_agent: Any) -> None:
        """End the resident and start another."""
        self.close()
        self.workspaces = open_workspaces(folders(), now=self.clock)
        self.session_agent = self._open(session_agent or self._given)

    def set(self, name: str, value: Any) -> None:
        """Set a setting."""
        engine = self.workspaces.engine
        engine.settings = replace(engine.settings, values={**engine.settings.values, name: value})

    def scan(self) -> None:
        """Read the code and make the map, as the resident does behind the hooks."""
        with self.workspaces.at(self.folder) as lore:
            lore.init()
            lore.code.scan()
            lore.modules.map()

    def remember(self, text: str, **how: Any) -> Memory:
        """A memory that a person states."""
        with self.workspaces.at(self.folder) as lore:
            return self._stored(lore, text, how)

    def _stored(self, lore: Lore, text: str, how: dict[str, Any]) -> Memory:
        outcome = lore.remember(text, **how)
        assert isinstance(outcome, Stored), outcome
        return outcome.memory

    def warn(self, text: str, pattern: str, **how: Any) -> Memory:
        """A warning that fires on a command."""
        trigger = Trigger("literal", pattern, "command")
        return self.remember(text, kind="warning", triggers=[trigger], **how)

    # What happens

    def event(self, moment: Moment, **more: Any) -> HookEvent:
        """An event of a session; what is not said is usual."""
        usual: dict[str, Any] = {
            "client": "claude",
            "name": moment.value,
            "moment": moment,
            "session_id": "s1",
            "at": self.clock(),
            "folder": self.folder,
            "key": str(next(self.numbers)),
        }
        return HookEvent(**(usual | more))

    def happens(self, moment: Moment, **more: Any) -> Reply:
        """What is answered to an event, once all that it brings along is done."""
        reply = self.session_agent.handle(self.event(moment, **more))
        assert self.session_agent.settle()
        return reply

    def start(self, beginning: Beginning = Beginning.STARTUP, **more: Any) -> str:
        """What a session is told at its start."""
        return self.happens(Moment.SESSION_START, beginning=beginning, **more).context

    def prompt(self, text: str, **more: Any) -> str:
        """What a session is told at a prompt."""
        return self.happens(Moment.PROMPT, prompt=text, **more).context

    def before(self, command: str, *, use_id: str = "t1", **more: Any) -> str:
        """What a session is told before a command."""
        tool = ToolCall(name="Bash", use_id=use_id, command=command)
        return self.happens(Moment.BEFORE_TOOL, tool=tool, **more).context

    def after(self, command: str, *, use_id: str = "t1", **more: Any) -> str:
        """What a session is told with a command's result."""
        tool = ToolCall(name="Bash", use_id=use_id, command=command, success=True)
        return self.happens(Moment.AFTER_TOOL, tool=tool, **more).context

    def editing(self, path: str, text: str, **more: Any) -> str:
        """What a session is told before it writes a file."""
        use = FileUse(path=path, operation=Operation.EDIT)
        tool = ToolCall(name="Edit", use_id="e1", files=(use,), text=text)
        return self.happens(Moment.BEFORE_TOOL, tool=tool, **more).context

    # What is kept

    def session(self, id_: str = "s1") -> Session | None:
        """The session's row."""
        with self.workspaces.engine.store.read() as conn:
            return sessions.find(conn, id_)

    def injected(self, id_: str = "s1") -> Sequence[Injection]:
        """The session's rows of what was given."""
        with self.workspaces.engine.store.read() as conn:
            return injections.since(conn, id_, None)
