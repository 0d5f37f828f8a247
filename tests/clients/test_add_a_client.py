"""A client is added by a file of its own and a line in the registry: an invented one is, to a copy
of the package, and the program speaks with it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import loremap

ACME = '''"""Acme: its own names for everything."""

from loremap.clients.client import Client, Form, Settings
from loremap.clients.payloads.adapter import Adapter
from loremap.clients.replies import CONTEXT, NOTICE
from loremap.clients.settings.json_values import flat_hooks
from loremap.clients.settings.servers import JsonServer
from loremap.clients.transcripts.record import Record, Role, Transcript
from loremap.model.hook import Moment

EVENTS = {"session_start": 9, "pre_user_prompt": 4}


def _edits(site):
    folder = site.user / ".acme"
    handlers = {
        event: {"command": site.hook("acme", event), "wait": seconds}
        for event, seconds in EVENTS.items()
    }
    server = JsonServer(folder / "servers.json", ("servers", "loremap"), site.server("acme"))
    return (flat_hooks(folder / "hooks.json", handlers), server)


def _records(line):
    yield Record(role=Role.AGENT if line["by"] == "acme" else Role.USER, text=line["words"])


CLIENT = Client(
    name="acme",
    title="Acme",
    experimental=True,
    settings=Settings(
        programs=("acme",), folders=lambda site: (site.user / ".acme",), edits=_edits
    ),
    events=EVENTS,
    payloads=Adapter(event=("what",), session=("talk",), prompt=("asked",), transcript=("log",)),
    transcript=Transcript(records=_records),
    reply={CONTEXT: {"tell": {"model": CONTEXT}}, NOTICE: {"tell": {"user": NOTICE}}},
    silence=b"null",
    form=Form.MARKDOWN,
    takes=frozenset({Moment.PROMPT}),
)
'''
EVENT = """
import json, sys
from datetime import UTC, datetime
from pathlib import Path
from loremap.clients.hook_events import hook_event
from loremap.clients.surroundings import surrounded
from loremap.clients.transcript import records
from loremap.interfaces.hooks.answers import dressed, nothing
from loremap.model.hook import Moment, Reply

folder = sys.argv[1]
log = Path(folder, "talk.jsonl")
log.write_text('{"by": "you", "words": "hello"}\\n{"by": "acme", "words": "good day"}\\n')
sent = {"what": "pre_user_prompt", "talk": "t-7", "asked": "ship it", "cwd": folder}
sent["log"] = str(log)
now = datetime(2026, 1, 1, tzinfo=UTC)
event = hook_event(json.dumps(sent).encode(), client="acme", name=None, env={}, now=now)
event = surrounded(event)
reply = Reply("known", "seen")
print(json.dumps({
    "event": [event.client, event.moment, event.session_id, event.prompt],
    "said": [[one.role, one.text] for one in records(log, "acme")],
    "answers": [
        dressed(reply, client="acme", name=event.name, moment=moment).decode()
        for moment in (Moment.PROMPT, Moment.STOP)
    ],
    "nothing": nothing("acme").decode(),
}))
"""


class Copy:
    """A copy of the package, run by itself for a user without any client."""

    def __init__(self, folder: Path) -> None:
        self.user, self.source = folder / "user", folder / "source"
        self.user.mkdir()
        shutil.copytree(
            Path(loremap.__file__).parent,
            self.source / "loremap",
            ignore=shutil.ignore_patterns("__pycache__"),
        )

    def add(self) -> None:
        """Add the client: one file, one line."""
        clients = self.source / "loremap" / "clients"
        (clients / "acme.py").write_text(ACME)
        registry = clients / "registry.py"
        before = registry.read_text("utf-8")
        registry.write_text(before.replace('    "zed",\n', '    "zed",\n    "acme",\n'), "utf-8")

    def ran(self, *words: str) -> str:
        """What Python prints."""
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        env = {
            **kept,
            "HOME": str(self.user),
            "USERPROFILE": str(self.user),
            "LOREMAP_HOME": str(self.user / "lore"),
            "PYTHONPATH": str(self.source),
        }
        ran = subprocess.run(
            [sys.executable, *words],
            capture_output=True,
            text=True,
            env=env,
            cwd=self.user,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def lore(self, *words: str) -> Any:
        """What `lore` says, for a program."""
        return json.loads(self.ran("-m", "loremap", *words, "--json"))


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """A copy to which the client was added."""
    made = Copy(tmp_path)
    made.add()
    return made


def test_its_events_and_transcripts_are_read_and_it_is_answered_in_its_form(copy: Copy) -> None:
    told = json.loads(copy.ran("-c", EVENT, str(copy.user)))
    assert told["event"] == ["acme", "prompt", "t-7", "ship it"]
    assert told["said"] == [["user", "hello"], ["agent", "good day"]]
    assert [json.loads(each) for each in told["answers"]] == [
        {"tell": {"model": "known", "user": "seen"}},
        {"tell": {"user": "seen"}},  # it passes nothing on to the model there
    ]
    assert told["nothing"] == "null"


def test_it_is_listed_connected_and_disconnected(copy: Copy) -> None:
    (copy.user / ".acme").mkdir()
    row = {"client": "acme", "experimental": True, "found": True, "connected": False}
    assert copy.lore("connect")["clients"][-1] == {**row, "projects": []}
    assert "acme      found  experimental: never run by our tests" in copy.ran(
        "-m", "loremap", "connect"
    )
    done = copy.lore("connect", "acme", "--yes")["clients"][0]
    assert (done["client"], done["experimental"], done["changed"]) == ("acme", True, True)
    hooks = json.loads((copy.user / ".acme/hooks.json").read_text())["hooks"]
    assert [handlers[0]["wait"] for handlers in hooks.values()] == [9, 4]
    assert hooks["session_start"][0]["command"].endswith("lore-agent hook acme session_start")
    servers = json.loads((copy.user / ".acme/servers.json").read_text())["servers"]
    assert servers["loremap"]["args"] == ["mcp", "acme"]
    assert copy.lore("connect")["clients"][-1]["connected"] is True
    copy.lore("disconnect", "acme", "--yes")
    assert list((copy.user / ".acme").iterdir()) == []
