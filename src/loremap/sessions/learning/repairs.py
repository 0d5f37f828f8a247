"""Errors that were hard won: a command that failed, what was done, the same command working."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from loremap.model.finding import Finding
from loremap.model.kind import Kind
from loremap.model.shell_steps import commands_in
from loremap.model.text import one_line
from loremap.model.turn import Speaker, Turn
from loremap.safety.redaction import beginning
from loremap.sessions.learning.exchanges import changes, fails, works
from loremap.sessions.learning.function_words import Sign, signs_in
from loremap.sessions.learning.known import Told
from loremap.sessions.learning.sentences import asks, sentences, telling

_MAX_TURNS = 40
"""What works so much later has little to do with the failure."""
_LINE_CHARACTERS, _COMMAND_CHARACTERS, _CHANGE_CHARACTERS = 240, 160, 160
_MAX_SENTENCES = 3
_LONG_RESULT = 20_000
_ERROR = re.compile(r"error|exception|fail|denied|refused|cannot|can't|not found|fatal", re.I)
_FIGURE = re.compile(r"\d+")
_ASSIGNMENTS = re.compile(r"(?:\w+=(?:\"[^\"]*\"|'[^']*'|\S*)\s+)+")
_GOES = frozenset({"cd", "export", "source", "sleep", "echo", "set", "for", "do", "done", "while"})


_Agent = tuple[bool, str]
"""Which agent of a session did a turn."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A failure with the turns up to the one by which it was gone."""

    failed: Turn
    again: int
    """How often the same error came back before it was gone."""
    between: tuple[Turn, ...]
    gone: Turn
    is_own: bool = False
    """Whether the agent had changed something for the same request before it failed."""


def repairs(turns: Sequence[Turn]) -> Iterator[Repair]:
    """The failures of a session that were overcome and were hard to, each once."""
    done = set[tuple[str, str]]()
    for found in overcome(turns):
        mark = _mark(found.failed)
        if mark not in done and _was_hard(found):
            done.add(mark)
            yield found


def overcome(turns: Sequence[Turn]) -> Iterator[Repair]:
    """Every failure of a session that was gone later, whatever was done about it: for the agent
    that met it, or else for another that was at work beside or after it."""
    agents: dict[_Agent, list[Turn]] = {}
    for turn in turns:
        agents.setdefault(_agent(turn), []).append(turn)
    places, is_own = Counter[_Agent](), False
    for at, turn in enumerate(turns):
        own, place = agents[_agent(turn)], places[_agent(turn)]
        places[_agent(turn)] += 1
        if fails(turn) and turn.call is not None and turn.call.command and (mark := _mark(turn))[1]:
            found = _overcome(own[place : place + _MAX_TURNS], mark)
            if found is None and len(agents) > 1:
                found = _overcome(turns[at : at + _MAX_TURNS], mark)
            if found is not None:
                yield replace(found, between=_between(found, turns, at), is_own=is_own)
        is_own = turn.speaker is not Speaker.PERSON and (is_own or changes(turn))


def _agent(turn: Turn) -> _Agent:
    return turn.in_subagent, turn.subagent_id


def _between(found: Repair, turns: Sequence[Turn], failed_at: int) -> tuple[Turn, ...]:
    """What the agent that met a failure did until it was gone; what all did, where that agent
    changed nothing."""
    if any(map(changes, found.between)):
        return found.between
    gone_at = bisect_left(turns, found.gone.number, lo=failed_at, key=attrgetter("number"))
    return tuple(turns[failed_at + 1 : gone_at])


def _mark(turn: Turn) -> tuple[str, str]:
    return _aim(turn), shape(error_line(turn))


def _overcome(turns: Sequence[Turn], mark: tuple[str, str]) -> Repair | None:
    again = 0
    for place, turn in enumerate(turns[1:], start=1):
        if turn.call is None or not turn.call.command or not _serves(turn, mark[0]):
            continue
        if fails(turn) and shape(error_line(turn)) == mark[1]:
            again += 1
        elif fails(turn) or works(turn):
            return Repair(turns[0], again, tuple(turns[1:place]), turn)
    return None


def _was_hard(repair: Repair) -> bool:
    """Whether the failure was there before the agent changed anything, came back, or was gone with
    another command alone: what an edit of the same request broke and the next one mended teaches
    nothing. A person who stepped in has said what there is to learn."""
    if any(turn.speaker is Speaker.PERSON for turn in repair.between):
        return False
    if not any(map(changes, repair.between)):
        return other_command(repair)
    return repair.again > 0 or not repair.is_own


def other_command(repair: Repair) -> bool:
    """Whether what worked had something before it, or other arguments, than what had failed."""
    first, last = repair.failed.call, repair.gone.call
    if first is None or last is None or not last.command:
        return False
    tried, aim = commands_in(first.command or ""), _aim(repair.failed)
    if one_line(last.command).endswith(f" {one_line(first.command or '')}"):
        return True
    for words in commands_in(last.command):
        if words not in tried:
            return True
        if " ".join(_plain(words)) == aim:
            return False
    return False


def _aim(turn: Turn) -> str:
    """What a command is for: its last program with the first words that are no options."""
    parts = [] if turn.call is None else _parts(turn.call.command or "")
    return " ".join(parts[-1]) if parts else ""


