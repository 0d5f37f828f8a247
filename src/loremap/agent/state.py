"""What the memory agent knows of one session: what it was given, what it is owed, its topic."""

from __future__ import annotations

import hashlib
from collections import OrderedDict, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from threading import RLock

from loremap.agent.pending import Pending
from loremap.agent.surfaced import Floats, Topic, continued, is_new_topic
from loremap.clients.transcripts.record import Cut, Seen
from loremap.embedding.scale import Scale
from loremap.memory.brief.always import AlwaysOn
from loremap.memory.brief.render import Piece
from loremap.model.hook import Moment
from loremap.model.session import Injection, Session, Tier

MAX_SESSIONS = 512
MAX_TASKS = 16
MAX_OWED = 32
MAX_GIVEN = 8
MAX_TURNS = 64
MODULE_WHY = "module "


@dataclass(slots=True)
class Told:
    """What lies in one context already, since it began or was cleared."""

    memories: set[str] = field(default_factory=set)
    lines: set[str] = field(default_factory=set)
    """Memories given as a line before a tool; a memory may be both."""
    modules: set[str] = field(default_factory=set)

    def clear_topic(self) -> None:
        """Another subject: what was told of the one before may be told again."""
        self.memories.clear()
        self.modules.clear()

    def without(self, other: Told) -> Told:
        """What lies here and not there."""
        return Told(
            self.memories - other.memories, self.lines - other.lines, self.modules - other.modules
        )

    def forget(self, lost: Told) -> None:
        """Let this lie in the context no more."""
        self.memories -= lost.memories
        self.lines -= lost.lines
        self.modules -= lost.modules


def all_of(told: Iterable[Told]) -> Told:
    """All that lies in one of several."""
    every = Told()
    for one in told:
        every.memories |= one.memories
        every.lines |= one.lines
        every.modules |= one.modules
    return every


@dataclass(frozen=True, slots=True)
class Turn:
    """What lay in the context when a turn began."""

    at: datetime
    told: Told = field(default_factory=Told)
    has_block: bool = False
    name: str = ""
    """What the client calls it, where it does."""


@dataclass(frozen=True, slots=True)
class Part:
    """A text ready to be given, and what it is made of."""

    tier: Tier
    text: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """What one event was answered with, so that it can be taken back where nobody heard it."""

    parts: tuple[Part, ...]
    rows: tuple[str, ...]
    held: bool = False
    had_block: bool = False


