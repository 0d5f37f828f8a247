"""Where a task begins: with a prompt that has little in common with what the session is at.

Structure comes first: what is done for a prompt and to which files, how the work before it ended,
whether it answers. Words are only compared with each other, so that no language is favoured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import PurePosixPath

from loremap.model.task import Task
from loremap.model.turn import Turn
from loremap.model.words import words
from loremap.sessions.episodes.prompts import Asked, asked_in
from loremap.sessions.episodes.standing import takes_back
from loremap.sessions.episodes.work import calls_of
from loremap.sessions.learning.function_words import Sign, signs_in
from loremap.sessions.learning.sentences import asks, sentences
from loremap.sessions.summary import changed_files

MIN_TELLING = 3
"""A prompt that says less begins nothing: "go on", "yes", thanks."""
MAX_ANSWER = 4
"""So many telling words may still be the answer to a question."""
SHARED = 0.3
"""The share of a prompt's words that the task, or the agent's last words, have: it goes on."""
RESUMED = 0.5
"""The share by which a prompt takes up a task that was left before."""
MAX_LEFT = 100
"""So many tasks back one may be taken up again in the words it was asked in."""
MAX_WORDS = 60
"""What a task is about now is what was said of it last."""


@dataclass(slots=True)
class Piece:
    """What was asked and done for one task, as it is gathered."""

    asked: list[Asked] = field(default_factory=list)
    about: list[str] = field(default_factory=list)
    """The words that were said of it, the latest first."""
    _said: frozenset[str] = frozenset()
    """The same, to look them up."""
    names: set[str] = field(default_factory=set)
    """The words of the names of files that it changed or read."""
    touched: set[str] = field(default_factory=set)
    """Those files."""
    files: set[str] = field(default_factory=set)
    """Their names, without folders."""
    changed: set[str] = field(default_factory=set)
    named: Task | None = None
    """The task that a person began by name, where it is one."""
    before: Piece | None = None
    """What the session was at when it began."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All that was said and done for it, in order."""
        return tuple(turn for one in self.asked for turn in (one.prompt, *one.after))

    @property
    def is_work(self) -> bool:
        """Whether anything was done for it that is a task: where files were changed before,
        a command that is run after it checks them or carries them on."""
        if self.named is not None or any(one.changes or one.looks for one in self.asked):
            return True
        alone = self.before is None or not self.before.changed
        return alone and any(one.ran for one in self.asked)

    @property
    def only_ran(self) -> bool:
        """Whether commands were run for it, and nothing came of them yet."""
        return not self.is_work and any(one.ran for one in self.asked)

    @property
    def can_be_left(self) -> bool:
        """Whether another may begin after it: what opens a session is its talk until something is
        done."""
        return self.is_work or self.before is not None

    def take(self, one: Asked) -> None:
        """Go on with what was asked."""
        self.asked.append(one)
        self.about = list(dict.fromkeys((*words(one.words), *self.about)))[:MAX_WORDS]
        self._said = frozenset(self.about)
        self.names.update(one.names)
        self.files.update(PurePosixPath(path).name for path in one.touched - self.touched)
        self.touched.update(one.touched)
        self.changed.update(changed_files(one.after))

    def shares(self, own: frozenset[str], more: frozenset[str] = frozenset()) -> float:
        """The share of a prompt's words that it knows already."""
        return sum(one in self._said or one in self.names or one in more for one in own) / len(own)


def pieces(turns: Sequence[Turn], named: Sequence[Task] = ()) -> list[Piece]:
    """The tasks of a session, in the order in which they began; one that is taken up again after
    another is one task. What is only talked about is no task: it belongs to the work that comes
    out of it, or to what the session was at. What is asked while a task that a person began is at
    work, is part of it."""
    found: list[Piece] = []
    current: Piece | None = None
    for one in asked_in(turns):
        told = next((task for task in named if _is_at_work(task, one.prompt.at)), None)
        if told is not None:
            current = _of_named(told, found)
        elif current is None or current.named is not None:
            current = _other(one, found, current)
        elif _is_of_before(one, current) or not _goes_on(one, current):
            current = _other(one, found, _given_back(found, current))
        current.take(one)
    if current is not None:
        _given_back(found, current)
    return found


