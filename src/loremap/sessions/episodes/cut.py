"""Where a task begins: with a prompt that has little in common with what the session is at.

Structure comes first: how much is said, whether it answers, which files it names and which are
changed for it. Words are only compared with each other, so that no language is favoured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath

from loremap.model.shell_steps import commands_in
from loremap.model.task import Task
from loremap.model.turn import Speaker, Turn
from loremap.model.words import words
from loremap.sessions.learning.function_words import Sign, signs_in
from loremap.sessions.learning.sentences import asks, own_words, sentences, telling
from loremap.sessions.summary import changed_files

MIN_TELLING = 3
"""A prompt that says less begins nothing: "go on", "yes", thanks."""
MAX_ANSWER = 4
"""So many telling words may still be the answer to a question."""
SHARED = 0.3
"""The share of a prompt's words that the task, or the agent's last words, have: it goes on. Of a
task that was only talked about so far one word will do: work comes out of talk."""
RESUMED = 0.5
"""The share by which a prompt takes up a task that was left before."""
MAX_WORDS = 60
"""What a task is about now is what was said of it last."""
_AGENT_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class Asked:
    """One message of a person with what was done until the next."""

    prompt: Turn
    words: str
    """What they wrote themselves."""
    answered: Turn | None
    """What the agent had said right before."""
    after: tuple[Turn, ...]


@dataclass(slots=True)
class Piece:
    """What was asked and done for one task, as it is gathered."""

    asked: list[Asked] = field(default_factory=list)
    about: list[str] = field(default_factory=list)
    """The words that were said of it, the latest first."""
    names: set[str] = field(default_factory=set)
    """The words of the names of files that it changed or read."""
    changed: set[str] = field(default_factory=set)
    named: Task | None = None
    """The task that a person began by name, where it is one."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All that was said and done for it, in order."""
        return tuple(turn for one in self.asked for turn in (one.prompt, *one.after))

    def take(self, one: Asked) -> None:
        """Go on with what was asked."""
        self.asked.append(one)
        self.about = list(dict.fromkeys((*words(one.words), *self.about)))[:MAX_WORDS]
        self.names.update(_names(one.after))
        self.changed.update(changed_files(one.after))

    def shares(self, own: frozenset[str], more: frozenset[str] = frozenset()) -> float:
        """The share of a prompt's words that it knows already."""
        return len(own & (self.names | more | set(self.about))) / len(own)


def asked_in(turns: Sequence[Turn]) -> Iterator[Asked]:
    """What a person asked in a session, in order, with all that was done for it; what subagents
    did belongs to the prompt that was running."""
    at = [
        place
        for place, turn in enumerate(turns)
        if turn.speaker is Speaker.PERSON and not turn.in_subagent
    ]
    for place, start in enumerate(at):
        end = at[place + 1] if place + 1 < len(at) else len(turns)
        last = turns[start - 1] if start else None
        spoke = last is not None and last.speaker is Speaker.AGENT and not last.in_subagent
        text = turns[start].text
        answered = last if spoke else None
        yield Asked(turns[start], own_words(text) or text, answered, tuple(turns[start + 1 : end]))


def pieces(turns: Sequence[Turn], named: Sequence[Task] = ()) -> list[Piece]:
    """The tasks of a session, in the order in which they began; one that is taken up again after
    another is one task. What is asked while one that a person began is at work, is part of it."""
    found: list[Piece] = []
    current: Piece | None = None
    for one in asked_in(turns):
        told = next((task for task in named if _is_at_work(task, one.prompt.at)), None)
        if told is not None:
            current = _of_named(told, found)
        elif current is None or current.named is not None or not _goes_on(one, current):
            current = _left_before(one, found, current) or _begun(found)
        current.take(one)
    return found


def _begun(found: list[Piece], named: Task | None = None) -> Piece:
    found.append(Piece(named=named))
    return found[-1]


def _of_named(task: Task, found: list[Piece]) -> Piece:
    known = (piece for piece in found if piece.named is not None and piece.named.id == task.id)
    return next(known, None) or _begun(found, task)


def _is_at_work(task: Task, at: datetime | None) -> bool:
    """Whether a task that a person began was at work then."""
    return at is not None and any(
        begin <= at and (end is None or at < end) for begin, end in task.spans
    )


def _goes_on(one: Asked, current: Piece) -> bool:
    """Whether a prompt goes on with what the session is at."""
    own = telling(one.words)
    if len(own) < MIN_TELLING or _is_greeting(current) or not _is_worked_on(one):
        return True
    if _answers(one, own) or _objects(one):
        return True
    said = one.answered.text[-_AGENT_CHARACTERS:] if one.answered is not None else ""
    shared = current.shares(own, telling(said))
    if shared >= SHARED or (shared > 0 and not any(map(_is_worked_on, current.asked))):
        return True
    return not current.changed.isdisjoint(changed_files(one.after))


def _is_worked_on(one: Asked) -> bool:
    """Whether anything was done for a prompt, beyond keeping with git what was done before: what
    is only talked about goes on with the task at hand."""
    calls = [turn.call for turn in one.after if turn.call is not None]
    return any(call.command is None or not _is_git(call.command) for call in calls)


def _is_git(command: str) -> bool:
    return all(step[0] == "git" for step in commands_in(command))


def _is_greeting(current: Piece) -> bool:
    """Whether nothing was asked or done yet."""
    said = any(len(telling(one.words)) >= MIN_TELLING for one in current.asked)
    return not said and not any(turn.call for turn in current.turns)


def _answers(one: Asked, own: frozenset[str]) -> bool:
    """Whether a prompt is short and follows a question of the agent."""
    if one.answered is None or len(own) > MAX_ANSWER:
        return False
    last = sentences(one.answered.text)[-1:]
    return any(map(asks, last))


def _objects(one: Asked) -> bool:
    """Whether a prompt turns down what was just done."""
    return bool(signs_in(" ".join(one.words.split()[:2]))[Sign.NEGATION])


def _left_before(one: Asked, found: Sequence[Piece], current: Piece | None) -> Piece | None:
    """The task that was left and has most of a prompt's words, or whose files are changed now."""
    own, changed = telling(one.words), set(changed_files(one.after))
    others = [one for one in reversed(found) if one is not current and one.named is None]
    if not own or not others:
        return None
    best = max(others, key=lambda piece: piece.shares(own))
    if best.shares(own) >= RESUMED:
        return best
    touched = (piece for piece in others if changed and changed <= piece.changed)
    return next((piece for piece in touched if piece.shares(own) >= SHARED), None)


def _names(after: Sequence[Turn]) -> Iterator[str]:
    for turn in after:
        for use in turn.call.files if turn.call is not None else ():
            yield from words(PurePosixPath(use.path).stem)
