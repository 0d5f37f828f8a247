"""Whether the work of a session shows that it used a memory, or that one did not hold: by the
agent's words, the files it edits and the commands it runs. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from loremap.memory.admission.marks import DENIES, ENDED
from loremap.memory.brief.said import HOLDS
from loremap.model.hook import Operation, ToolCall
from loremap.model.memory import Memory
from loremap.model.shell_steps import commands_in
from loremap.model.words import words

LEAST_WORDS = 3
LEAST_SHARE = 0.5
MAX_SAID = 40_000
CHANGES = frozenset({Operation.WRITE, Operation.EDIT})
_ID = re.compile(r"\b[0-9a-f]{8,32}\b")
_SPAN = re.compile(r"`([^`\n]{2,200})`")
_SENTENCE = re.compile(r"[.!?]\s+|\n+")
_DISOWNED = re.compile(
    r"\b(?:wrong|incorrect|outdated|out of date|obsolete|stale|untrue|not true|false"
    r"|(?:does not|doesn't|did not|didn't) (?:hold|apply|work)|falsch|veraltet|stimmt nicht)\b",
    re.IGNORECASE,
)


def referenced(
    said: str, given: Iterable[Memory], *, spoken_of: Collection[str] = ()
) -> tuple[str, ...]:
    """Ids of the memories that `said` names, or half of whose telling words it uses.

    `spoken_of` are words the person used themselves: that the agent says them too tells nothing.
    """
    said = said[:MAX_SAID]
    ids = set(_ID.findall(said))
    used = set(words(said)) - set(spoken_of)
    return tuple(
        memory.id
        for memory in given
        if any(memory.id.endswith(one) for one in ids) or _uses(used, memory, spoken_of)
    )


def disowned(said: str, given: Sequence[Memory]) -> tuple[str, ...]:
    """Ids of the memories of which `said` says, by their id and in one sentence, that they do not
    hold."""
    found: dict[str, None] = {}
    for sentence in _SENTENCE.split(said[:MAX_SAID]):
        if not (_DISOWNED.search(sentence) or ENDED.search(sentence)):
            continue
        for one in _ID.findall(sentence):
            found.update({memory.id: None for memory in given if memory.id.endswith(one)})
    return tuple(found)


def worked_with(
    tool: ToolCall,
    given: Iterable[Memory],
    *,
    edited: Collection[str],
    anchored: Mapping[str, Collection[str]],
) -> tuple[str, ...]:
    """Ids of the memories that a tool's call has worked with: it changed a file they are about, or
    ran a command they name. `edited` and `anchored` are paths as the project names them."""
    ran = [] if tool.command is None else [tuple(one) for one in commands_in(tool.command)]
    return tuple(
        memory.id
        for memory in given
        if not {*memory.files, *anchored.get(memory.id, ())}.isdisjoint(edited)
        or any(_begins(command, named) for named in commands_of(memory) for command in ran)
    )


def commands_of(memory: Memory) -> Iterator[tuple[str, ...]]:
    """The commands that a memory says to run: its steps, what it quotes and does not deny, and its
    triggers, but for one that warns of them."""
    steps = () if memory.procedure is None else memory.procedure.steps
    for text in (memory.content, *steps):
        for span in _SPAN.finditer(text):
            if not DENIES.search(_before(text, span.start())):
                yield from map(tuple, commands_in(span[1]))
    for step in steps:
        if "`" not in step:
            yield from map(tuple, commands_in(step))
    for trigger in memory.triggers if memory.kind not in HOLDS else ():
        if trigger.kind == "literal" and trigger.on == "command":
            yield from map(tuple, commands_in(trigger.pattern))


def _before(text: str, at: int) -> str:
    """What of its sentence stands before a place."""
    return _SENTENCE.split(text[:at])[-1]


def _begins(command: Sequence[str], named: Sequence[str]) -> bool:
    """Whether a command is the one that is named; a bare program is that alone."""
    begins = tuple(command[: len(named)]) == tuple(named)
    return begins and (len(named) > 1 or len(command) == 1)


def _uses(used: Collection[str], memory: Memory, spoken_of: Collection[str]) -> bool:
    telling = set(words(memory.summary)) - set(spoken_of)
    shared = len(telling & set(used))
    return shared >= LEAST_WORDS and shared >= LEAST_SHARE * len(telling)
