"""A session as exchanges: what a person typed, with what came before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from loremap.model.hook import Operation
from loremap.model.turn import Speaker, Turn
from loremap.sessions.learning.sentences import own_words, telling

_CHANGES = frozenset({Operation.WRITE, Operation.EDIT})
_READ_CHARACTERS = 4_000
"""How much of a call's output is looked at for words: the rest is the tool's, and no news."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One message of a person between the agent's work before it and after it."""

    said: Turn
    words: str
    """What they wrote themselves: what they pasted is left out."""
    before: tuple[Turn, ...] = ()
    after: tuple[Turn, ...] = ()
    is_first: bool = False
    is_last: bool = False
    is_talk: bool = False
    """Whether nothing was done in the whole session: it settles things in words alone."""
    known: frozenset[str] = field(default_factory=frozenset)
    """The words of the session up to here."""

    @property
    def answered(self) -> Turn | None:
        """What the agent had said right before, if it was the last to speak."""
        turn = next((turn for turn in reversed(self.before) if not turn.in_subagent), None)
        return turn if turn is not None and turn.speaker is Speaker.AGENT else None


def exchanges(turns: Sequence[Turn]) -> list[Exchange]:
    """The exchanges of a session, in order, with what subagents did for them and nothing of what
    these said."""
    main = [turn for turn in turns if turn.call is not None or not turn.in_subagent]
    asked = [at for at, turn in enumerate(main) if turn.speaker is Speaker.PERSON]
    is_talk = all(turn.call is None for turn in main)
    found, known, seen = [], set[str](), 0
    for place, at in enumerate(asked):
        start = asked[place - 1] + 1 if place else 0
        end = asked[place + 1] if place + 1 < len(asked) else len(main)
        while seen < at:
            known |= telling(_shown(main[seen]))
            seen += 1
        words = own_words(main[at].text)
        found.append(
            Exchange(
                said=main[at],
                words=words,
                before=tuple(main[start:at]),
                after=tuple(main[at + 1 : end]),
                is_first=place == 0,
                is_last=place + 1 == len(asked),
                is_talk=is_talk,
                known=frozenset(telling(words) & known),
            )
        )
    return found


def _shown(turn: Turn) -> str:
    if turn.call is None:
        return turn.text[:_READ_CHARACTERS]
    return f"{done(turn)} {turn.call.result[:_READ_CHARACTERS]}"


def done(turn: Turn) -> str:
    """What a call was to do, in words: its command, its files, what it wrote."""
    if turn.call is None:
        return ""
    files = " ".join(use.path for use in turn.call.files)
    return " ".join((turn.call.command or "", files, turn.call.text or "", turn.call.task or ""))


def changes(turn: Turn) -> bool:
    """Whether a turn is a call that changed a file."""
    call = turn.call
    return call is not None and any(use.operation in _CHANGES for use in call.files)


def fails(turn: Turn) -> bool:
    """Whether a turn is a call that did not work."""
    return turn.call is not None and turn.call.success is False


def works(turn: Turn) -> bool:
    """Whether a turn is a command that worked."""
    return turn.call is not None and bool(turn.call.command) and turn.call.success is True
