"""Whether what a session of the past would have been told was right, by what it did later. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loremap.agent.replay.rehearsal import Told
from loremap.agent.usage import referenced, worked_with
from loremap.model.finding import Finding
from loremap.model.hook import Moment
from loremap.model.memory import Memory
from loremap.model.turn import Speaker, Turn
from loremap.model.words import words
from loremap.sessions.replay.steps import Step, says_path

_OF_A_CALL = (Moment.BEFORE_TOOL, Moment.AFTER_TOOL)
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
    files = (path for path in paths if says_path(told.text, path) and not says_path(typed, path))
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
    if told.moment not in _OF_A_CALL or not told.memories:
        return False
    calls = (turn.call for turn in turns if turn.number == told.turn)
    return any(call is not None and call.success is False for call in calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """What a session taught although it was known before it began."""

    finding: Finding
    memory_id: str
    was_told: bool
    """Whether it would have been told before it was taught again."""


def repeated(
    found: Sequence[Finding], known: Sequence[Memory], told: Sequence[Told]
) -> tuple[Repeated, ...]:
    """Of what a session taught, what a memory of then said already."""
    said = [(memory, frozenset(words(memory.content))) for memory in known]
    again = []
    for one in found:
        telling = frozenset(words(one.content))
        memory = next((memory for memory, its in said if _same(telling, its)), None)
        if memory is not None:
            again.append(
                Repeated(
                    finding=one,
                    memory_id=memory.id,
                    was_told=any(
                        memory.id in each.memories and each.turn <= one.first for each in told
                    ),
                )
            )
    return tuple(again)


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts say about the same, by the words that tell something."""
    shared = len(one & other)
    return shared >= FEWEST_SHARED and shared >= SAME_SHARE * max(len(one), len(other))
