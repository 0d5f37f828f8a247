"""What was done here: files, tasks, tools, sessions; and a person's word on how a task stands."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np

from loremap.embedding.scale import scale_of
from loremap.errors import BadInput, NotFound, Stale
from loremap.memory.sidecar_state import dollars
from loremap.memory.workspace import Workspace
from loremap.memory.writing import settled_project
from loremap.model.clock import new_id, short_id
from loremap.model.episode import Insights, Interaction, Past, Together, ToolRate
from loremap.model.finding import KeptFinding
from loremap.model.session import Session
from loremap.model.snapshot import Snapshot
from loremap.model.task import MAX_DESCRIPTION, SetBy, Task, TaskStatus
from loremap.model.text import cut, one_line
from loremap.safety.redaction import redacted, redacted_name
from loremap.sessions.episodes.similar import similar
from loremap.sessions.episodes.snapshots import snapshots as seen
from loremap.sessions.episodes.together import MIN_TIMES, together
from loremap.sessions.named import session_named
from loremap.storage import (
    episodes,
    findings,
    injections,
    learning,
    sidecar,
    snapshots,
    tasks,
)
from loremap.storage.analysis.asked import Analysis, analysis
from loremap.storage.sidecar import OfSession

RATES_DAYS = 7
MAX_COMMANDS = 200
MAX_FILES = 500
OPEN = (TaskStatus.ACTIVE, TaskStatus.PAUSED)


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that a session ran."""

    command: str
    success: bool | None
    at: datetime


@dataclass(frozen=True, slots=True)
class SessionAccount:
    """What was done in a session."""

    session: Session
    summary: str
    tasks: Sequence[Task]
    files: Sequence[Interaction]
    """The latest with each file and operation."""
    commands: Sequence[Ran]
    findings: Sequence[KeptFinding]
    snapshots: Sequence[Snapshot]
    sidecar: OfSession
    """What the small model was asked for it."""
    sidecar_dollars: float | None
    """None where no price is set."""


