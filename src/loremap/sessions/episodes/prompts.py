"""What a person asked in a session: each prompt with what was said before it and done after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from loremap.model.hook import ToolCall
from loremap.model.shell_steps import commands_in
from loremap.model.turn import Speaker, Turn
from loremap.model.words import words
from loremap.sessions.episodes.work import (
    calls_of,
    files_touched,
    is_change,
    is_look,
    is_search,
    runs,
)
from loremap.sessions.learning.sentences import own_words, telling

_HEARD_CHARACTERS = 4_000


@dataclass(frozen=True)
class Asked:
    """One message of a person with what was done until the next."""

    prompt: Turn
    words: str
    """What they wrote themselves."""
    before: tuple[Turn, ...]
    """What was said and done since the message before."""
    after: tuple[Turn, ...]

    @cached_property
    def own(self) -> frozenset[str]:
        """Its telling words."""
        return telling(self.words)

    @property
    def answered(self) -> Turn | None:
        """What the agent had said right before."""
        last = next((turn for turn in reversed(self.before) if not turn.in_subagent), None)
        return last if last is not None and last.speaker is Speaker.AGENT else None

    @cached_property
    def heard(self) -> frozenset[str]:
        """The words that the agent had said since the message before, and that its commands
        have."""
        own = [turn for turn in self.before if not turn.in_subagent]
        said = " ".join((*(turn.text for turn in own), _commands(own)))
        return telling(said[-_HEARD_CHARACTERS:])

    @cached_property
    def commands(self) -> str:
        """The commands that were run for it."""
        return _commands(self.after)

    @cached_property
    def names(self) -> frozenset[str]:
        """The words of the names of files that were changed or read for it."""
        stems = (PurePosixPath(path).stem for path in self.touched)
        return frozenset(word for stem in stems for word in words(stem))

    @cached_property
    def touched(self) -> frozenset[str]:
        """The files that were changed or read for it."""
        return frozenset(files_touched(self.after))

    @cached_property
    def changes(self) -> bool:
        """Whether a file was changed for it."""
        return any(map(is_change, calls_of(self.after)))

    @cached_property
    def looks(self) -> bool:
        """Whether anything was read or looked for."""
        return bool(self.touched) or any(map(is_search, calls_of(self.after)))

    @cached_property
    def ran(self) -> bool:
        """Whether anything was done that neither looks nor only keeps with git what was done."""
        calls = calls_of(self.after)
        return any(not (_only_looks(call) or _is_git(call.command or "")) for call in calls)

    @property
    def is_worked_on(self) -> bool:
        """Whether anything was done for it."""
        return self.changes or self.looks or self.ran

    @property
    def is_discussed(self) -> bool:
        """Whether it goes on with talk: nothing was done for the message before."""
        return self.answered is not None and not any(turn.call for turn in self.before)

    @cached_property
    def ends_badly(self) -> bool | None:
        """Whether the last command failed; None where none was run."""
        last = runs(self.after)[-1:]
        return last[0].success is False if last else None


def asked_in(turns: Sequence[Turn]) -> Iterator[Asked]:
    """What a person asked in a session, in order, with all that was done for it; what subagents
    did belongs to the prompt that was running."""
    at = [
        place
        for place, turn in enumerate(turns)
        if turn.speaker is Speaker.PERSON and not turn.in_subagent
    ]
    for number, start in enumerate(at):
        begin = at[number - 1] + 1 if number else 0
        end = at[number + 1] if number + 1 < len(at) else len(turns)
        text = turns[start].text
        yield Asked(
            prompt=turns[start],
            words=own_words(text) or text,
            before=tuple(turns[begin:start]),
            after=tuple(turns[start + 1 : end]),
        )


def _commands(turns: Sequence[Turn]) -> str:
    return " ".join(call.command for call in calls_of(turns) if call.command)


def _only_looks(call: ToolCall) -> bool:
    return is_look(call) if call.command else bool(call.files) or is_search(call)


def _is_git(command: str) -> bool:
    steps = commands_in(command)
    return bool(steps) and all(step[0] == "git" for step in steps)
