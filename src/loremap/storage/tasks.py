"""Rows of tasks: found again whenever a session is read, and set by a person for good."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import (
    BigInteger,
    Connection,
    RowMapping,
    Select,
    bindparam,
    delete,
    insert,
    or_,
    select,
    update,
)

from loremap.model.clock import from_ms, optional_ms, optional_time, to_ms
from loremap.model.hook import Moment
from loremap.model.task import Intent, SetBy, Task, TaskStatus
from loremap.storage.dialect import dialect_of
from loremap.storage.sql import contains
from loremap.storage.tables import event_files, events, sessions, tasks

MAX_FOUND = 1_000
_AT_ONCE = 500
_FIRST_LETTERS = 60
"""By so much of a text what quotes it is known again."""
_WRITTEN = ("description", "intent", "files_touched", "tools_used", "outcome", "branch")
_STANDS = ("status", "completed_at")


def put(conn: Connection, session_id: str, found: Sequence[Task], now: datetime) -> None:
    """Keep the tasks of a session as they are known now. What a person says of one stays; one that
    is no longer found goes, unless a person had a hand in it."""
    known = {one.id: one for one in of_session(conn, session_id)}
    ids = {one.id for one in found}
    by_rule = [one.id for one in known.values() if one.set_by is SetBy.RULE]
    gone = [id_ for id_ in by_rule if id_ not in ids]
    if gone:
        conn.execute(delete(tasks).where(tasks.c.id.in_(gone)))
    fresh = [_row(one, now) for one in found if one.id not in known]
    if fresh:
        dialect_of(conn).insert_missing(conn, tasks, fresh)
    for one in found:
        if one.id in known:
            _renew(conn, known[one.id], one, now)


def _renew(conn: Connection, before: Task, after: Task, now: datetime) -> None:
    """Write what is known anew of a task, where that is anything."""
    names = _WRITTEN if before.set_by is SetBy.PERSON else (*_WRITTEN, *_STANDS)
    old, new = _row(before, now), _row(after, now)
    changed = {name: new[name] for name in names if new[name] != old[name]}
    if "description" in changed:
        changed["model"] = None  # its vector is of other words
    if changed:
        _set(conn, before.id, changed, now)


def _set(conn: Connection, id_: str, values: Mapping[str, object], now: datetime) -> None:
    raised = {**values, "updated_at": to_ms(now), "version": tasks.c.version + 1}
    conn.execute(update(tasks).where(tasks.c.id == id_).values(**raised))


def add(conn: Connection, one: Task, now: datetime) -> None:
    """Keep a task that a person began."""
    conn.execute(insert(tasks).values(**_row(one, now)))


def save(conn: Connection, one: Task, now: datetime) -> bool:
    """Keep how a task stands as a person says; whether it was still as that person saw it."""
    values = {name: _row(one, now)[name] for name in (*_STANDS, "set_by", "spans", "updated_at")}
    seen = (tasks.c.id == one.id) & (tasks.c.version == one.version)
    return bool(
        conn.execute(update(tasks).where(seen).values(**values, version=one.version + 1)).rowcount
    )


def note_done(conn: Connection, id_: str, now: datetime) -> None:
    """Take over into a person's task, from the log, the files and tools of all its sessions."""
    of_it = events.c.task_id == id_
    paths = (
        select(event_files.c.path)
        .join(events, events.c.seq == event_files.c.event_seq)
        .where(of_it, event_files.c.operation != "search")
        .order_by(events.c.seq, event_files.c.position)
    )
    files = list(dict.fromkeys(conn.execute(paths.limit(MAX_FOUND * 10)).scalars()))
    used: dict[str, int] = {}
    query = select(events.c.tool).where(of_it, events.c.tool != "")
    for tool in conn.execute(query).scalars():
        used[tool] = used.get(tool, 0) + 1
    values = {
        "files_touched": json.dumps(files[:200], ensure_ascii=False),
        "tools_used": json.dumps(used, ensure_ascii=False),
    }
    _set(conn, id_, values, now)


