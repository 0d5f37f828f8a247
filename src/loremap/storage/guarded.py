"""What a hook may warn of by itself: confirmed memories with triggers, and where each holds."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, and_, func, or_, select

from loremap.model.clock import to_ms
from loremap.model.kind import RULES
from loremap.model.memory import VOTED_DOWN, Scope, Status
from loremap.storage.tables import memories, memory_files, project_aliases, projects, triggers

PATH = "path:"


NOT_VOTED_DOWN = memories.c.unhelpful - memories.c.helpful - memories.c.confirmations < VOTED_DOWN
"""Of rows what `Memory.voted_down` says of a memory."""
_SPEAKS = and_(
    memories.c.status == Status.CONFIRMED.value,
    memories.c.deleted_at.is_(None),
    memories.c.tainted.is_(False),
    NOT_VOTED_DOWN,
)


def watched(conn: Connection, *, now: datetime, limit: int) -> list[str]:
    """Ids of the memories that may speak up by themselves, which a person has confirmed: those with
    triggers of their own first, then the most important. `model/told.py` asks the same of one."""
    speaking = [kind.value for kind, rule in RULES.items() if rule.may_trigger]
    has_trigger = select(triggers.c.memory_id).where(triggers.c.memory_id == memories.c.id).exists()
    has_file = (
        select(memory_files.c.memory_id).where(memory_files.c.memory_id == memories.c.id).exists()
    )
    query = (
        select(memories.c.id)
        .where(
            memories.c.kind.in_(speaking),
            _SPEAKS,
            memories.c.promoted_at.is_(None),
            memories.c.scope != Scope.SESSION.value,
            or_(memories.c.valid_until.is_(None), memories.c.valid_until > to_ms(now)),
            or_(has_trigger, has_file),
        )
        .order_by(has_trigger.desc(), memories.c.importance.desc(), memories.c.id)
        .limit(limit)
    )
    return list(conn.execute(query).scalars())


def all_stand(conn: Connection, ids: Collection[str]) -> bool:
    """Whether each of these memories still belongs to what a session begins with."""
    standing = [kind.value for kind, rule in RULES.items() if rule.always_on]
    stands = or_(memories.c.pinned.is_(True), memories.c.kind.in_(standing))
    query = select(func.count()).where(memories.c.id.in_(ids), _SPEAKS, stands)
    return conn.execute(query).scalar_one() == len(ids)


def places(conn: Connection) -> dict[str, list[str]]:
    """The folders that each project is known by; those of all worktrees are one."""
    query = select(project_aliases.c.project_id, project_aliases.c.key).where(
        project_aliases.c.key.like(f"{PATH}%")
    )
    found: dict[str, list[str]] = {}
    for row in conn.execute(query.order_by(project_aliases.c.key)):
        found.setdefault(row.project_id, []).append(row.key.removeprefix(PATH))
    return found


def switched_off(conn: Connection) -> list[str]:
    """The ids of the projects that are switched off."""
    query = select(projects.c.id).where(projects.c.memory_enabled.is_(False))
    return list(conn.execute(query.order_by(projects.c.id)).scalars())
