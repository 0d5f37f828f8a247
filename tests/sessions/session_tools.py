"""Sessions as a client writes them down, a clock that a test sets, a reader for tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from loremap.app import Lore
from loremap.clients.hook_events import mark_of_call
from loremap.clients.payloads.tools import called
from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.finding import Finding
from loremap.model.hook import Moment
from loremap.model.kind import Kind
from loremap.model.session import Session
from loremap.model.turn import Speaker, Turn
from loremap.sessions.finishing import Known
from loremap.sessions.session_memory import SessionMemory
from loremap.storage import events, learning, sessions
from loremap.storage.learning import Unread

BEGAN = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


class Clock:
    """A clock that a test sets; it moves on by a millisecond with every look."""

    def __init__(self) -> None:
        self.at = BEGAN

    def __call__(self) -> datetime:
        self.at += timedelta(milliseconds=1)
        return self.at

    def go_on(self, **by: float) -> None:
        """Let time pass."""
        self.at += timedelta(**by)


def always(turns: Sequence[Turn], known: Known) -> list[Finding]:
    """A reader for tests: every sentence with “always” that a person typed and nobody told."""
    found = []
    for turn in turns:
        if turn.speaker is not Speaker.PERSON or "always" not in turn.text:
            continue
        if turn.text in known.injected:
            continue
        before = (one.content for one in known.stated)
        amends = next((one for one in before if one.split()[0] == turn.text.split()[0]), "")
        found.append(
            Finding(
                kind=Kind.CONVENTION,
                content=turn.text,
                quote=turn.text,
                said_by=Speaker.PERSON,
                first=turn.number,
                last=turn.number,
                at=turn.at,
                because="says always",
                amends=amends if amends != turn.text else "",
            )
        )
    return found


@dataclass
class Transcript:
    """A session of Claude Code in a file, as it writes it; and its events, as hooks tell them."""

    lore: Lore
    path: Path
    session_id: str = "s1"
    subagent_id: str | None = None
    lines: list[dict[str, Any]] = field(default_factory=list)

    def hands_on(self, task: str, *, role: str, to: str) -> Transcript:
        """The agent hands a task on; what its subagent does is written beside the session."""
        given = {"prompt": task, "subagent_type": role}
        self._called("Task", given, output="Launched.", fails=False)
        beside = self.path.with_suffix("") / "subagents"
        folder = beside if self.subagent_id is None else self.path.parent
        folder.mkdir(parents=True, exist_ok=True)
        inner = Transcript(self.lore, folder / f"agent-{to}.jsonl", self.session_id, to)
        inner._write("user", {"role": "user", "content": task})
        return inner

    def typed(self, text: str) -> None:
        """A person typed this."""
        self._write("user", {"role": "user", "content": text})
        self.logged(Moment.PROMPT, text=text)

    def typed_instead(self, text: str, *, of: str) -> None:
        """A person went back to a prompt and typed this instead of it."""
        self.typed(text)
        lines = [json.loads(line) for line in self.path.read_text().splitlines()]
        at = next(at for at, line in enumerate(lines) if line["message"]["content"] == of)
        parents = [None, *(f"u{number}" for number in range(len(lines) - 1))]
        parents[-1] = parents[at]
        told = [
            {**line, "uuid": f"u{number}", "parentUuid": parent}
            for number, (line, parent) in enumerate(zip(lines, parents, strict=True))
        ]
        self.path.write_text("".join(json.dumps(line) + "\n" for line in told))

    def said(self, text: str) -> None:
        """The agent said this."""
        block = {"type": "text", "text": text}
        self._write("assistant", {"role": "assistant", "content": [block]})
        self.logged(Moment.STOP)

    def ran(self, command: str, *, output: str = "", fails: bool = False) -> None:
        """The agent ran a command."""
        self._called("Bash", {"command": command}, output=output, fails=fails)

    def edited(
        self, path: str, *, new: str, old: str = "", output: str = "", ok: bool = True
    ) -> None:
        """The agent edited a file."""
        given = {"file_path": path, "old_string": old, "new_string": new}
        self._called("Edit", given, output=output, fails=not ok)

    def _called(self, name: str, given: dict[str, str], *, output: str, fails: bool) -> None:
        use_id = new_id()
        use = {"type": "tool_use", "id": use_id, "name": name, "input": given}
        self._write("assistant", {"role": "assistant", "content": [use]})
        result = {
            "type": "tool_result",
            "tool_use_id": use_id,
            "content": output,
            "is_error": fails,
        }
        self._write("user", {"role": "user", "content": [result]})
        self.logs_call(use_id, name, given, success=not fails, error=output if fails else "")

    def logs_call(self, use_id: str, name: str, given: dict[str, str], **more: Any) -> None:
        """The log alone tells of a call."""
        mark = mark_of_call(self.session_id, Moment.AFTER_TOOL, use_id)
        files = called(name, given).files
        told = {"tool": name, "parameters": json.dumps(given), "files": files, **more}
        self.logged(Moment.AFTER_TOOL, key=f"{mark}:{self.subagent_id or ''}", **told)

    def _write(self, kind: str, message: dict[str, Any]) -> None:
        at = self.lore.now().isoformat()
        told = {"sessionId": self.session_id, "isSidechain": self.subagent_id is not None}
        line = {"type": kind, "message": message, "timestamp": at, **told}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def logged(self, moment: Moment, **more: Any) -> None:
        """The log tells of this, as hooks do."""
        event = Event(
            id=new_id(),
            at=self.lore.now(),
            client="claude",
            moment=moment,
            session_id=self.session_id,
            project_id=self.lore.project_id,
            subagent_id=self.subagent_id,
            **more,
        )
        with self.lore.store.append() as conn:
            events.append(conn, [event])

    def repeats(self, parent: Transcript) -> None:
        """This is a fork: it begins with the lines of another, as Claude Code writes them."""
        lines = [json.loads(line) for line in parent.path.read_text().splitlines()]
        told = [{**line, "forkedFrom": {"sessionId": parent.session_id}} for line in lines]
        self.path.write_text("".join(json.dumps(line) + "\n" for line in told))

    def row(self, *, ended: bool = False, **more: Any) -> Session:
        """Write the session's row, as the memory agent does."""
        usual: dict[str, Any] = {
            "id": self.session_id,
            "client": "claude",
            "created_at": BEGAN,
            "project_id": self.lore.project_id,
            "transcript": str(self.path),
            "folder": str(self.lore.folder),
            "last_at": self.lore.now(),
            "ended_at": self.lore.now() if ended else None,
        }
        session = Session(**(usual | more))
        with self.lore.store.append() as conn:
            sessions.upsert(conn, session)
        return session


def unread(lore: Lore) -> list[Unread]:
    """The sessions in which something happened since they were read."""
    with lore.store.read() as conn:
        return learning.unread(conn, since=BEGAN - timedelta(days=1))


def memory_of(lore: Lore) -> SessionMemory:
    """The memory of sessions, with the reader for tests."""
    return SessionMemory(lore, always)
