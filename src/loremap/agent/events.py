"""What may happen to a session, and what is to be done about it: two closed unions of values.

An event brings all that `reduce` needs to know, the time too; an effect is carried out by the shell
around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from loremap.agent.state import Floats, Pending
from loremap.clients.transcripts.record import Cut, Seen
from loremap.embedding.scale import Scale
from loremap.memory.brief.always import AlwaysOn
from loremap.memory.brief.brief import Brief
from loremap.memory.brief.render import Piece
from loremap.memory.brief.said import Fired
from loremap.model.hook import HookEvent
from loremap.model.session import Injection, Session

# A session's life


@dataclass(frozen=True, slots=True)
class Started:
    """A session that nobody has heard of."""

    session: Session
    incognito: bool = False


@dataclass(frozen=True, slots=True)
class Restored:
    """A session that another process began, by what the store says of it and what its transcript
    tells was taken back."""

    session: Session
    given: tuple[Injection, ...] = ()
    cuts: tuple[Cut, ...] = ()
    seen: Seen | None = None


@dataclass(frozen=True, slots=True)
class Began:
    """A new stretch of a session, with nothing in its context; the first of one where `is_new`."""

    now: datetime
    is_new: bool = False
    keeps_history: bool = False
    """Whether what came with prompts lies in the context still."""
    block: BlockMade | None = None
    """The block it is given, where that is another than before."""


@dataclass(frozen=True, slots=True)
class WentOn:
    """A session that had ended or was resumed goes on, with all that was given in its context."""

    is_beginning: bool = False
    """Whether the client says so, rather than going on without a word."""


@dataclass(frozen=True, slots=True)
class Compacting:
    """The context is about to be compacted."""

    now: datetime
    is_told_after: bool
    """Whether the client says afterwards that it was."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """The context was compacted."""

    now: datetime


@dataclass(frozen=True, slots=True)
class Ended:
    """The session ends, or says so."""

    now: datetime


# The block


@dataclass(frozen=True, slots=True)
class BlockMade:
    """The block that the session is given, as of a change of the store."""

    block: AlwaysOn
    seq: int


@dataclass(frozen=True, slots=True)
class BlockHeld:
    """All that the block tells still holds, as of a change of the store."""

    seq: int


@dataclass(frozen=True, slots=True)
class StoodIn:
    """A hook has given the block when nobody was here."""

    client: str
    now: datetime
    seed: str


# What is heard


@dataclass(frozen=True, slots=True)
class Heard:
    """A hook's event came in; the transcript tells what was taken back since the last look."""

    hook: HookEvent
    cuts: tuple[Cut, ...] = ()
    seen: Seen | None = None


@dataclass(frozen=True, slots=True)
class TakenUp:
    """Something can carry what waits: a prompt of these words, or an event of the same turn."""

    now: datetime
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Followed:
    """What a prompt is about, by its words and its vector."""

    words: frozenset[str]
    vector: Floats | None
    scale: Scale
    is_known: bool = False
    """Whether what was told answers this prompt too."""
    is_worth: bool = False
    """Whether something is found for the brief that opens a topic."""
    is_whole: bool = True
    """Whether that is all there is."""


@dataclass(frozen=True, slots=True)
class FoundLate:
    """What was found when nobody waited for it any more."""

    pending: Pending | None
    unread: bool = False
    """Whether the brief of the topic was in it."""


@dataclass(frozen=True, slots=True)
class Tasked:
    """A subagent of a kind is about to be started with a task."""

    kind: str
    task: str


@dataclass(frozen=True, slots=True)
class SubagentStarted:
    """A subagent of a kind starts."""

    kind: str


@dataclass(frozen=True, slots=True)
class SubagentStopped:
    """A subagent has stopped."""

    id: str


# What is said


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """Warnings fire on a call."""

    hook: HookEvent
    fired: Fired
    now: datetime
    seed: str
    read: frozenset[str] = frozenset()
    """Those that a hook which stood in has shown in this stretch."""
    may_hold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A hook's event is answered now, with what was found for its task."""

    hook: HookEvent
    now: datetime
    seed: str
    brief: Brief | None = None


@dataclass(frozen=True, slots=True)
class Undelivered:
    """What an event was answered with reached nobody."""

    hook: HookEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The session asked by itself and was told these."""

    pieces: tuple[Piece, ...]
    client: str
    now: datetime
    seed: str


@dataclass(frozen=True, slots=True)
class Stored:
    """The session has stored these itself."""

    ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Used:
    """What the agent says shows that it used these."""

    ids: tuple[str, ...]
    now: datetime


Event: TypeAlias = (
    Started
    | Restored
    | Began
    | WentOn
    | Compacting
    | Compacted
    | Ended
    | BlockMade
    | BlockHeld
    | StoodIn
    | Heard
    | TakenUp
    | Followed
    | FoundLate
    | Tasked
    | SubagentStarted
    | SubagentStopped
    | Warned
    | Answered
    | Undelivered
    | Asked
    | Stored
    | Used
)


# What is to be done


@dataclass(frozen=True, slots=True)
class WriteSession:
    """Write the session's row; `told` are the memories of its block, None where nobody knows."""

    session: Session
    told: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class WriteInjections:
    """Write down what was given."""

    rows: tuple[Injection, ...]


@dataclass(frozen=True, slots=True)
class StrikeInjections:
    """Remove what was written down and not heard."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MarkUsed:
    """Write down that later output of a session used these memories."""

    session_id: str
    ids: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Say:
    """Answer the event with this."""

    text: str


@dataclass(frozen=True, slots=True)
class Hold:
    """Hold the call back this once, for this reason."""

    why: str


@dataclass(frozen=True, slots=True)
class TakeUp:
    """Ask again for what waited."""

    pending: Pending


@dataclass(frozen=True, slots=True)
class AnswerAnew:
    """The answer to this prompt was taken back: answer it again with the event at hand."""

    prompt: str


@dataclass(frozen=True, slots=True)
class OpenTopic:
    """Tell the brief that opens a topic, without these modules."""

    modules: frozenset[str]


@dataclass(frozen=True, slots=True)
class StartTask:
    """Brief the subagent for this task; empty where none is known."""

    task: str


Write: TypeAlias = WriteSession | WriteInjections | StrikeInjections | MarkUsed
Effect: TypeAlias = Write | Say | Hold | TakeUp | AnswerAnew | OpenTopic | StartTask
Effects: TypeAlias = tuple[Effect, ...]