# The log

Stop = tuple[int, str, str | None]


def stops(conn: Connection, session_id: str) -> list[Stop]:
    """The events of a session in the order of their times: number, what was typed (empty for all
    else), its task."""
    typed = (events.c.moment == Moment.PROMPT.value) & events.c.subagent_id.is_(None)
    query = (
        select(events.c.seq, events.c.text, events.c.task_id, typed.label("typed"))
        .where(events.c.session_id == session_id)
        .order_by(events.c.at, events.c.seq)
    )
    return [(row.seq, row.text if row.typed else "", row.task_id) for row in conn.execute(query)]


def link(conn: Connection, wanted: Mapping[int, str | None]) -> None:
    """Say of events for which task each was done."""
    by_task: dict[str | None, list[int]] = {}
    for seq, id_ in wanted.items():
        by_task.setdefault(id_, []).append(seq)
    numbers = bindparam("numbers", type_=BigInteger, expanding=True)
    for id_, seqs in by_task.items():
        said = update(events).where(events.c.seq.in_(numbers)).values(task_id=id_)
        for start in range(0, len(seqs), _AT_ONCE):
            conn.execute(said, {"numbers": seqs[start : start + _AT_ONCE]})


# Reading


def of_session(conn: Connection, session_id: str) -> list[Task]:
    """The tasks that a session began, in that order."""
    query = select(tasks).where(tasks.c.session_id == session_id)
    return _found(conn, query.order_by(tasks.c.started_at, tasks.c.id))


def of_project(
    conn: Connection,
    project_id: str | None,
    *,
    statuses: Iterable[TaskStatus] = TaskStatus,
    limit: int = MAX_FOUND,
) -> list[Task]:
    """The tasks of a project that stand so, the last begun first."""
    query = select(tasks).where(
        tasks.c.project_id.is_not_distinct_from(project_id),
        tasks.c.status.in_([one.value for one in statuses]),
    )
    return _found(conn, query.order_by(tasks.c.started_at.desc(), tasks.c.id).limit(limit))


def left_open(
    conn: Connection, project_id: str, *, but: Iterable[str], limit: int = MAX_FOUND
) -> list[Task]:
    """The tasks of a project that are not closed, the last begun first: none of the sessions
    `but`, and of one that was held out those alone that a person set."""
    held_out = select(sessions.c.id).where(sessions.c.held_out)
    by_person = tasks.c.set_by == SetBy.PERSON.value
    query = select(tasks).where(
        tasks.c.project_id == project_id,
        tasks.c.status.in_([one.value for one in TaskStatus if one.is_open]),
        tasks.c.session_id.not_in(list(but)),
        by_person | tasks.c.session_id.not_in(held_out),
    )
    return _found(conn, query.order_by(tasks.c.started_at.desc(), tasks.c.id).limit(limit))


def ending_with(conn: Connection, project_id: str | None, reference: str) -> list[Task]:
    """The tasks of a project whose id ends so."""
    query = select(tasks).where(
        tasks.c.project_id.is_not_distinct_from(project_id),
        tasks.c.id.endswith(reference.lower(), autoescape=True),
    )
    return _found(conn, query.limit(MAX_FOUND))


def begun_by_person(conn: Connection, project_id: str | None) -> list[Task]:
    """The tasks of a project that a person began, the last first."""
    query = select(tasks).where(
        tasks.c.project_id.is_not_distinct_from(project_id), tasks.c.spans != "[]"
    )
    return _found(conn, query.order_by(tasks.c.started_at.desc()).limit(MAX_FOUND))


def by_ids(conn: Connection, ids: Sequence[str]) -> dict[str, Task]:
    """Tasks by their ids; what is gone is left out."""
    if not ids:
        return {}
    return {one.id: one for one in _found(conn, select(tasks).where(tasks.c.id.in_(ids)))}


