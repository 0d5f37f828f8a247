"""Projects and the keys they are known by."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from loremap.model.clock import new_id, optional_time, to_ms
from loremap.model.identity import (
    Claims,
    Known,
    NewProject,
    NoProject,
    Repository,
    SameProject,
    identity_keys,
    resolved,
)
from loremap.storage import pauses
from loremap.storage.pauses import Cause
from loremap.storage.row_history import kept
from loremap.storage.store import Store
from loremap.storage.tables import project_aliases, projects
from loremap.storage.transaction import Tx, log, note_told

_ENABLED = select(projects.c.memory_enabled).where(projects.c.id == bindparam("id"))
"""Put together once, because every event asks it."""


@dataclass(frozen=True, slots=True)
class Project:
    """A repository or folder that has memories of its own."""

    id: str
    name: str
    remote: str | None


def known_in(conn: Connection, tenant_id: str) -> Callable[[str], Known | None]:
    """A look-up of the project that holds a key."""

    def known(key: str) -> Known | None:
        row = conn.execute(
            select(projects.c.id, projects.c.root_commit)
            .join(project_aliases, project_aliases.c.project_id == projects.c.id)
            .where(project_aliases.c.tenant_id == tenant_id, project_aliases.c.key == key)
        ).first()
        if row is None:
            return None
        remotes = (
            select(func.count())
            .select_from(project_aliases)
            .where(project_aliases.c.project_id == row.id, project_aliases.c.key.like("remote:%"))
        )
        return Known(
            project_id=row.id,
            has_remote=bool(conn.execute(remotes).scalar_one()),
            root_commit=row.root_commit,
        )

    return known


def find(store: Store, repository: Repository, *, tenant_id: str) -> Project | None:
    """The project of `repository`, if it is known; a second clone finds it before it is settled."""
    with store.read() as conn:
        decision = resolved(identity_keys(repository), known_in(conn, tenant_id))
        return get(conn, decision.project_id) if isinstance(decision, SameProject) else None


def is_settled(store: Store, repository: Repository, *, tenant_id: str) -> bool:
    """Whether nothing about `repository` has to be written: it is known by all its keys."""
    with store.read() as conn:
        decision = resolved(identity_keys(repository), known_in(conn, tenant_id))
    if isinstance(decision, SameProject):
        return decision.claims == Claims()
    return isinstance(decision, NoProject)


def settle(tx: Tx, repository: Repository) -> Project | None:
    """The project of `repository`, made or given new keys as needed; None if there is none."""
    decision = resolved(identity_keys(repository), known_in(tx.conn, tx.actor.tenant_id))
    if isinstance(decision, NoProject):
        return None
    if isinstance(decision, NewProject):
        project_id = new_id()
        log(tx, "project", project_id=project_id, detail=decision.why)
        tx.conn.execute(
            insert(projects).values(
                id=project_id,
                tenant_id=tx.actor.tenant_id,
                owner_id=tx.actor.owner_id,
                name=repository.name,
                remote=repository.remote,
                root_commit=repository.root_commit,
                created_at=to_ms(tx.now),
                updated_at=to_ms(tx.now),
            )
        )
    else:
        project_id = decision.project_id
    _claim(tx, project_id, decision.claims, remote=repository.remote)
    return get(tx.conn, project_id)


def get(conn: Connection, project_id: str) -> Project:
    """The project with that id."""
    row = conn.execute(select(projects).where(projects.c.id == project_id)).one()
    return Project(row.id, row.name, row.remote)


def all_projects(conn: Connection, tenant_id: str) -> list[Project]:
    """Every project of a tenant, by name."""
    query = select(projects).where(projects.c.tenant_id == tenant_id).order_by(projects.c.name)
    return [Project(row.id, row.name, row.remote) for row in conn.execute(query)]


def learns(conn: Connection, project_id: str) -> bool:
    """Whether a project's sessions are learned from by themselves."""
    query = select(projects.c.auto_memory_enabled).where(projects.c.id == project_id)
    return bool(conn.execute(query).scalar())


def let_learn(tx: Tx, project_id: str, *, on: bool) -> None:
    """Set whether a project's sessions are learned from by themselves."""
    log(tx, "settings", project_id=project_id, detail=f"learning {'on' if on else 'off'}")
    one = projects.c.id == project_id
    with kept(tx, projects, one, columns=("auto_memory_enabled",), project_id=project_id):
        tx.conn.execute(update(projects).where(one).values(auto_memory_enabled=on, version=tx.seq))
    pauses.note(tx, Cause.LEARNING, project_id, on=on)


@dataclass(frozen=True, slots=True)
class GitRead:
    """How far a project's history was read."""

    known: tuple[str, ...] = ()
    """Commits up to which all was read."""
    target: tuple[str, ...] = ()
    """Commits up to which is being read."""
    read: str = ""
    """The last commit between that taught something and was read, the oldest being first."""


