"""What the memory agent knows of one session, as a value: what it was given, what it is
owed, what it is about.

Nothing here is changed in place. `reduce` makes the next state of one and an event.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from loremap.clients.transcripts.record import Seen
from loremap.embedding.scale import Scale
from loremap.memory.brief.render import Piece
from loremap.model.session import Session, Tier

T = TypeVar("T")
Floats = NDArray[np.float32]

TOPIC_CHANGE = 1.0
"""Fewer deviations above unrelated texts than this, and a prompt begins another subject."""
WORDS_CHANGE = 0.3
"""The like by words: the share of them that were said before."""
FADING = 0.6
"""What of the running topic stays when a prompt is added."""
FEWEST_WORDS = 5
"""A prompt of fewer words says too little to be another subject: thanks and praise have three."""
MAX_WORDS = 60
KEPT_FOR = timedelta(minutes=30)
"""What waits for a prompt and was not asked for again this long is forgotten."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a session has been about lately: a mean of prompt vectors, and the words said."""

    vector: Floats | None = None
    words: tuple[str, ...] = ()


NO_TOPIC = Topic()


@dataclass(frozen=True, slots=True)
class Told:
    """What lies in one context already, since it began or was cleared."""

    memories: frozenset[str] = frozenset()
    lines: frozenset[str] = frozenset()
    """Memories given as a line before a tool; a memory may be both."""
    modules: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    """What else was told, by its keys: how earlier sessions went, what they did again and again,
    what others at work find."""

    def __bool__(self) -> bool:
        return bool(self.memories or self.lines or self.modules or self.others)

    def __add__(self, other: Told) -> Told:
        return Told(
            self.memories | other.memories,
            self.lines | other.lines,
            self.modules | other.modules,
            self.others | other.others,
        )

    def __sub__(self, other: Told) -> Told:
        return Told(
            self.memories - other.memories,
            self.lines - other.lines,
            self.modules - other.modules,
            self.others - other.others,
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """What lay in the context when a turn began."""

    at: datetime
    told: Told = Told()
    has_block: bool = False
    name: str = ""
    """What the client calls it, where it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What a prompt would have got, had it waited: kept for the next one, and asked again there."""

    prompt: str
    at: datetime
    ids: tuple[str, ...]

    def is_stale(self, now: datetime) -> bool:
        """Whether nobody came back in time."""
        return now - self.at > KEPT_FOR


@dataclass(frozen=True, slots=True)
class Part:
    """A text ready to be given, and what it is made of."""

    tier: Tier
    text: str
    pieces: tuple[Piece, ...]

    @property
    def told(self) -> Told:
        """What a context holds that is given it."""
        ids = frozenset(piece.memory_id for piece in self.pieces if piece.memory_id is not None)
        modules = frozenset(piece.module for piece in self.pieces if piece.module)
        others = frozenset(key for piece in self.pieces for key in piece.keys)
        if self.tier is Tier.TOOL:
            return Told(lines=ids, modules=modules, others=others)
        return Told(memories=ids, modules=modules, others=others)


@dataclass(frozen=True, slots=True)
class Given:
    """What one event was answered with, so that it can be taken back where nobody heard it."""

    parts: tuple[Part, ...]
    rows: tuple[str, ...]
    held: bool = False
    had_block: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
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
    told: Told = Told()
    topic: Topic = NO_TOPIC
    briefed: bool = False
    """Whether the brief of the topic lies in the context."""
    pending: Pending | None = None
    owed: Mapping[str, tuple[Piece, ...]] = field(default_factory=dict)
    """Lines that could not be given before a tool, by the call they belong to."""
    tasks: tuple[tuple[str, str], ...] = ()
    """Subagents that were started: their kind and task."""
    subagents: Mapping[str, Told] = field(default_factory=dict)
    spoken_of: frozenset[str] = frozenset()
    """Words the person used."""
    compacting: bool = False
    """The client has said that it is about to compact the context."""
    settled: bool = False
    """A compaction was seen to before the client begins the session anew."""
    given: Mapping[str, Given] = field(default_factory=dict)
    """What was said lately, by event, until it is known whether anybody heard it."""
    turns: tuple[Turn, ...]
    """The turns of the context, after its beginning."""
    asked: str = ""
    """What the person asked for last."""
    seen: Seen | None = None
    """How far the transcript was looked at."""

    @property
    def standing(self) -> frozenset[str]:
        """Memories of the block: they stay told when the topic changes."""
        return frozenset(piece.memory_id for piece in self.pieces if piece.memory_id)

    @property
    def block_tells(self) -> frozenset[str] | None:
        """The memories of the block; None of one that another process made and nobody was given."""
        return self.standing if self.pieces else None

    @property
    def in_context(self) -> frozenset[str]:
        """The memories that the session has, however it came by them."""
        return self.told.memories | self.told.lines | self.standing

    def told_in(self, subagent_id: str | None) -> Told:
        """What lies in the context of the session, or of one of its subagents."""
        return self.told if subagent_id is None else self.subagents.get(subagent_id, Told())

    def telling(self, subagent_id: str | None, told: Told) -> State:
        """This with another context of the session, or of one of its subagents."""
        if subagent_id is None:
            return replace(self, told=told)
        return replace(self, subagents={**self.subagents, subagent_id: told})


def is_new_topic(
    topic: Topic, *, vector: Floats | None, words: Collection[str], scale: Scale
) -> bool:
    """Whether a prompt is about something else than the session was so far; without vectors, by
    the share of its words that were said before."""
    if len(words) < FEWEST_WORDS:
        return False
    if vector is not None and topic.vector is not None:
        return scale.of(float(vector @ topic.vector)) < TOPIC_CHANGE
    if vector is not None or topic.vector is not None or not topic.words:
        return False  # nothing to compare with
    return len(set(words) & set(topic.words)) / len(set(words)) < WORDS_CHANGE


def continued(topic: Topic, *, vector: Floats | None, words: Sequence[str], anew: bool) -> Topic:
    """The running topic with a prompt added to it, or begun with it."""
    if not words:
        return topic
    if anew:
        return Topic(vector, tuple(dict.fromkeys(words))[:MAX_WORDS])
    return Topic(
        _mean(topic.vector, vector),
        tuple(dict.fromkeys((*words, *topic.words)))[:MAX_WORDS],
    )


def _mean(before: Floats | None, vector: Floats | None) -> Floats | None:
    if before is None or vector is None:
        return before if vector is None else vector
    mean = FADING * before + (1 - FADING) * vector
    length = float(np.linalg.norm(mean))
    return (mean / length).astype(np.float32) if length > 0 else vector


def newest(kept: Mapping[str, T], key: str, value: T, *, most: int) -> dict[str, T]:
    """`kept` with a value put last, and without the oldest where that makes too many."""
    every = {name: one for name, one in kept.items() if name != key} | {key: value}
    return dict(list(every.items())[-most:])


def without(kept: Mapping[str, T], key: str) -> Mapping[str, T]:
    """`kept` without one of its entries."""
    return {name: one for name, one in kept.items() if name != key}


def is_held_out(session_id: str, share: float) -> bool:
    """Whether a session is one of those that get nothing; the same for it every time."""
    drawn = hashlib.blake2b(session_id.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(drawn, "big") / 2**64 < share
