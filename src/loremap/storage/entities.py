"""Rows of entities: what memories speak of, the names it goes by, and who mentions it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from loremap.model.clock import new_id, optional_time, to_ms
from loremap.model.entity import Entity, EntityKind, NameSource
from loremap.storage import row_history
from loremap.storage.tables import entities, entity_names, mentions
from loremap.storage.transaction import Tx, log

Matrix = NDArray[np.float32]
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A thing that a memory speaks of."""

    key: str
    name: str
    kind: EntityKind


@dataclass(frozen=True, slots=True)
class Shelf:
    """Whose entities are meant, and of which project; those known everywhere are among them."""

    owner_id: str
    project_id: str | None

    @property
    def place(self) -> str:
        """The project as rows name it."""
        return self.project_id or ""

    def holds(self) -> ColumnElement[bool]:
        """Whether a row of entities lies here."""
        return and_(
            entities.c.owner_id == self.owner_id, entities.c.project_id.in_(("", self.place))
        )


def listed(conn: Connection, shelf: Shelf, *, limit: int | None = None) -> list[Entity]:
    """The entities of a place, the most mentioned first."""
    query = (
        select(entities)
        .where(shelf.holds())
        .order_by(entities.c.mention_count.desc(), entities.c.key)
        .limit(limit)
    )
    rows = conn.execute(query).all()
    names = _names(conn, [row.id for row in rows])
    return [_entity(row, names) for row in rows]


def by_ids(conn: Connection, ids: Iterable[str]) -> dict[str, Entity]:
    """Entities by id."""
    wanted = list(dict.fromkeys(ids))
    found: dict[str, Entity] = {}
    for start in range(0, len(wanted), AT_ONCE):
        some = wanted[start : start + AT_ONCE]
        names = _names(conn, some)
        for row in conn.execute(select(entities).where(entities.c.id.in_(some))):
            found[row.id] = _entity(row, names)
    return found


def known_by(conn: Connection, shelf: Shelf, keys: Sequence[str]) -> Entity | None:
    """The entity that one of its keys or names is; that of the fullest key, of the project
    first."""
    for key in keys:
        named = select(entity_names.c.entity_id).where(entity_names.c.key == key)
        query = (
            select(entities)
            .where(
                shelf.holds(),
                or_(entities.c.key == key, entities.c.id.in_(named)),
            )
            .order_by((entities.c.key == key).desc(), entities.c.project_id.desc())
            .limit(1)
        )
        if (row := conn.execute(query).first()) is not None:
            return _entity(row, _names(conn, [row.id]))
    return None


def settled(
    tx: Tx, shelf: Shelf, found: Iterable[Mentioned], *, undoable: bool = False
) -> dict[str, str]:
    """The ids of entities by key, made where they are not known yet; `undoable` takes those away
    again with the write."""
    wanted = {one.key: one for one in found}
    ids = _ids(tx.conn, shelf, list(wanted))
    fresh = [one for key, one in wanted.items() if key not in ids]
    rows = [
        {
            "id": new_id(),
            "owner_id": shelf.owner_id,
            "project_id": shelf.place,
            "kind": one.kind.value,
            "name": one.name,
            "key": one.key,
            "created_at": to_ms(tx.now),
            "updated_at": to_ms(tx.now),
            "version": tx.seq,
        }
        for one in fresh
    ]
    if rows:
        tx.conn.execute(insert(entities), rows)
    for row in rows if undoable else ():
        key = {"tenant_id": tx.actor.tenant_id, "id": row["id"]}
        row_history.made(tx, entities, key, memory_id=None, project_id=shelf.project_id)
    return ids | {str(row["key"]): str(row["id"]) for row in rows}


def note_mentions(tx: Tx, memory_id: str, ids: Iterable[str], *, at_ms: int) -> None:
    """Note which entities a memory speaks of, in place of what was noted before."""
    before = set(
        tx.conn.execute(
            select(mentions.c.entity_id).where(mentions.c.memory_id == memory_id)
        ).scalars()
    )
    now = set(ids)
    gone, come = before - now, sorted(now - before)
    if gone:
        tx.conn.execute(
            delete(mentions).where(
                mentions.c.memory_id == memory_id, mentions.c.entity_id.in_(gone)
            )
        )
    if come:
        tx.conn.execute(
            insert(mentions), [{"memory_id": memory_id, "entity_id": id_} for id_ in come]
        )
    for id_ in (*sorted(gone), *come):
        _count(tx, id_, at_ms=at_ms if id_ in now else None)


_COUNT = select(func.count()).where(mentions.c.entity_id == bindparam("of_entity"))


def _count(tx: Tx, id_: str, *, at_ms: int | None) -> None:
    number = int(tx.conn.execute(_COUNT, {"of_entity": id_}).scalar_one())
    last = {} if at_ms is None else {"last_mentioned": _later(at_ms)}
    tx.conn.execute(
        update(entities).where(entities.c.id == id_).values(mention_count=number, **last)
    )


