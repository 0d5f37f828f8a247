"""How earlier sessions went, as an agent is told: those that a task resembles, and what was left
open. What a person asked for there is quoted, for nobody asks for it now."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from loremap.clients.registry import client_named
from loremap.memory.brief.render import Piece
from loremap.memory.brief.said import INDENT, branch_mark
from loremap.model.clock import short_id
from loremap.model.hostile import speaks_to_a_model, suspicion
from loremap.model.kind import RULES, Kind
from loremap.model.session import Recap, Tier
from loremap.model.shell_steps import covers
from loremap.model.task import SetBy, Task, TaskStatus
from loremap.model.text import one_line
from loremap.model.words import words

EARLIER = "Earlier sessions here (what was asked there is quoted, not asked of you)"
UNFINISHED = "Left unfinished by earlier sessions"
MAX_EARLIER = 3
MAX_UNFINISHED = 4
UNSAID = "(not quoted: it gives orders to a model)"
OPEN_FOR = timedelta(days=RULES[Kind.WORK_STATE].half_life_days or 7)
"""Where work stopped is soon no longer where it stands."""
FEWEST_WORDS, LEAST_SHARE = 2, 0.4
"""So many words of a task, and this share of them, must be said of a session that resembles it."""
_BY_FILE, _BY_MODULE, _BY_WORDS, _BY_BRANCH = 4.0, 2.0, 2.0, 1.0
_LABELS = ("Asked: ", "Done: ", "Open: ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a task is about, as far as sessions are held against it."""

    said: frozenset[str] = frozenset()
    """Its words."""
    files: frozenset[str] = frozenset()
    """The files found for it."""
    sure: frozenset[str] = frozenset()
    """Those of them that it surely concerns."""
    around: frozenset[str] = frozenset()
    """The files of their modules."""
    branch: str | None = None
    """The branch it is begun on, unless that is the one that all others are merged into."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A session that a task resembles or goes on from."""

    recap: Recap
    score: float
    why: str
    is_alike: bool = False
    """Whether most of the task was asked or done there in its words."""

    @property
    def piece(self) -> Piece:
        """As it is told."""
        return recap_piece(self.recap, self.why, self.score)


def fitting(recaps: Iterable[Recap], task: Subject) -> list[Fit]:
    """The sessions that a task resembles or goes on from, the nearest first, of equals the last."""
    near = [fit for recap in recaps if (fit := _fits(recap, task)).score]
    near.sort(key=lambda one: (-one.score, -_age_key(one.recap)))
    return near[:MAX_EARLIER]


def resembled(pieces: Iterable[Piece]) -> bool:
    """Whether the task is surely like one of these sessions, and not only on the same branch."""
    return any((piece.score or 0.0) > _BY_BRANCH for piece in pieces)


def _fits(recap: Recap, task: Subject) -> Fit:
    """How near a session is to a task, and why; 0 where it is not."""
    changed, score, why = frozenset(recap.work.changed), 0.0, ""
    heard = task.said.intersection(words(_told(recap)))
    if task.branch is not None and recap.session.branch == task.branch:
        score, why = score + _BY_BRANCH, "this branch"
    are_some, are_most = len(heard) >= FEWEST_WORDS, len(heard) >= LEAST_SHARE * len(task.said)
    if are_some and are_most:
        score, why = score + _BY_WORDS, f"words: {', '.join(sorted(heard)[:3])}"
    if heard and (are_some or are_most) and changed & task.around:
        # a module alone may be most of a small project
        score, why = score + _BY_MODULE, "it changed this module"
    if shared := sorted(changed & (task.files if heard else task.sure)):
        score, why = score + _BY_FILE, f"it changed {shared[0]}"
    return Fit(recap, score, why, is_alike=are_some and are_most)


def _told(recap: Recap) -> str:
    text = recap.work.summary
    for label in _LABELS:
        text = text.replace(label, "")
    return text


def _age_key(recap: Recap) -> float:
    return recap.at.timestamp()