class Episodes:
    """What was done in the project of this folder, as the log tells it."""

    def __init__(self, here: Workspace) -> None:
        self._here = here

    # The log's questions

    def with_file(self, path: str, *, limit: int = 5) -> Sequence[Interaction]:
        """What was done last with a file, or in a folder, of this project, the latest first."""
        named = self._here.path_as_named(path)
        with self._here.store.read() as conn:
            return episodes.with_file(conn, self._here.project_id, named, limit=limit)

    def about(self, word: str, *, limit: int = 10) -> Sequence[Interaction]:
        """What was done last with files whose path holds a word, the latest first."""
        wanted = _said(word, "what it was about")
        with self._here.store.read() as conn:
            return episodes.with_word(conn, self._here.project_id, wanted, limit=limit)

    def together(
        self, path: str | None = None, *, min_times: int = MIN_TIMES, limit: int = 20
    ) -> Sequence[Together]:
        """Files that change together, in pairs, the most often first; those of one file only where
        it is named."""
        with self._here.store.read() as conn:
            found = together(episodes.edits(conn, self._here.project_id), min_times=min_times)
        if path is not None:
            named = self._here.path_as_named(path)
            found = [one for one in found if named in (one.first, one.second)]
        return found[:limit]

    def tool_rates(self, *, days: int = RATES_DAYS) -> Sequence[ToolRate]:
        """How often each tool succeeded in the last days, and how long it took."""
        since = self._here.now() - timedelta(days=days)
        with self._here.store.read() as conn:
            return episodes.tool_rates(conn, self._here.project_id, since=since)

    def insights(self, *, days: int = 30) -> Insights:
        """What the last days came to: calls a day, tools, files, tasks."""
        project_id, since = self._here.project_id, self._here.now() - timedelta(days=days)
        with self._here.store.read() as conn:
            lately = [one for one in tasks.of_project(conn, project_id) if one.started_at >= since]
            return Insights(
                days=days,
                per_day=tuple(episodes.per_day(conn, project_id, since=since)),
                rates=tuple(episodes.tool_rates(conn, project_id, since=since)),
                files=tuple(episodes.most_changed(conn, project_id, since=since, limit=10)),
                together=tuple(together(episodes.edits(conn, project_id))[:10]),
                statuses=Counter(one.status.value for one in lately),
                intents=Counter(one.intent.value for one in lately if one.intent is not None),
            )

    def similar(self, asked: str, *, limit: int = 3) -> Sequence[Past]:
        """Past tasks like what is asked, the likest first; none where none is."""
        with self._here.store.read() as conn:
            past = tasks.of_project(conn, self._here.project_id)
        return similar(asked, past, limit=limit, above=self._above(asked))

    def _above(self, asked: str) -> Callable[[Task], float | None]:
        """How far tasks lie above unrelated ones, by the vectors of the model in use."""
        slot = self._here.engine.slot
        vector = slot.query_vector(asked)
        if vector is None or slot.taken is None:
            return lambda _: None
        model = slot.taken.model
        with self._here.store.read() as conn:
            held = tasks.vectors(conn, self._here.project_id, model)
        if not held:
            return lambda _: None
        known = np.stack([np.frombuffer(one, np.float32) for one in held.values()])
        scale = scale_of(model, known)
        near = dict(zip(held, (scale.of(float(one)) for one in known @ vector), strict=True))
        return lambda task: near.get(task.id)

    # Tasks

    def tasks(self, *, statuses: Sequence[TaskStatus] = OPEN, limit: int = 20) -> Sequence[Task]:
        """The tasks here that stand so, the last begun first: what one was working on."""
        with self._here.store.read() as conn:
            return tasks.of_project(conn, self._here.project_id, statuses=statuses, limit=limit)

    def start(self, what: str) -> Task:
        """Begin a task, or go on with one that is named by its id; what is asked of agents here
        from now on is asked for it. One that is at work already is paused."""
        self._refuse_agent()
        asked = _said(what, "what the task is")
        known = self._named(asked)
        now = self._here.now()
        for other in self._at_work():
            if known is None or other.id != known.id:
                self._set(other, TaskStatus.PAUSED)
        if known is not None:
            return self._set(known, TaskStatus.ACTIVE)
        project = settled_project(self._here)
        one = Task(
            id=new_id(),
            session_id=self._here.session_id or "",
            description=cut(one_line(redacted(asked).text), MAX_DESCRIPTION),
            status=TaskStatus.ACTIVE,
            started_at=now,
            project_id=None if project is None else project.id,
            branch=_branch(self._here),
            set_by=SetBy.PERSON,
            spans=((now, None),),
        )
        with self._here.store.append() as conn:
            tasks.add(conn, one, now)
        return one

    def set_status(self, status: TaskStatus, reference: str | None = None) -> Task:
        """Say how a task stands: the one named, or the one that is being worked on."""
        self._refuse_agent()
        if reference is None:
            return self._set(self._current(), status)
        known = self._named(reference)
        if known is None:
            raise NotFound(f"There is no task {reference!r} here.", hint="`lore tasks` lists them.")
        return self._set(known, status)

    def _set(self, one: Task, status: TaskStatus) -> Task:
        now = self._here.now()
        changed = replace(
            one,
            status=status,
            completed_at=None if status.is_open else now,
            set_by=SetBy.PERSON,
            spans=_spans(one, now, at_work=status is TaskStatus.ACTIVE),
        )
        with self._here.store.append() as conn:
            if not tasks.save(conn, changed, now):
                raise Stale("The task was changed meanwhile; nothing was changed.")
        return replace(changed, updated_at=now, version=one.version + 1)

    def _current(self) -> Task:
        """The task that is being worked on: one that a person began, or else the last."""
        at_work = self._at_work() or self.tasks(statuses=(TaskStatus.ACTIVE,), limit=1)
        found = next(iter(at_work or self.tasks(limit=1)), None)
        if found is None:
            raise NotFound("Nothing is being worked on here.", hint="lore task start WHAT")
        return found

    def _at_work(self) -> list[Task]:
        with self._here.store.read() as conn:
            begun = tasks.begun_by_person(conn, self._here.project_id)
        return [one for one in begun if one.status is TaskStatus.ACTIVE]

    def _named(self, reference: str) -> Task | None:
        """The task whose id ends so."""
        if len(reference) < MIN_REFERENCE or not all(c in "0123456789abcdef" for c in reference):
            return None
        with self._here.store.read() as conn:
            found = tasks.ending_with(conn, self._here.project_id, reference)
        if len(found) > 1:
            named = ", ".join(short_id(one.id) for one in found)
            raise BadInput(f"{len(found)} tasks end with {reference!r}: {named}.")
        return found[0] if found else None

    def _refuse_agent(self) -> None:
        if self._here.agent is not None:
            raise BadInput("Only a person says how a task stands; nothing was changed.")

    # Sessions

    def session(self, session_id: str | None = None) -> SessionAccount:
        """What was done in a session: the one named, by its id or the beginning of it, or the last
        one here."""
        with self._here.store.read() as conn:
            found = session_named(self._here, conn, session_id)
            used = episodes.of_session(conn, found.id, limit=MAX_FILES)
            asked = sidecar.of_session(conn, found.id)
            return SessionAccount(
                session=found,
                summary=learning.summary(conn, found.id),
                tasks=tasks.of_session(conn, found.id),
                files=_latest(used),
                commands=_commands(episodes.commands(conn, found.id, limit=MAX_COMMANDS)),
                findings=findings.of_session(conn, found.id),
                snapshots=snapshots.of_session(conn, found.id),
                sidecar=asked,
                sidecar_dollars=dollars(self._here.settings, asked.micro_dollars),
            )

    @contextmanager
    def analysis(self, *, everywhere: bool = False) -> Iterator[Analysis]:
        """The log of this project, or of all, ready to be asked in SQL: `tool_executions`,
        `file_interactions`, `task_history`, `context_snapshots`, `learned_patterns` and
        `session_learnings`. Needs the extra `insights`."""
        project_id = self._here.project_id
        with (
            self._here.store.read() as conn,
            analysis(conn, project_id, everywhere=everywhere) as a,
        ):
            yield a

    def snapshot(self, session_id: str | None = None) -> Snapshot:
        """Note down what lies in the context of a session now, as far as we put it there."""
        session = self.session(session_id).session
        with self._here.store.append() as conn:
            points = snapshots.points(conn, session.id)
            given = injections.since(conn, session.id, None)
            taken = list(seen(session.id, points, given, now_too=True))
            snapshots.put(conn, taken)
        if not taken:
            raise NotFound("Nothing was recorded of that session; there is nothing to note down.")
        return taken[-1]