def _begun(found: list[Piece], before: Piece | None = None, named: Task | None = None) -> Piece:
    found.append(Piece(before=before, named=named))
    return found[-1]


def _of_named(task: Task, found: list[Piece]) -> Piece:
    known = (piece for piece in found if piece.named is not None and piece.named.id == task.id)
    return next(known, None) or _begun(found, named=task)


def _is_at_work(task: Task, at: datetime | None) -> bool:
    """Whether a task that a person began was at work then."""
    return at is not None and any(
        begin <= at and (end is None or at < end) for begin, end in task.spans
    )


def _other(one: Asked, found: list[Piece], at_hand: Piece | None) -> Piece:
    """The task of a prompt that does not go on with the last one: what the session was at before
    that, where it was only talk; one that was left; or a new one."""
    if at_hand is not None and at_hand.named is None and _goes_on(one, at_hand):
        return at_hand
    return _left_before(one, found, at_hand) or _begun(found, at_hand)


def _given_back(found: list[Piece], current: Piece) -> Piece:
    """What the session is at when a prompt does not go on with `current`: if nothing was done for
    that, its prompts are part of what was at hand before."""
    if current.is_work or current.before is None:
        return current
    found.remove(current)
    for one in current.asked:
        current.before.take(one)
    return current.before


def _is_of_before(one: Asked, current: Piece) -> bool:
    """Whether what is done for a prompt is for the task that was at hand before the talk."""
    before = current.before
    if current.is_work or before is None or not one.is_worked_on:
        return False
    if len(one.own) < MIN_TELLING:
        return _is_tied(one, before)
    return _is_tied(one, before) or before.shares(one.own) >= _bar(one, before)


def _goes_on(one: Asked, current: Piece) -> bool:
    """Whether a prompt goes on with what the session is at. Nothing is left before it was begun."""
    if len(one.own) < MIN_TELLING or _answers(one) or _objects(one) or not current.can_be_left:
        return True
    if one.changes and current.only_ran:
        return True
    return _is_tied(one, current) or current.shares(one.own, one.heard) >= _bar(one, current)


def _is_tied(one: Asked, current: Piece) -> bool:
    """Whether a file of a task is named in a prompt or in a command for it, or used for it, or
    what was changed is taken back for it."""
    if not current.touched.isdisjoint(one.touched):
        return True
    named = f"{one.words} {one.commands}"
    if any(name in named for name in current.files):
        return True
    calls = calls_of(one.after) if current.changed else []
    return any(takes_back(call, current.changed) for call in calls)


def _bar(one: Asked, current: Piece) -> float:
    """The share of a prompt's words by which it goes on: one word, unless it changes files and the
    task had come to something, with nothing failing or under discussion."""
    rests = current.changed and not one.is_discussed and not _is_failing(current)
    return SHARED if one.changes and rests else 1 / len(one.own)


def _is_failing(current: Piece) -> bool:
    """Whether the last command that was run for it failed."""
    ends = (one.ends_badly for one in reversed(current.asked))
    return next((bad for bad in ends if bad is not None), False)


def _answers(one: Asked) -> bool:
    """Whether a prompt is short and follows a question of the agent."""
    if one.answered is None or len(one.own) > MAX_ANSWER:
        return False
    last = sentences(one.answered.text)[-1:]
    return any(map(asks, last))


def _objects(one: Asked) -> bool:
    """Whether a prompt turns down what was just done."""
    return bool(signs_in(" ".join(one.words.split()[:2]))[Sign.NEGATION])


def _left_before(one: Asked, found: Sequence[Piece], current: Piece | None) -> Piece | None:
    """The task that was left and has most of a prompt's words, or whose files are changed now."""
    lately = islice(reversed(found), MAX_LEFT)
    others = [one for one in lately if one is not current and one.named is None]
    if not one.own or not others:
        return None
    best = max(others, key=lambda piece: piece.shares(one.own))
    if best.shares(one.own) >= RESUMED:
        return best
    changed = set(changed_files(one.after))
    same = (piece for piece in others if changed and changed <= piece.changed)
    return next((piece for piece in same if piece.shares(one.own)), None)