def without_vector(
    conn: Connection, project_id: str | None, model: str, *, limit: int
) -> list[tuple[str, str]]:
    """The latest tasks of a project that a model has made no vector of: id and what was asked."""
    query = select(tasks.c.id, tasks.c.description).where(
        tasks.c.project_id.is_not_distinct_from(project_id), tasks.c.model.is_distinct_from(model)
    )
    found = conn.execute(query.order_by(tasks.c.started_at.desc()).limit(limit))
    return [(id_, said) for id_, said in found]


def put_vector(conn: Connection, id_: str, said: str, model: str, vector: bytes) -> None:
    """Keep the vector of what was asked, if it still says that."""
    same = (tasks.c.id == id_) & (tasks.c.description == said)
    conn.execute(update(tasks).where(same).values(model=model, embedding=vector))


def vectors(conn: Connection, project_id: str | None, model: str) -> dict[str, bytes]:
    """The vectors of a project's tasks that a model has made, by id."""
    query = select(tasks.c.id, tasks.c.embedding).where(
        tasks.c.project_id.is_not_distinct_from(project_id), tasks.c.model == model
    )
    return {id_: vector for id_, vector in conn.execute(query)}


def prune(conn: Connection, *, before: datetime) -> int:
    """Remove the tasks that nothing happened to since, and that nobody left open by hand; how many
    those were."""
    old = (tasks.c.updated_at < to_ms(before)) & (tasks.c.started_at < to_ms(before))
    left_open = (tasks.c.set_by == SetBy.PERSON.value) & tasks.c.completed_at.is_(None)
    return conn.execute(delete(tasks).where(old, ~left_open)).rowcount


def erase_saying(conn: Connection, texts: Iterable[str]) -> None:
    """Remove the tasks that hold one of `texts`, or its beginning where it was cut."""
    for text in filter(None, (" ".join(text.split()) for text in texts)):
        begun = text[:_FIRST_LETTERS]
        holds = or_(contains(tasks.c.description, begun), contains(tasks.c.outcome, begun))
        gone = list(conn.execute(select(tasks.c.id).where(holds)).scalars())
        if gone:
            conn.execute(update(events).where(events.c.task_id.in_(gone)).values(task_id=None))
            conn.execute(delete(tasks).where(tasks.c.id.in_(gone)))


def _found(conn: Connection, query: Select[tuple[object, ...]]) -> list[Task]:
    return [_task(row) for row in conn.execute(query).mappings()]


def _row(one: Task, now: datetime) -> dict[str, object]:
    return {
        "id": one.id,
        "project_id": one.project_id,
        "session_id": one.session_id,
        "branch": one.branch,
        "description": one.description,
        "intent": None if one.intent is None else one.intent.value,
        "status": one.status.value,
        "started_at": to_ms(one.started_at),
        "completed_at": optional_ms(one.completed_at),
        "files_touched": json.dumps(one.files_touched, ensure_ascii=False),
        "tools_used": json.dumps(dict(one.tools_used), ensure_ascii=False),
        "outcome": one.outcome,
        "set_by": one.set_by.value,
        "spans": json.dumps([[to_ms(begin), optional_ms(end)] for begin, end in one.spans]),
        "updated_at": to_ms(now),
    }


def _task(row: RowMapping) -> Task:
    return Task(
        id=row["id"],
        session_id=row["session_id"],
        project_id=row["project_id"],
        branch=row["branch"],
        description=row["description"],
        intent=None if row["intent"] is None else Intent(row["intent"]),
        status=TaskStatus(row["status"]),
        started_at=from_ms(row["started_at"]),
        completed_at=optional_time(row["completed_at"]),
        files_touched=tuple(json.loads(row["files_touched"])),
        tools_used=json.loads(row["tools_used"]),
        outcome=row["outcome"],
        set_by=SetBy(row["set_by"]),
        spans=tuple((from_ms(a), optional_time(b)) for a, b in json.loads(row["spans"])),
        updated_at=from_ms(row["updated_at"]),
        version=row["version"],
    )
