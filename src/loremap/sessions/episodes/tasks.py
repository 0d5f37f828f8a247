"""The tasks of a session as values: what each was for, what was done for it, how it stands."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from loremap.model.session import Session
from loremap.model.task import MAX_DESCRIPTION, Task
from loremap.model.text import cut, one_line
from loremap.model.turn import Turn
from loremap.sessions.episodes.cut import MIN_TELLING, Piece, pieces
from loremap.sessions.episodes.prompts import Asked
from loremap.sessions.episodes.standing import standing
from loremap.sessions.episodes.work import files_touched, intent_of, outcome_of, tools_used

_KEY_CHARACTERS = 200
"""So much of a prompt tells it apart; the log and the transcript both hold that much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A task with the turns in which it was done."""

    task: Task
    turns: tuple[Turn, ...]


def episodes(
    turns: Sequence[Turn], session: Session, *, is_over: bool, named: Sequence[Task] = ()
) -> list[Episode]:
    """The tasks of a session, in the order in which they began; the same, with the same ids,
    whenever the same session is read. While it is not over, what was asked last is running. The
    tasks that a person began, `named`, come back as they are where they have a part in it."""
    found = pieces(turns, named)
    last = max(found, key=lambda piece: piece.asked[-1].prompt.number, default=None)
    times, made = Counter[str](), []
    for piece in found:
        if piece.named is not None:
            made.append(Episode(task=piece.named, turns=piece.turns))
            continue
        said = one_line(piece.asked[0].prompt.text)[:_KEY_CHARACTERS]
        times[said] += 1
        task = _task(
            piece,
            session,
            id_=task_id(session.id, said, times[said]),
            is_last=piece is last,
            is_over=is_over,
        )
        made.append(Episode(task=task, turns=piece.turns))
    return made


def task_id(session_id: str, said: str, time: int) -> str:
    """The id of the task that a prompt began, said for that time in its session."""
    key = "\0".join((session_id, said, str(time)))
    return hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _task(piece: Piece, session: Session, *, id_: str, is_last: bool, is_over: bool) -> Task:
    turns = piece.turns
    status = standing(turns, is_last=is_last, is_over=is_over)
    at = [turn.at for turn in turns if turn.at is not None]
    began = min(at, default=session.created_at)
    return Task(
        id=id_,
        session_id=session.id,
        description=_description(piece),
        status=status,
        started_at=began,
        intent=intent_of(turns),
        completed_at=None if status.is_open else _ended(at, session),
        files_touched=files_touched(turns),
        tools_used=tools_used(turns),
        outcome=outcome_of(turns),
        project_id=session.project_id,
        branch=session.branch,
    )


def _ended(at: Sequence[datetime], session: Session) -> datetime:
    return max(at, default=session.last_at or session.created_at)


def _description(piece: Piece) -> str:
    """What was asked first that says more than a greeting, and that was worked on or taken up by
    what was asked then: other talk before the work is not what a task is for."""
    asked = [one for one in piece.asked if len(one.own) >= MIN_TELLING] or piece.asked
    led = (
        one for place, one in enumerate(asked, 1) if one.is_worked_on or _leads(one, asked[place:])
    )
    return cut(one_line(next(led, asked[0]).words), MAX_DESCRIPTION)


def _leads(one: Asked, later: Sequence[Asked]) -> bool:
    """Whether what came later has words of a prompt, or the next answers what was said to it."""
    answers = any(next_.own & next_.heard for next_ in later[:1])
    return answers or any(one.own & (then.own | then.names) for then in later)
