"""What was tried, measured, and undone because a person said so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loremap.model.finding import Finding
from loremap.model.kind import Kind
from loremap.model.shell_steps import commands_in
from loremap.model.turn import Speaker, Turn
from loremap.sessions.learning.exchanges import changes, works
from loremap.sessions.learning.framed import DROPPED, TRIED, framed
from loremap.sessions.learning.known import Told
from loremap.sessions.learning.sentences import asks, sentences, telling
from loremap.sessions.learning.statements import Statement

_MAX_TURNS = 24
"""An attempt that took longer is not one attempt."""
_UNDOES = {
    "checkout": frozenset({"--", "."}),
    "restore": frozenset[str](),
    "revert": frozenset[str](),
    "reset": frozenset({"--hard"}),
    "stash": frozenset[str](),
}
"""What takes changes back in git, and the words without which it does something else."""


def as_dead_end(found: Finding, statement: Statement, turns: Sequence[Turn], told: Told) -> Finding:
    """The finding as a dead end, with what was tried, where what it says undid an attempt."""
    if not any(map(_undoes, statement.exchange.after)):
        return found
    attempt = _attempt(turns, statement.exchange.said.number)
    if attempt is None:
        return found
    tried = _proposed(attempt, told)
    content = f"{framed(TRIED, tried)} {framed(DROPPED, statement.text)}".strip()
    return replace(
        found,
        kind=Kind.DEAD_END,
        content=content,
        first=min(attempt.number, found.first),
        because="it was tried and measured, and a person had it undone",
        importance=0.7,
        rejected=(tried,) if tried else (),
    )


def _undoes(turn: Turn) -> bool:
    call = turn.call
    return call is not None and any(
        words[0] == "git"
        and len(words) > 1
        and words[1] in _UNDOES
        and (not _UNDOES[words[1]] or _UNDOES[words[1]] & set(words))
        for words in commands_in(call.command or "")
    )


def _attempt(turns: Sequence[Turn], until: int) -> Turn | None:
    """What the agent said before the first change of an attempt that was then measured."""
    lately = [turn for turn in turns if until - _MAX_TURNS <= turn.number < until]
    changed = next((at for at, turn in enumerate(lately) if changes(turn)), None)
    if changed is None or not any(map(works, lately[changed:])):
        return None
    said = (turn for turn in reversed(lately[:changed]) if turn.speaker is Speaker.AGENT)
    return next(said, None)


def _proposed(said: Turn, told: Told) -> str:
    """The last whole sentence with which the agent proposed it."""
    offered = [
        one
        for one in sentences(said.text)
        if not asks(one) and not told.echoed(one) and len(telling(one)) > 1
    ]
    return offered[-1] if offered else ""
