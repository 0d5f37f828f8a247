"""Sessions of the past, gone through once more with the memory agent: what it would have told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from loremap.agent.session_agent import SessionAgent
from loremap.clients.registry import client_named
from loremap.config.settings import Settings
from loremap.memory.brief.render import Piece
from loremap.memory.workspace import Workspace
from loremap.memory.workspaces import Workspaces
from loremap.model.hook import Beginning, HookEvent, Moment, ToolCall
from loremap.model.session import Tier
from loremap.model.turn import Speaker, Turn

PATIENT_MS = 60_000
"""Nobody waits here: what would have come too late in the session counts as come in time."""
STEP = timedelta(milliseconds=1)


class PastClock:
    """A clock that stands where the session is."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> datetime:
        self.at += STEP
        return self.at

    def go_on(self, at: datetime | None) -> None:
        """Go on to a time; never back, and nowhere where it is not known."""
        if at is not None and at > self.at:
            self.at = at


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What would have been said to a session at one of its turns."""

    turn: int
    tier: Tier
    """Why: the block of a session, what a task asks for, or a line about a call."""
    text: str
    pieces: tuple[Piece, ...] = ()
    holds: bool = False
    """Whether a call would have been held back once."""

    @property
    def memories(self) -> tuple[str, ...]:
        """The ids of the memories told."""
        return tuple(one.memory_id for one in self.pieces if one.memory_id is not None)


def patient(settings: Settings) -> Settings:
    """The settings under which sessions are gone through: each is answered, however long that
    takes."""
    changed = {"inject.deadline_ms": PATIENT_MS, "metrics.hold_out": 0.0}
    return Settings({**settings.values, **changed}, settings.file)


class Rehearsal:
    """The memory agent in a folder. Its sessions are incognito: nothing is kept of them."""

    def __init__(
        self,
        workspaces: Workspaces[Workspace],
        clock: PastClock,
        folder: Path,
        *,
        failed: Callable[[str, BaseException], None],
    ) -> None:
        self._clock = clock
        self._folder = folder
        self._agent = SessionAgent(workspaces)
        self._agent.caught = failed

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._agent.close()

    def told(self, turns: Sequence[Turn], *, client: str, session_id: str) -> list[Told]:
        """What a session would have been told, from its start through its turns."""
        stage = _Stage(self._clock, self._folder, client, session_id)
        beginning = replace(stage.event(Moment.SESSION_START), beginning=Beginning.STARTUP)
        events = [(0, beginning), *stage.events(turns)]
        return [told for turn, event in events for told in self._told(turn, event)]

    def _told(self, turn: int, event: HookEvent) -> Iterator[Told]:
        self._clock.go_on(event.at)
        reply = self._agent.handle(event)
        for part in self._agent.parts_of(event) if reply else ():
            yield Told(
                turn=turn,
                tier=part.tier,
                text=part.text,
                pieces=part.pieces,
                holds=bool(reply.hold),
            )


@dataclass(frozen=True, slots=True)
class _Stage:
    clock: PastClock
    folder: Path
    client: str
    session_id: str

    def event(self, moment: Moment, turn: Turn | None = None) -> HookEvent:
        number = -1 if turn is None else turn.number
        at = None if turn is None else turn.at
        return HookEvent(
            client=self.client,
            name=moment.value,
            moment=moment,
            session_id=self.session_id,
            at=self.clock.at if at is None else max(at, self.clock.at),
            folder=self.folder,
            incognito=True,
            key=f"replay:{self.session_id}:{number}:{moment}",
        )

    def events(self, turns: Sequence[Turn]) -> Iterator[tuple[int, HookEvent]]:
        takes_prompts = Moment.PROMPT in client_named(self.client).takes
        prompt = ""  # typed, and told with the first tool where a client takes nothing before it
        for turn in turns:
            if turn.in_subagent:
                continue
            if turn.speaker is Speaker.PERSON and takes_prompts:
                yield turn.number, replace(self.event(Moment.PROMPT, turn), prompt=turn.text)
            elif turn.speaker is Speaker.PERSON:
                prompt = turn.text
            elif turn.call is not None:
                for event in self._of_call(turn, turn.call, prompt):
                    yield turn.number, event
                prompt = ""

    def _of_call(self, turn: Turn, call: ToolCall, prompt: str) -> Iterator[HookEvent]:
        use_id = f"replay-{turn.number}"
        asked = replace(call, use_id=use_id, result="", success=None, error="")
        yield replace(self.event(Moment.BEFORE_TOOL, turn), tool=asked, prompt=prompt)
        done = replace(call, use_id=use_id)
        yield replace(self.event(Moment.AFTER_TOOL, turn), tool=done)