def _serves(turn: Turn, aim: str) -> bool:
    return bool(turn.call) and any(
        " ".join(part) == aim for part in _parts(turn.call.command or "" if turn.call else "")
    )


def _parts(command: str) -> list[tuple[str, ...]]:
    return [plain for words in commands_in(command) if (plain := _plain(words))]


def _plain(words: tuple[str, ...]) -> tuple[str, ...]:
    """The program with its first word that is no option; nothing of what only leads to it."""
    while words and words[0] in _GOES:
        words = words[1:] if words[0] in ("do", "set") else ()
    return tuple(word for word in words if not word.startswith("-"))[:2]


def error_line(turn: Turn) -> str:
    """The line that says what went wrong: the first that names an error, else the last."""
    if turn.call is None:
        return ""
    told = turn.call.result or turn.call.error
    lines = [line.strip() for line in told[-_LONG_RESULT:].splitlines() if line.strip()]
    named = (line for line in lines if _ERROR.search(line) and len(telling(line)) > 1)
    best = next(named, lines[-1] if lines else "")
    return beginning(one_line(best), _LINE_CHARACTERS)


def shape(line: str) -> str:
    """An error's line without its figures: by it an error is known again."""
    return _FIGURE.sub("0", line)


def repaired(of: Repair, told: Told, turns: Sequence[Turn]) -> Finding | None:
    """The finding a repair makes; none where neither cause nor change can be told. Where nothing
    was changed but the command, it is the way to do it; else an error with what mended it."""
    edited = any(map(changes, of.between))
    cause, change = cause_of(of, told, turns), change_of(of)
    if not cause or not change or not (edited or works(of.gone)):
        return None
    return Finding(
        kind=_kind(of, edited=edited),
        content=lesson(command_of(of), error_line(of.failed), cause, change, edited=edited),
        quote=cause,
        said_by=Speaker.AGENT,
        first=of.failed.number,
        last=of.gone.number,
        at=of.gone.at,
        because="a command failed, something was changed, and it worked"
        if edited
        else "a command failed until it was run otherwise",
        importance=0.6,
        confidence=0.6,
        files=_changed_files(of),
        agent=of.failed.subagent_kind,
    )


def lesson(command: str, error: str, cause: str, change: str, *, edited: bool) -> str:
    """What a repair teaches, in a few sentences."""
    mended = f"Fixed by {change}." if edited else f"What worked: {change}."
    return " ".join(filter(None, (f"`{command}` failed with “{error}”.", cause, mended)))


def command_of(of: Repair) -> str:
    """The command that failed, on one line."""
    return _command(of.failed)


def cause_of(of: Repair, told: Told, turns: Sequence[Turn]) -> str:
    """Why it failed, as far as the agent said so and was sure."""
    edited = any(map(changes, of.between))
    return _sure(_before_change(of) or ([] if edited else _said_after(of, turns)), told)


def _kind(of: Repair, *, edited: bool) -> Kind:
    """What mends a file is an error's; a variable set before the same command is the machine's."""
    if edited:
        return Kind.ERROR_PATTERN
    before = _command(of.gone).removesuffix(_command(of.failed))
    return Kind.ENVIRONMENT_QUIRK if _ASSIGNMENTS.fullmatch(before) else Kind.PROCEDURE


def _command(turn: Turn) -> str:
    return beginning(one_line(turn.call.command or ""), _COMMAND_CHARACTERS) if turn.call else ""


def _before_change(of: Repair) -> list[str]:
    """What the agent said last before the change that worked."""
    changed = [at for at, turn in enumerate(of.between) if changes(turn)]
    until = changed[-1] if changed else len(of.between)
    said = [turn for turn in of.between[:until] if turn.speaker is Speaker.AGENT]
    return list(sentences(said[-1].text)) if said else []


def _said_after(of: Repair, turns: Sequence[Turn]) -> list[str]:
    """What the agent said next of that by which the command that worked differs."""
    later = (turn for turn in turns if turn.number > of.gone.number)
    said = next((turn for turn in later if _agent(turn) == _agent(of.gone)), None)
    if said is None or said.speaker is not Speaker.AGENT:
        return []
    news = telling(_command(of.gone)) - telling(_command(of.failed))
    return [one for one in sentences(said.text) if news & telling(one)]


def _sure(said: Sequence[str], told: Told) -> str:
    """The first sentences, without what was only supposed."""
    sure = (
        one
        for one in said
        if not asks(one) and not signs_in(one)[Sign.DOUBT] and not told.echoed(one)
    )
    return " ".join(list(sure)[:_MAX_SENTENCES])


def change_of(of: Repair) -> str:
    """The last change before it worked: what was written where, or the command that differed."""
    for turn in reversed(of.between):
        if changes(turn) and turn.call is not None:
            written = beginning(one_line(turn.call.text or ""), _CHANGE_CHARACTERS)
            name = turn.call.files[0].path
            return f"`{written}` in {name}" if written else f"an edit of {name}"
    call = of.gone.call
    if call is None or not works(of.gone):
        return ""
    return f"`{_command(of.gone)}`"


def _changed_files(of: Repair) -> tuple[str, ...]:
    used = (
        use.path
        for turn in of.between
        if changes(turn) and turn.call is not None
        for use in turn.call.files
    )
    return tuple(dict.fromkeys(used))
