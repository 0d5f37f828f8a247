"""What a session comes to, in two to five lines: what was asked, done, and left open. Every line
is what was typed or done; nothing is put in other words."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.model.finding import Finding
from loremap.model.hook import Operation
from loremap.model.kind import Kind
from loremap.model.text import cut, one_line
from loremap.model.turn import Speaker, Turn

LINE_CHARACTERS = 200
MAX_FILES = 4
MAX_OPEN = 2
_CHANGES = frozenset({Operation.EDIT, Operation.WRITE})


def summary_of(turns: Sequence[Turn], findings: Sequence[Finding] = ()) -> str:
    """The lines; empty where nobody asked for anything."""
    asked = next((turn.text for turn in turns if turn.speaker is Speaker.PERSON), "")
    if not asked.strip():
        return ""
    lines = [f"Asked: {_quoted(asked)}", *_done(turns), *_open(turns, findings)]
    return "\n".join(lines)


def _done(turns: Sequence[Turn]) -> list[str]:
    files = changed_files(turns)
    passed = last_outcomes(turns, success=True)
    parts = []
    if files:
        more = f" and {len(files) - MAX_FILES} more" if len(files) > MAX_FILES else ""
        parts.append(f"changed {', '.join(files[:MAX_FILES])}{more}")
    if passed:
        parts.append(f"last to succeed: {_quoted(passed[-1])}")
    return [_line("Done: " + "; ".join(parts))] if parts else ["Done: nothing was changed."]


def _open(turns: Sequence[Turn], findings: Sequence[Finding]) -> list[str]:
    stopped = [one.content for one in findings if one.kind is Kind.WORK_STATE]
    failing = last_outcomes(turns, success=False)[-1:]
    return [
        *(_line(f"Open: {one_line(text)}") for text in stopped[-MAX_OPEN:]),
        *(_line(f"Open: failed when last run: {_quoted(command)}") for command in failing),
    ]


def changed_files(turns: Sequence[Turn]) -> list[str]:
    """The files that were changed and where that did not fail, the last first."""
    paths = [
        use.path
        for turn in turns
        if turn.call is not None and turn.call.success is not False
        for use in turn.call.files
        if use.operation in _CHANGES
    ]
    return list(dict.fromkeys(reversed(paths)))


def last_outcomes(turns: Sequence[Turn], *, success: bool) -> list[str]:
    """The commands whose last run succeeded, or did not, in the order of that run."""
    outcomes: dict[str, bool] = {}
    for turn in turns:
        call = turn.call
        if call is None or call.command is None or call.success is None:
            continue
        command = one_line(call.command)
        outcomes.pop(command, None)
        outcomes[command] = call.success
    return [command for command, came_well in outcomes.items() if came_well is success]


def _quoted(text: str) -> str:
    return f"“{_line(one_line(text))}”"


def _line(text: str) -> str:
    return cut(text, LINE_CHARACTERS)
