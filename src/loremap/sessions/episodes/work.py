"""What was done for a task, by the structure of its calls: its intent, files, tools, outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from loremap.clients.payloads.cleaned import name_kept
from loremap.clients.payloads.tools import operation_of
from loremap.model.hook import Operation, ToolCall
from loremap.model.shell_steps import commands_in, reads, searches
from loremap.model.task import Intent
from loremap.model.text import cut, one_line
from loremap.model.turn import Turn
from loremap.safety.redaction import redacted
from loremap.sessions.summary import LOOKED_AT, changed_files

MAX_FILES = 200
MAX_NAMED = 4
"""Files that an outcome names."""
COMMAND_CHARACTERS = 120
OUTCOME_CHARACTERS = 300
CHANGES = frozenset({Operation.WRITE, Operation.EDIT})
_LOOKS = frozenset({Operation.READ, Operation.ANALYZE})


def calls_of(turns: Sequence[Turn]) -> list[ToolCall]:
    """The calls among some turns, in order."""
    return [turn.call for turn in turns if turn.call is not None]


def is_change(call: ToolCall) -> bool:
    """Whether a call changed a file."""
    return call.success is not False and any(use.operation in CHANGES for use in call.files)


def is_look(call: ToolCall) -> bool:
    """Whether a command only looks: that it fails may mean that nothing was found."""
    if call.command is None:
        return True
    steps = commands_in(call.command)
    return all(searches(" ".join(words)) or bool(reads(" ".join(words))) for words in steps)


def runs(turns: Sequence[Turn]) -> list[ToolCall]:
    """The commands that do more than look and whose outcome is known, in the order of their run."""
    return [
        call
        for call in calls_of(turns)
        if call.command is not None and call.success is not None and not is_look(call)
    ]


def intent_of(turns: Sequence[Turn]) -> Intent | None:
    """What a task was for; None where what was done does not tell."""
    calls = calls_of(turns)
    changed = next((place for place, call in enumerate(calls) if is_change(call)), None)
    if changed is not None:
        before = calls[:changed]
        failed = any(call.success is False and not is_look(call) for call in before)
        return Intent.PROJECT_FIXING if failed else Intent.CODE_WRITING
    searched = sum(map(is_search, calls))
    read = sum(any(use.operation in _LOOKS for use in call.files) for call in calls)
    if searched and searched >= read:
        return Intent.PROJECT_EXPLORATION
    return Intent.CODE_READING if read else None


def is_search(call: ToolCall) -> bool:
    """Whether a call looks for something."""
    if call.command is not None:
        return searches(call.command)
    return operation_of(call.name) is Operation.SEARCH


def files_touched(turns: Sequence[Turn]) -> tuple[str, ...]:
    """The files that were read or changed, in the order of their first use."""
    used = (use for call in calls_of(turns) for use in call.files)
    paths = (use.path for use in used if use.operation in CHANGES | _LOOKS)
    return tuple(dict.fromkeys(paths))[:MAX_FILES]


def tools_used(turns: Sequence[Turn]) -> dict[str, int]:
    """How often each tool was called, the most used first."""
    return dict(Counter(name_kept(call.name) for call in calls_of(turns)).most_common())


def outcome_of(turns: Sequence[Turn]) -> str:
    """What was done, in a line: files that were changed, or read; how the last command ended."""
    changed, touched = changed_files(turns), files_touched(turns)
    parts = []
    if changed:
        parts.append(f"changed {_named(changed)}")
    elif touched:
        parts.append(f"read {_named(touched)}")
    elif searched := sum(map(is_search, calls_of(turns))):
        parts.append(f"searched {searched} {'time' if searched == 1 else 'times'}")
    last = runs(turns)[-1:]
    parts += [f"`{_command(call)}` {'passed' if call.success else 'failed'}" for call in last]
    return cut("; ".join(parts), OUTCOME_CHARACTERS)


def _command(call: ToolCall) -> str:
    said = one_line(call.command or "")
    if len(said) > COMMAND_CHARACTERS:  # of half a secret nobody knows that it is one
        said = redacted(said[:LOOKED_AT]).text
    return cut(said, COMMAND_CHARACTERS)


def _named(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - MAX_NAMED} more" if len(paths) > MAX_NAMED else ""
    return ", ".join(paths[:MAX_NAMED]) + more