MIN_REFERENCE = 4


def _branch(here: Workspace) -> str | None:
    branch = here.repository.branch
    return None if branch is None else redacted_name(branch)


def _said(text: str, what: str) -> str:
    said = text.strip()
    if not said:
        raise BadInput(f"Say {what}.")
    return said


def _spans(
    one: Task, now: datetime, *, at_work: bool
) -> tuple[tuple[datetime, datetime | None], ...]:
    """The times at which a task was at work because a person said so."""
    if not one.spans:
        return ((now, None),) if at_work else ()
    closed = tuple((begin, end or now) for begin, end in one.spans)
    if not at_work:
        return closed
    return one.spans if one.spans[-1][1] is None else (*closed, (now, None))


def _latest(used: Sequence[Interaction]) -> list[Interaction]:
    """The latest use of each file for each operation."""
    found: dict[tuple[str, str], Interaction] = {}
    for one in used:
        found.setdefault((one.path, one.operation.value), one)
    return list(found.values())


def _commands(rows: Sequence[tuple[str, bool | None, datetime]]) -> list[Ran]:
    found = []
    for given, success, at in rows:
        told = json.loads(given)
        command = told.get("command") if isinstance(told, dict) else None
        if isinstance(command, str) and command.strip():
            found.append(Ran(one_line(command), success, at))
    return found
