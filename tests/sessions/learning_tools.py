"""Sessions told in a few words, for tests of the rules that learn from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loremap.model.finding import Finding
from loremap.model.hook import FileUse, Operation, ToolCall
from loremap.model.turn import Speaker, Turn
from loremap.sessions.learning.earlier import Earlier
from loremap.sessions.learning.learn import findings_of


def typed(text: str) -> Turn:
    """A person typed this."""
    return Turn(number=0, speaker=Speaker.PERSON, text=text)


def said(text: str) -> Turn:
    """The agent said this."""
    return Turn(number=0, speaker=Speaker.AGENT, text=text)


def ran(command: str, output: str = "ok", *, fails: bool = False) -> Turn:
    """The agent ran a command."""
    return _called(ToolCall(name="Bash", command=command, result=output, success=not fails))


def edited(path: str, text: str = "x = 1") -> Turn:
    """The agent changed a file."""
    used = FileUse(path=path, operation=Operation.EDIT)
    return _called(ToolCall(name="Edit", files=(used,), text=text, result="ok", success=True))


def read(path: str, text: str) -> Turn:
    """The agent opened a file."""
    used = FileUse(path=path, operation=Operation.READ)
    return _called(ToolCall(name="Read", files=(used,), result=text, success=True))


def fetched(text: str) -> Turn:
    """A page that the agent opened."""
    return _called(ToolCall(name="WebFetch", result=text, success=True))


def _called(call: ToolCall) -> Turn:
    return Turn(number=0, speaker=Speaker.TOOL, call=call)


def learned(
    turns: Sequence[Turn], *, known: Sequence[Earlier] = (), injected: Sequence[str] = ()
) -> tuple[Finding, ...]:
    """What the rules find in these turns."""
    numbered = [replace(turn, number=number) for number, turn in enumerate(turns)]
    return findings_of(numbered, known=known, injected=injected)
