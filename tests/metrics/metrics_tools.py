"""Sessions as the store holds them, written the way the service writes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from loremap.app.lore import Lore
from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.hook import FileUse, Moment, Operation
from loremap.model.session import Injection, Session, Tier
from loremap.storage import events, injections, sessions

BEGAN = datetime(2026, 11, 1, 9, tzinfo=UTC)


def minute(number: float) -> datetime:
    """So many minutes after everything began."""
    return BEGAN + timedelta(minutes=number)


@dataclass
class Written:
    """One session that is being told; each call takes a minute."""

    lore: Lore
    id: str
    began: datetime = BEGAN
    held_out: bool = False
    always_on: str = ""
    _passed: int = 0
    events: list[Event] = field(default_factory=list)
    given: list[Injection] = field(default_factory=list)

    def at(self) -> datetime:
        """The next minute of it."""
        self._passed += 1
        return self.began + timedelta(minutes=self._passed)

    def prompt(self, text: str) -> Written:
        """The person says something."""
        return self._told(Moment.PROMPT, text=text)

    def grep(self, result: str, *, tokens: int | None = None) -> Written:
        """The agent searches."""
        return self._told(Moment.AFTER_TOOL, tool="Grep", result=result, result_tokens=tokens)

    def run(self, command: str, result: str = "") -> Written:
        """The agent runs a command."""
        parameters = json.dumps({"command": command})
        return self._told(Moment.AFTER_TOOL, tool="Bash", parameters=parameters, result=result)

    def read(self, path: str, *, result: str = "") -> Written:
        """The agent reads a file."""
        use = FileUse(path=path, operation=Operation.READ)
        return self._told(Moment.AFTER_TOOL, tool="Read", files=(use,), result=result)

    def edit(self, path: str) -> Written:
        """The agent edits a file."""
        use = FileUse(path=path, operation=Operation.EDIT)
        return self._told(Moment.AFTER_TOOL, tool="Edit", files=(use,))

    def inject(
        self,
        *memory_ids: str | None,
        tier: Tier = Tier.TASK,
        why: str = "words fit",
        tokens: int = 30,
        used: bool = False,
    ) -> Written:
        """Memory puts something in, all at one moment."""
        at = self.at()
        for memory_id in memory_ids:
            self.given.append(
                Injection(
                    id=new_id(),
                    at=at,
                    session_id=self.id,
                    project_id=self.lore.project_id,
                    client="claude",
                    moment="prompt",
                    tier=tier,
                    memory_id=memory_id,
                    tokens=tokens,
                    why=why,
                    score=0.5,
                    referenced_at=at if used else None,
                )
            )
        return self

    def end(self) -> None:
        """Write all of it down."""
        session = Session(
            id=self.id,
            client="claude",
            created_at=self.began,
            project_id=self.lore.project_id,
            held_out=self.held_out,
            always_on=self.always_on,
        )
        with self.lore.store.append() as conn:
            sessions.upsert(conn, session)
            events.append(conn, self.events)
            injections.put(conn, self.given)

    def _told(self, moment: Moment, **fields: object) -> Written:
        id_ = new_id()
        self.events.append(
            Event(
                id=id_,
                key=id_,
                at=self.at(),
                client="claude",
                moment=moment,
                session_id=self.id,
                project_id=self.lore.project_id,
                **fields,  # type: ignore[arg-type]
            )
        )
        return self


def without_memory(lore: Lore, count: int, *, held_out: bool, tokens: int = 600) -> Sequence[str]:
    """So many sessions that had to search: one search, then two files."""
    ids = [f"{'held' if held_out else 'bare'}-{number}" for number in range(count)]
    for id_ in ids:
        session = Written(lore, id_, held_out=held_out)
        session.grep("src/a.py:1 src/b.py:2", tokens=tokens).read("src/a.py").read("src/b.py").end()
    return ids