def _later(at_ms: int) -> ColumnElement[int]:
    """The later of what is noted and `at_ms`."""
    before = func.coalesce(entities.c.last_mentioned, 0)
    return case((before > at_ms, before), else_=at_ms)


def mentioning(conn: Connection, entity_id: str) -> list[str]:
    """The ids of the memories that speak of an entity."""
    query = select(mentions.c.memory_id).where(mentions.c.entity_id == entity_id)
    return list(conn.execute(query).scalars())


def add_name(tx: Tx, entity: Entity, key: str, name: str, source: NameSource) -> None:
    """Let an entity go by another name too."""
    log(tx, "fact", project_id=entity.project_id or None, detail=f"name {entity.id}")
    same = and_(entity_names.c.entity_id == entity.id, entity_names.c.key == key)
    with row_history.kept(tx, entity_names, same, project_id=entity.project_id or None):
        tx.conn.execute(delete(entity_names).where(same))
        tx.conn.execute(
            insert(entity_names).values(
                entity_id=entity.id, key=key, name=name, source=source.value
            )
        )


def respell(tx: Tx, id_: str, name: str) -> None:
    """Tell an entity by another spelling of its name."""
    same = entities.c.id == id_
    project_id = tx.conn.execute(select(entities.c.project_id).where(same)).scalar_one_or_none()
    if project_id is not None:
        with row_history.kept(tx, entities, same, project_id=project_id or None):
            renamed = {"name": name, "model": None, "embedding": None, "version": tx.seq}
            tx.conn.execute(update(entities).where(same).values(renamed))


def unembedded(conn: Connection, model: str, *, limit: int) -> list[Entity]:
    """Entities without a vector of `model`, the most mentioned first."""
    without = or_(entities.c.model.is_(None), entities.c.model != model)
    query = (
        select(entities)
        .where(without)
        .order_by(entities.c.mention_count.desc(), entities.c.id)
        .limit(limit)
    )
    return [_entity(row, {}) for row in conn.execute(query)]


_EMBED = (
    update(entities)
    .where(entities.c.id == bindparam("of_id"))
    .values(model=bindparam("to_model"), embedding=bindparam("to_vector"))
)


def put_vectors(tx: Tx, model: str, ids: Sequence[str], made: Matrix) -> None:
    """Store the vectors of entities' names."""
    rows = [
        {"of_id": id_, "to_model": model, "to_vector": np.asarray(one, np.float32).tobytes()}
        for id_, one in zip(ids, made, strict=True)
    ]
    if rows:
        tx.conn.execute(_EMBED, rows)


def vectors_of(conn: Connection, shelf: Shelf, model: str | None) -> tuple[list[str], Matrix]:
    """The entities of a place that have a vector of `model`, and these."""
    query = select(entities.c.id, entities.c.embedding).where(
        shelf.holds(), entities.c.model == model, entities.c.embedding.is_not(None)
    )
    rows = conn.execute(query).all()
    if not rows:
        return [], np.zeros((0, 0), np.float32)
    made = np.frombuffer(b"".join(bytes(row.embedding) for row in rows), np.float32)
    return [row.id for row in rows], made.reshape(len(rows), -1)


def _ids(conn: Connection, shelf: Shelf, keys: Sequence[str]) -> dict[str, str]:
    """The ids of entities by key or by another name, those of the project before those that are
    known everywhere."""
    found: dict[str, str] = {}
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        by_name = (
            select(entity_names.c.key, entities.c.id)
            .join(entities, entities.c.id == entity_names.c.entity_id)
            .where(entity_names.c.key.in_(some), shelf.holds())
        )
        by_key = (
            select(entities.c.key, entities.c.id)
            .where(entities.c.key.in_(some), shelf.holds())
            .order_by(entities.c.project_id)
        )
        for query in (by_name, by_key):
            found.update({key: id_ for key, id_ in conn.execute(query)})
    return found


def _names(conn: Connection, ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        query = select(entity_names).where(entity_names.c.entity_id.in_(some))
        for row in conn.execute(query.order_by(entity_names.c.key)):
            found[row.entity_id] = (*found.get(row.entity_id, ()), row.name)
    return found


def _entity(row: Row[tuple[object, ...]], names: Mapping[str, tuple[str, ...]]) -> Entity:
    held = row._mapping
    return Entity(
        id=held["id"],
        kind=EntityKind(held["kind"]),
        name=held["name"],
        key=held["key"],
        project_id=held["project_id"],
        mention_count=held["mention_count"],
        last_mentioned=optional_time(held["last_mentioned"]),
        aliases=names.get(held["id"], ()),
    )
