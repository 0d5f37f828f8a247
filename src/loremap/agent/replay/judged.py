"""Whether what a session of the past would have been told was right, by what it did later. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from loremap.agent.replay.rehearsal import Told
from loremap.agent.usage import referenced, worked_with
from loremap.memory.brief.said import HOLDS
from loremap.model.finding import Finding
from loremap.model.hook import ToolCall
from loremap.model.kind import Kind
from loremap.model.memory import Memory
from loremap.model.session import Tier
from loremap.model.shell_steps import commands_in
from loremap.model.turn import Speaker, Turn
from loremap.model.words import words
from loremap.sessions.replay.steps import Step, paths_in

_OF_FAILURES = frozenset(
    {Kind.ERROR_PATTERN, Kind.DEAD_END, Kind.GOTCHA, Kind.ENVIRONMENT_QUIRK, *HOLDS}
)
_COMMAND = re.compile(r"`([^`\n]{2,200})`")
_ERROR = re.compile(r"“([^”\n]{2,300})”")
MAX_NAMED = 50
"""Files of one brief that are looked for in what follows."""
FEWEST_SHARED = 3
SAME_SHARE = 0.6
"""So much of the words of either say the same for one to repeat the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What would have been told at a turn, and what of it the session came to."""

    told: Told
    files: tuple[str, ...] = ()
    """Files it names that the session later looked into or changed, and nobody had typed."""
    memories: tuple[str, ...] = ()
    """Ids of the memories it tells that the later work used."""
    ran_into: bool = False
    """It warns of a call, and that call failed."""

    @property
    def is_right(self) -> bool:
        """Whether anything of it was borne out."""
        return bool(self.files or self.memories or self.ran_into)


def judged(
    told: Told, turns: Sequence[Turn], steps: Sequence[Step], known: Mapping[str, Memory]
) -> Judged:
    """What a session came to of what it would have been told; `known` are the memories by id."""
    given = [known[id_] for id_ in told.memories if id_ in known]
    typed = "\n".join(
        turn.text for turn in turns if turn.speaker is Speaker.PERSON and turn.number <= told.turn
    )
    later = [step for step in steps if step.turn > told.turn]
    paths = dict.fromkeys(path for step in later for path in step.files)
    named = paths_in(told.text, paths) - paths_in(typed, paths)
    files = (path for path in paths if path in named)
    return Judged(
        told=told,
        files=tuple(files)[:MAX_NAMED],
        memories=_used(told, given, turns, later, spoken_of=frozenset(words(typed))),
        ran_into=_failed(told, turns),
    )


def _used(
    told: Told,
    given: Sequence[Memory],
    turns: Sequence[Turn],
    later: Sequence[Step],
    *,
    spoken_of: frozenset[str],
) -> tuple[str, ...]:
    """The memories whose words the agent used later, whose command it ran, whose file it changed.
    A line that was said because of a call does not count for that call."""
    if not given:
        return ()
    changed = {step.turn: step.files for step in later if not step.discovers}
    found: dict[str, None] = {}
    for turn in turns:
        if turn.number <= told.turn or turn.in_subagent:
            continue
        if turn.speaker is Speaker.AGENT:
            found |= dict.fromkeys(referenced(turn.text, given, spoken_of=spoken_of))
        elif turn.call is not None:
            edited = changed.get(turn.number, ())
            found |= dict.fromkeys(worked_with(turn.call, given, edited=edited, anchored={}))
    return tuple(found)


def _failed(told: Told, turns: Sequence[Turn]) -> bool:
    """Whether the call that is warned of failed."""
    if told.tier is not Tier.TOOL:
        return False
    calls = (turn.call for turn in turns if turn.number == told.turn)
    return any(call is not None and call.success is False for call in calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """What a session taught, or ran into, although it was known before it began."""

    kind: Kind
    content: str
    first: int
    last: int
    memory_id: str
    was_told: bool
    """Whether it would have been told before."""


def repeated(
    found: Sequence[Finding],
    turns: Sequence[Turn],
    known: Sequence[Memory],
    told: Sequence[Told],
) -> tuple[Repeated, ...]:
    """What a session taught that a memory of then said already, and its commands that failed as a
    memory of then had said."""
    again = (*_taught(found, known), *_failing(turns, known))
    every = {(one.memory_id, one.first): one for one in again}
    return tuple(
        replace(one, was_told=_was_told(one, told))
        for one in sorted(every.values(), key=lambda one: one.first)
    )


def _was_told(one: Repeated, told: Sequence[Told]) -> bool:
    return any(one.memory_id in each.memories and each.turn <= one.first for each in told)


def _taught(found: Sequence[Finding], known: Sequence[Memory]) -> Iterator[Repeated]:
    said = [(memory, frozenset(words(memory.content))) for memory in known]
    for one in found:
        telling = frozenset(words(one.content))
        memory = next((memory for memory, its in said if _same(telling, its)), None)
        if memory is not None:
            yield Repeated(
                kind=one.kind,
                content=one.content,
                first=one.first,
                last=one.last,
                memory_id=memory.id,
                was_told=False,
            )


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts say about the same, by the words that tell something."""
    shared = len(one & other)
    return shared >= FEWEST_SHARED and shared >= SAME_SHARE * max(len(one), len(other))


def _failing(turns: Sequence[Turn], known: Sequence[Memory]) -> Iterator[Repeated]:
    """The first time each command failed of which a memory says that it fails."""
    fails = [(memory, _commands(memory)) for memory in known if memory.kind in _OF_FAILURES]
    for memory, commands in fails:
        for turn in turns:
            call = turn.call
            if call is None or call.success is not False or call.command is None:
                continue
            ran = commands_in(call.command)
            if any(each[: len(one)] == one for one in commands for each in ran) and _as_said(
                memory, call
            ):
                yield Repeated(
                    kind=memory.kind,
                    content=memory.content,
                    first=turn.number,
                    last=turn.number,
                    memory_id=memory.id,
                    was_told=False,
                )
                break


def _commands(memory: Memory) -> tuple[tuple[str, ...], ...]:
    """The commands that a memory quotes, but for bare programs."""
    quoted = (commands_in(span) for span in _COMMAND.findall(memory.content))
    return tuple(one for each in quoted for one in each[:1] if len(one) > 1)


def _as_said(memory: Memory, call: ToolCall) -> bool:
    """Whether a call failed with what a memory quotes; a command fails for many reasons, so that
    one that quotes no error must be about the command itself."""
    errors = _ERROR.findall(memory.content)
    came_back = f"{call.result}\n{call.error}"
    return errors[0] in came_back if errors else memory.kind is not Kind.ERROR_PATTERN