def git_read(conn: Connection, project_id: str) -> GitRead:
    """How far a project's history was read."""
    told = conn.execute(select(projects.c.git_read).where(projects.c.id == project_id)).scalar()
    known, target, read = json.loads(told) if told else ((), (), "")
    # An older Loremap counted; then it is read anew, which changes nothing.
    return GitRead(tuple(known), tuple(target), read if isinstance(read, str) else "")


def note_git_read(conn: Connection, project_id: str, read: GitRead) -> None:
    """Note how far a project's history was read; reading it again changes nothing."""
    told = json.dumps([read.known, read.target, read.read])
    conn.execute(update(projects).where(projects.c.id == project_id).values(git_read=told))


def is_enabled(conn: Connection, project_id: str) -> bool:
    """Whether a project's sessions are listened to."""
    enabled = conn.execute(_ENABLED, {"id": project_id}).scalar_one_or_none()
    return bool(enabled in (None, True))


def enable(tx: Tx, project_id: str, *, on: bool) -> None:
    """Listen to a project's sessions, or leave them alone."""
    log(tx, "settings", project_id=project_id, detail="on" if on else "off")
    one = projects.c.id == project_id
    with kept(tx, projects, one, columns=("memory_enabled",), project_id=project_id):
        tx.conn.execute(update(projects).where(one).values(memory_enabled=on, version=tx.seq))
    pauses.note(tx, Cause.PROJECT, project_id, on=on)
    note_told(tx)


def count(conn: Connection, project_id: str, *, recalls: int = 0, accesses: int = 0) -> None:
    """Count what was asked of a project's memory, and how often it was of use."""
    conn.execute(
        update(projects)
        .where(projects.c.id == project_id)
        .values(
            total_recalls=projects.c.total_recalls + recalls,
            total_accesses=projects.c.total_accesses + accesses,
        )
    )


@dataclass(frozen=True, slots=True)
class Tended:
    """When a project was last looked after, and how often it was asked since."""

    at: datetime | None
    recalls_since: int


def tended(conn: Connection, project_id: str) -> Tended:
    """When a project was last looked after."""
    row = conn.execute(select(projects).where(projects.c.id == project_id)).one()
    return Tended(optional_time(row.last_compacted_at), row.total_recalls - row.tended_at_recall)


def note_tended(tx: Tx, project_id: str, *, promotions: int, evictions: int) -> None:
    """Count what tending did; a count is not taken back with what it counts."""
    tx.conn.execute(
        update(projects)
        .where(projects.c.id == project_id)
        .values(
            last_compacted_at=to_ms(tx.now),
            tended_at_recall=projects.c.total_recalls,
            total_promotions=projects.c.total_promotions + promotions,
            total_evictions=projects.c.total_evictions + evictions,
        )
    )


def preset(conn: Connection, project_id: str) -> str:
    """How much must speak for a candidate of a project, by name."""
    query = select(projects.c.config_preset).where(projects.c.id == project_id)
    return str(conn.execute(query).scalar_one())


def set_preset(tx: Tx, project_id: str, name: str) -> None:
    """Set how much must speak for a candidate of a project."""
    log(tx, "settings", project_id=project_id, detail=f"preset {name}")
    one = projects.c.id == project_id
    with kept(tx, projects, one, columns=("config_preset",), project_id=project_id):
        tx.conn.execute(update(projects).where(one).values(config_preset=name, version=tx.seq))


def keys_of(conn: Connection, project_id: str) -> list[str]:
    """The keys a project is known by."""
    query = select(project_aliases.c.key).where(project_aliases.c.project_id == project_id)
    return sorted(conn.execute(query).scalars())


def places_of(conn: Connection, project_id: str) -> list[str]:
    """The folders by which a project is known, each that all its worktrees have in common."""
    keys = (key.partition(":") for key in keys_of(conn, project_id))
    return [place for kind, _, place in keys if kind == "path"]


def _claim(tx: Tx, project_id: str, claims: Claims, *, remote: str | None) -> None:
    for key in (*claims.add, *claims.move):
        tx.conn.execute(
            delete(project_aliases).where(
                project_aliases.c.tenant_id == tx.actor.tenant_id, project_aliases.c.key == key
            )
        )
        tx.conn.execute(
            insert(project_aliases).values(
                tenant_id=tx.actor.tenant_id,
                key=key,
                project_id=project_id,
                created_at=to_ms(tx.now),
            )
        )
    if claims.add or claims.move:
        note_told(tx)
    values: dict[str, object] = {}
    if claims.root_commit:
        values["root_commit"] = claims.root_commit
    if remote and any(key.startswith("remote:") for key in claims.add):
        values["remote"] = remote
    if values:
        tx.conn.execute(update(projects).where(projects.c.id == project_id).values(**values))