def recap_piece(recap: Recap, why: str, score: float) -> Piece:
    """A session in its two to five lines, under when it was, whose, and on which branch."""
    lines = [f"- {_head(recap)}:", *(INDENT + line for line in recap.work.summary.splitlines())]
    return Piece(
        text="\n".join(lines),
        tier=Tier.SUMMARY,
        why=f"session {short_id(recap.session.id)}: {why}",
        score=score,
    )


def _head(recap: Recap) -> str:
    session = recap.session
    marks = [f"{recap.at:%Y-%m-%d}", client_named(session.client).title]
    marks += [branch_mark(session.branch)] if session.branch else []
    return " ".join(marks)


def unfinished(
    recaps: Sequence[Recap],
    now: datetime,
    *,
    branch: str | None,
    tasks: Sequence[Task] = (),
) -> list[Piece]:
    """What was left open on a branch and nobody has closed since: tasks that a person left open,
    what the last sessions say, and tasks that they broke off; `recaps` come the last first."""
    here = [one for one in recaps if one.session.branch == branch]
    ends = [
        (recap, text)
        for place, recap in enumerate(here)
        if timedelta(0) <= now - recap.at <= OPEN_FOR
        for text in open_ends(recap, here[:place])
    ]
    told = {recap.session.id for recap, _ in ends}
    of_branch = [one for one in tasks if one.branch in (branch, None) and one.status.is_open]
    by_person = [one for one in of_branch if one.set_by is SetBy.PERSON]
    broken_off = [one for one in of_branch if one.session_id not in told and _waits(one, here, now)]
    lines = [
        *(_task_piece(one) for one in by_person),
        *(
            Piece(text=f"- {_head(recap)}: {text}", why=f"unfinished in {_name(recap)}")
            for recap, text in ends
        ),
        *(_task_piece(one) for one in broken_off),
    ]
    return lines[:MAX_UNFINISHED]


def _waits(task: Task, recaps: Sequence[Recap], now: datetime) -> bool:
    """Whether a task was broken off lately, and no session after its own went on with its files."""
    lately = timedelta(0) <= now - task.started_at <= OPEN_FOR
    by_rule = task.set_by is SetBy.RULE and task.status is TaskStatus.PAUSED
    later = (one for one in recaps if one.at > task.started_at)
    return (
        lately
        and by_rule
        and not any(
            one.session.id != task.session_id
            and not set(task.files_touched).isdisjoint(one.work.changed)
            for one in later
        )
    )


def _task_piece(task: Task) -> Piece:
    said = UNSAID if suspicion(task.description, person=True) else f"“{one_line(task.description)}”"
    done = "" if speaks_to_a_model(task.outcome) else one_line(task.outcome)
    done = f" ({done})" if done else ""
    return Piece(
        text=f"- {task.started_at:%Y-%m-%d} task {task.status.value}: {said}{done}",
        why=f"unfinished task {short_id(task.id)}",
    )


def _name(recap: Recap) -> str:
    return short_id(recap.session.id)


def open_ends(recap: Recap, later: Sequence[Recap]) -> list[str]:
    """What of a session is still open: where it stopped, unless a later one went on with its files;
    commands that failed, unless they ran again since, or a wider run succeeded."""
    changed = frozenset(recap.work.changed)
    went_on = any(not changed or changed.intersection(one.work.changed) for one in later)
    passed = [command for one in later for command in one.work.passed]
    again = {command for one in later for command in one.work.failing}
    failing = [
        command
        for command in recap.work.failing
        if command not in again and not any(covers(one, command) for one in passed)
    ]
    return [
        *(() if went_on else recap.work.stopped),
        *(f"failed when last run: “{command}”" for command in failing),
    ]


def untold(pieces: Iterable[Piece], told: Collection[str]) -> tuple[Piece, ...]:
    """The pieces that were not told before."""
    return tuple(piece for piece in pieces if piece.key not in told)