@dataclass(slots=True, eq=False)
class State:
    """One session. What must outlive this process is in the store as well."""

    session: Session
    incognito: bool = False
    pieces: tuple[Piece, ...] = ()
    """What the always-on block is made of."""
    is_made: bool = False
    """Whether the block was made, be it empty."""
    has_block: bool = False
    """Whether the block lies in the context."""
    held_at: int = -1
    """The change of the store at which all that the block tells was seen to hold."""
    with_a_prompt: bool = False
    """Whether it came with a prompt, and so stays in the history of every client."""
    told: Told = field(default_factory=Told)
    standing: frozenset[str] = frozenset()
    """Memories of the block: they stay told when the topic changes."""
    topic: Topic = field(default_factory=Topic)
    briefed: bool = False
    """Whether the brief of the topic lies in the context."""
    pending: Pending | None = None
    owed: OrderedDict[str, tuple[Piece, ...]] = field(default_factory=OrderedDict)
    """Lines that could not be given before a tool, by the call they belong to."""
    tasks: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=MAX_TASKS))
    """Subagents that were started: their kind and task."""
    subagents: dict[str, Told] = field(default_factory=dict)
    spoken_of: set[str] = field(default_factory=set)
    """Words the person used."""
    compacting: bool = False
    """The client has said that it is about to compact the context."""
    settled: bool = False
    """A compaction was seen to before the client begins the session anew."""
    given: OrderedDict[str, Given] = field(default_factory=OrderedDict)
    """What was said lately, by event, until it is known whether anybody heard it."""
    turns: list[Turn] = field(default_factory=list)
    """The turns of the context, after its beginning."""
    asked: str = ""
    """What the person asked for last."""
    seen: Seen | None = None
    """How far the transcript was looked at."""
    lock: RLock = field(default_factory=RLock)

    def __post_init__(self) -> None:
        self.turns = self.turns or [Turn(self.session.created_at)]

    @property
    def block_tells(self) -> frozenset[str] | None:
        """The memories of the block; None of one that another process made and nobody was given."""
        return self.standing if self.pieces else None

    def reset(self, now: datetime, *, keeps_history: bool = False) -> None:
        """The context was emptied or begun again: nothing lies in it any more, or only what came
        with prompts."""
        self.with_a_prompt = keeps_history and self.with_a_prompt
        since = self.session.reset_at if self.with_a_prompt else now
        self.session = replace(self.session, reset_at=since, last_at=now)
        self.told, self.has_block = Told(), self.with_a_prompt
        self.compacting = self.settled = False
        self.topic, self.briefed, self.pending = Topic(), False, None
        self.owed.clear()
        self.subagents.clear()
        self.turns = [Turn(now)]

    def begin_turn(self, at: datetime, name: str = "") -> None:
        """Keep what lies in the context now, for what is told from here on may be taken back."""
        if at > self.turns[-1].at:
            self.turns.append(replace(self._turn(at), name=name))
            del self.turns[1 : len(self.turns) - MAX_TURNS]

    def cuts_of(self, names: Collection[str], until: datetime) -> list[Cut]:
        """What is taken back with the turns of these names."""
        begun = [turn.at for turn in self.turns if turn.name and turn.name in names]
        return [Cut(min(begun) - timedelta.resolution, until)] if begun else []

    def forget(self, cut: Cut) -> Told:
        """Turns were taken back: what was told in them may be told again. What that is."""
        dropped = [turn for turn in self.turns if cut.since < turn.at < cut.until]
        if not dropped:
            return Told()
        later = [turn for turn in self.turns if turn.at >= cut.until]
        kept, after = dropped[0], later[0] if later else self._turn(cut.until)
        lost = after.told.without(kept.told)
        block_stays = kept.has_block and (self.with_a_prompt or not cut.start_too)
        lost_block = after.has_block and not block_stays
        for told in (self.told, *(turn.told for turn in later)):
            told.forget(lost)
        self.has_block = self.has_block and not lost_block
        before = [turn for turn in self.turns[1:] if turn.at <= cut.since]
        after_it = (replace(turn, has_block=turn.has_block and not lost_block) for turn in later)
        self.turns = [self.turns[0], *before, *after_it]
        self.briefed = self.briefed and not (lost.memories or lost.modules)
        self.owed.clear()
        return lost

    def _turn(self, at: datetime) -> Turn:
        return Turn(at, self.told.without(Told()), self.has_block)

    def take_block(self, block: AlwaysOn) -> None:
        """Let this be the block that the session is given."""
        self.session = replace(self.session, always_on=block.text)
        self.pieces, self.is_made = block.pieces, True
        self.standing = frozenset(piece.memory_id for piece in block.pieces if piece.memory_id)

    def hear(
        self, terms: Collection[str], *, vector: Floats | None, known: bool, scale: Scale
    ) -> None:
        """Follow the topic of a prompt; another one clears what was told, unless what was told
        answers this prompt too (`known`)."""
        anew = not known and is_new_topic(self.topic, vector=vector, words=terms, scale=scale)
        said = tuple(sorted(terms))
        self.topic = continued(self.topic, vector=vector, words=said, anew=anew)
        if anew:
            self.told.clear_topic()
            self.briefed = False

    def told_in(self, subagent_id: str | None) -> Told:
        """What lies in the context of the session, or of one of its subagents."""
        if subagent_id is None:
            return self.told
        return self.subagents.setdefault(subagent_id, Told())

    def task_for(self, kind: str) -> str:
        """The task of a subagent: of those started, the oldest of its kind, else the oldest."""
        with self.lock:
            if not self.tasks:
                return ""
            kinds = [one for one, _ in self.tasks]
            at = kinds.index(kind) if kind in kinds else 0
            task = self.tasks[at][1]
            del self.tasks[at]
            return task

    def note_given(self, key: str, given: Given) -> None:
        """Keep what an event was answered with for a while."""
        self.given[key] = given
        while len(self.given) > MAX_GIVEN:
            self.given.popitem(last=False)

    def owe(self, use_id: str, lines: Sequence[Piece]) -> None:
        """Keep lines for the tool's result, or the next prompt."""
        self.owed[use_id] = (*self.owed.pop(use_id, ()), *lines)
        while len(self.owed) > MAX_OWED:
            self.owed.popitem(last=False)


def restored(session: Session, given: Iterable[Injection], cuts: Iterable[Cut] = ()) -> State:
    """The state of a session that another process began, by what the store says of it and what its
    transcript tells was taken back."""
    state = State(session, is_made=bool(session.always_on))
    block: list[Piece] = []
    waiting = deque(cuts)
    for one in given:
        if one.moment == Moment.SUBAGENT_START:
            continue
        while waiting and waiting[0].until <= one.at:
            state.forget(waiting.popleft())
        state.begin_turn(one.at)
        state.briefed = state.briefed or one.tier is Tier.TASK
        if one.tier is Tier.ALWAYS:
            block = block if state.has_block else []
            state.has_block = True
            state.with_a_prompt = one.moment == Moment.PROMPT
            block.append(Piece(text="", memory_id=one.memory_id, why=one.why, score=one.score))
        if one.memory_id is None:
            state.told.modules.add(one.why.removeprefix(MODULE_WHY))
        elif one.tier is Tier.TOOL:
            state.told.lines.add(one.memory_id)
        else:
            state.told.memories.add(one.memory_id)
    for cut in waiting:
        state.forget(cut)
    state.pieces = tuple(block)
    state.standing = frozenset(piece.memory_id for piece in block if piece.memory_id)
    return state


def is_held_out(session_id: str, share: float) -> bool:
    """Whether a session is one of those that get nothing; the same for it every time."""
    drawn = hashlib.blake2b(session_id.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(drawn, "big") / 2**64 < share


class States:
    """The sessions at work; the one silent longest makes room."""

    def __init__(self) -> None:
        self._states: OrderedDict[str, State] = OrderedDict()
        self._lock = RLock()

    def get(self, session_id: str) -> State | None:
        """The session's state, where it is known here."""
        with self._lock:
            state = self._states.get(session_id)
            if state is not None:
                self._states.move_to_end(session_id)
            return state

    def put(self, state: State) -> State:
        """Keep a state; where another thread was first, its state is the one."""
        with self._lock:
            kept = self._states.setdefault(state.session.id, state)
            while len(self._states) > MAX_SESSIONS:
                self._states.popitem(last=False)
            return kept
