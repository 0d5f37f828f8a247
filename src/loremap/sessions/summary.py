"""What a session comes to, in two to five lines: what was asked, done, and left open; and the same
for programs. Every line is what was typed or done; nothing is put in other words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loremap.model.finding import Finding
from loremap.model.hook import Operation, ToolCall
from loremap.model.hostile import name_speaks, speaks_to_a_model, suspicion
from loremap.model.kind import Kind
from loremap.model.session import Work
from loremap.model.shell_steps import commands_in
from loremap.model.text import cut, one_line
from loremap.model.turn import Speaker, Turn
from loremap.safety.redaction import redacted
from loremap.sessions.learning.sentences import own_words, telling

LINE_CHARACTERS = 200
FILES_CHARACTERS, COMMAND_CHARACTERS = 120, 80
MAX_FILES = 4
MAX_OPEN = 2
MAX_CHANGED = 40
MAX_COMMANDS = 40
LOOKED_AT = 2_000
"""Characters of a prompt or a command that are looked at."""
FEWEST_WORDS = 2
"""A prompt with fewer telling words says nothing of what was wanted: a greeting, “go on”."""
NOT_QUOTED = "(not quoted: it was pasted, or gives orders to a model)"
_CHANGES = frozenset({Operation.EDIT, Operation.WRITE})


def work_of(
    turns: Sequence[Turn],
    findings: Sequence[Finding] = (),
    *,
    ran: Sequence[ToolCall] | None = None,
    named: Callable[[str], str] = str,
) -> Work:
    """What a session did and left: `ran` are its commands that do more than look, `named` gives a
    file as the project names it, or nothing. Empty where nobody asked for anything."""
    asked = asked_for(turns)
    if not asked:
        return Work()
    changed = [name for path in changed_files(turns) if (name := _file(named(path)))]
    calls = [turn.call for turn in turns if turn.call is not None] if ran is None else ran
    passed, failing = last_to_succeed(calls), still_failing(calls)
    stopped = [_clean(one.content) for one in findings if one.kind is Kind.WORK_STATE]
    stopped = [one for one in stopped if not speaks_to_a_model(one)][-MAX_OPEN:]
    lines = [
        f"Asked: {asked}",
        _done(changed, passed),
        *(_line(f"Open: {text}") for text in stopped),
        *(_line(f"Open: failed when last run: {_quoted(one)}") for one in failing[-1:]),
    ]
    return Work(
        summary="\n".join(lines),
        changed=tuple(dict.fromkeys(changed))[:MAX_CHANGED],
        passed=tuple(passed),
        failing=tuple(failing[-MAX_OPEN:]),
        stopped=tuple(stopped),
    )


def asked_for(turns: Sequence[Turn]) -> str:
    """What a person asked for first, in their own words and quoted; what was pasted beside them is
    not theirs. Empty where nobody asked for anything."""
    typed = [turn.text for turn in turns if turn.speaker is Speaker.PERSON and turn.text.strip()]
    if not typed:
        return ""
    own = (_own_paragraph(text) for text in typed)
    said = next((one for one in own if len(telling(one)) >= FEWEST_WORDS), "")
    said = said or _own_paragraph(typed[0])
    if not said or suspicion(said, person=True) is not None:
        return NOT_QUOTED
    return _quoted(_clean(said))


def _own_paragraph(text: str) -> str:
    """The first paragraph that a person wrote themselves: what follows it may be a paste."""
    own = own_words(text[:LOOKED_AT])
    return next((part for part in own.split("\n\n") if part.strip()), "")


def _done(files: Sequence[str], passed: Sequence[str]) -> str:
    parts = []
    if files:
        shown = [path for place, path in enumerate(files[:MAX_FILES]) if _fits(files[: place + 1])]
        more = f" and {len(files) - len(shown)} more" if len(files) > len(shown) else ""
        parts.append(f"changed {', '.join(shown)}{more}")
    if passed:
        parts.append(f"last to succeed: “{cut(passed[-1], COMMAND_CHARACTERS)}”")
    return "Done: " + "; ".join(parts) if parts else "Done: nothing was changed."


def _fits(files: Sequence[str]) -> bool:
    return len(files) == 1 or len(", ".join(files)) <= FILES_CHARACTERS


def _file(named: str) -> str:
    return "" if name_speaks(named) else one_line(named)


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


def last_to_succeed(calls: Sequence[ToolCall]) -> list[str]:
    """The commands whose last run succeeded, in the order of that run; none that is shaped like an
    order to a model."""
    outcomes: dict[str, bool] = {}
    for command, success in _outcomes(calls):
        outcomes.pop(command, None)
        outcomes[command] = success
    found = [command for command, came_well in outcomes.items() if came_well]
    return [_clean(command) for command in found[-MAX_COMMANDS:] if not speaks_to_a_model(command)]


def still_failing(calls: Sequence[ToolCall]) -> list[str]:
    """The commands that failed and nothing succeeded after them: what was given up on the way is
    not open, nor what was mended and seen to by another command. That git kept what was done mends
    nothing but what git was told."""
    found, git_succeeded = dict[str, None](), False
    for command, success in reversed(_outcomes(calls)):
        is_git = all(step[0] == "git" for step in commands_in(command))
        if success and not is_git:
            break
        git_succeeded = git_succeeded or success
        if not success and not (is_git and git_succeeded):
            found[command] = None
    return [_clean(command) for command in reversed(found) if not speaks_to_a_model(command)]


def _outcomes(calls: Sequence[ToolCall]) -> list[tuple[str, bool]]:
    return [
        (one_line(call.command[:LOOKED_AT]), call.success)
        for call in calls
        if call.command is not None and call.success is not None
    ]


def _clean(text: str) -> str:
    """`text` on one line and without secrets, before it is cut: of half a secret nobody knows that
    it is one."""
    return redacted(one_line(text)).text


def _quoted(text: str) -> str:
    return f"“{_line(text)}”"


def _line(text: str) -> str:
    return cut(text, LINE_CHARACTERS)
