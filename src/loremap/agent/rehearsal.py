"""A session of the past, gone through once more with the memory agent: what it would have told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from loremap.agent.session_agent import SessionAgent
from loremap.config.settings import Settings
from loremap.memory.brief.render import Piece
from loremap.memory.workspace import Workspace
from loremap.memory.workspaces import Workspaces
from loremap.model.hook import Beginning, HookEvent, Moment, ToolCall
from loremap.model.turn import Speaker, Turn

PATIENT_MS = 60_000
"""Nobody waits here: what would have come too late in the session counts as come in time."""
OPENED_S = 60.0
STEP = timedelta(milliseconds=1)


class PastClock:
    """A clock that stands where the session is."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> datetime:
        self.at += STEP
        return self.at

    def set(self, at: datetime | None) -> None:
        """Go to a time; never back, and nowhere where it is not known."""
        if at is not None and at > self.at:
            self.at = at


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What would have been said to a session at one of its turns."""

    turn: int
    """The turn it comes before; of a prompt and a call, that turn itself."""
    moment: Moment
    text: str
    pieces: tuple[Piece, ...] = ()
    holds: bool = False
    """Whether a call would have been held back once."""

    @property
    def memories(self) -> tuple[str, ...]:
        """The ids of the memories told."""
        return tuple(one.memory_id for one in self.pieces if one.memory_id is not None)


def patient(settings: Settings) -> Settings:
    """The settings under which a session is gone through: each gets an answer, however long that
    takes."""
    changed = {"inject.deadline_ms": PATIENT_MS, "metrics.hold_out": 0.0}
    return Settings({**settings.values, **changed}, settings.file)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where a session is gone through: a memory that nobody else uses, and its clock."""

    workspaces: Workspaces[Workspace]
    clock: PastClock
    folder: Path
    client: str
    session_id: str

    def event(self, moment: Moment, *, number: int = -1, at: datetime | None = None) -> HookEvent:
        """A moment of the session."""
        self.clock.set(at)
        return HookEvent(
            client=self.client,
            name=moment.value,
            moment=moment,
            session_id=self.session_id,
            at=self.clock(),
            folder=self.folder,
            key=f"replay:{self.session_id}:{number}:{moment}",
        )


def rehearsed(
    stage: Stage, turns: Sequence[Turn], *, failed: Callable[[str, BaseException], None]
) -> list[Told]:
    """What the memory agent would have said to a session, from its start through its turns."""
    agent = SessionAgent(stage.workspaces)
    agent.caught = failed
    try:
        beginning = replace(stage.event(Moment.SESSION_START), beginning=Beginning.STARTUP)
        agent.expect(beginning)
        agent.settle(OPENED_S)
        events = [(0, beginning), *_events(stage, turns)]
        return [told for number, event in events if (told := _told(agent, number, event))]
    finally:
        agent.close()


def _events(stage: Stage, turns: Sequence[Turn]) -> Iterator[tuple[int, HookEvent]]:
    for turn in turns:
        if turn.in_subagent:
            continue
        if turn.speaker is Speaker.PERSON:
            event = stage.event(Moment.PROMPT, number=turn.number, at=turn.at)
            yield turn.number, replace(event, prompt=turn.text)
        elif turn.call is not None:
            yield from _call(stage, turn, turn.call)


def _call(stage: Stage, turn: Turn, call: ToolCall) -> Iterator[tuple[int, HookEvent]]:
    asked = replace(call, use_id=f"replay-{turn.number}", result="", success=None, error="")
    before = stage.event(Moment.BEFORE_TOOL, number=turn.number, at=turn.at)
    yield turn.number, replace(before, tool=asked)
    after = stage.event(Moment.AFTER_TOOL, number=turn.number)
    yield turn.number + 1, replace(after, tool=replace(call, use_id=asked.use_id))


def _told(agent: SessionAgent, number: int, event: HookEvent) -> Told | None:
    reply = agent.handle(event)
    text = reply.context or reply.hold
    if not text:
        return None
    pieces = agent.pieces_of(event)
    return Told(
        turn=number,
        moment=event.moment,
        text=text,
        pieces=pieces,
        holds=bool(reply.hold),
    )
