"""Modules as rows: reading them, and bringing the rows to what is wanted in place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from loremap.model.clock import new_id, to_ms
from loremap.model.map_edits import LISTS, Edited
from loremap.model.map_matching import matched
from loremap.model.module import MapConfidence, Module
from loremap.storage.tables import modules
from loremap.storage.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredModule:
    """A row: the module, who edited it, who worked in it, and whether this checkout has it."""

    module: Module
    edited: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    gone: bool = False

    @property
    def is_cared_for(self) -> bool:
        """Whether a person or a session left something in it that a scan cannot find again."""
        return bool(self.edited or self.sessions or self.module.annotation)


def rows_of(conn: Connection, project_id: str) -> list[StoredModule]:
    """The stored modules of a project by name, those that are gone included."""
    query = select(modules).where(modules.c.project_id == project_id).order_by(modules.c.name)
    return [_from_row(row) for row in conn.execute(query)]


def _from_row(row: Row[Any]) -> StoredModule:
    state = json.loads(row.edited)
    return StoredModule(
        module=Module(
            name=row.name,
            description=row.description,
            confidence=MapConfidence(row.confidence),
            annotation=row.annotation,
            id=row.id,
            version=row.version,
            **{name: tuple(json.loads(getattr(row, name))) for name in LISTS},
        ),
        edited=tuple(state.get("edited", ())),
        gone=bool(state.get("gone", False)),
        sessions=tuple(json.loads(row.sessions)),
    )


def bring_to(tx: Tx, project_id: str, wanted: Edited) -> bool:
    """Make the rows say `wanted`; True where anything changed.

    A row keeps its id, annotation, sessions and confidence. What is gone is deleted, or only
    hidden where someone cared for it: it may come back with another branch.
    """
    stored = rows_of(tx.conn, project_id)
    pairs = matched(wanted.modules, [row.module for row in stored])
    kept = {stored[at].module.id for at in pairs.values()}
    changed = False
    for row in stored:
        if row.module.id not in kept:
            changed |= _put_away(tx, row)
    for index, at in pairs.items():
        if wanted.modules[index].name != stored[at].module.name:
            _free_name(tx, stored[at].module.id)
    for index, module in enumerate(wanted.modules):
        marks = wanted.by.get(module.name, ())
        if index in pairs:
            changed |= _update(tx, module, before=stored[pairs[index]], marks=marks)
        else:
            _insert(tx, project_id, module, marks=marks)
            changed = True
    return changed


def _free_name(tx: Tx, row_id: str) -> None:
    """Names are unique, and two modules may exchange theirs."""
    tx.conn.execute(update(modules).where(modules.c.id == row_id).values(name=f"~{row_id}"))


def _put_away(tx: Tx, row: StoredModule) -> bool:
    """Delete or hide a module that is gone; False where it was hidden already."""
    where = modules.c.id == row.module.id
    if not row.is_cared_for:
        tx.conn.execute(delete(modules).where(where))
        return not row.gone
    if row.gone:
        return False
    state = json.dumps({"edited": list(row.edited), "gone": True}, ensure_ascii=False)
    tx.conn.execute(update(modules).where(where).values(edited=state))
    return True


def _insert(tx: Tx, project_id: str, module: Module, *, marks: Sequence[str]) -> None:
    tx.conn.execute(
        insert(modules).values(
            id=new_id(),
            project_id=project_id,
            updated_at=to_ms(tx.now),
            annotation=module.annotation,
            **_said(module, marks),
        )
    )


def _update(tx: Tx, module: Module, *, before: StoredModule, marks: Sequence[str]) -> bool:
    """Write what is new of a module; False where nothing is."""
    said = _said(module, marks)
    if said == _said(before.module, before.edited) and not before.gone:
        return False
    tx.conn.execute(
        update(modules)
        .where(modules.c.id == before.module.id)
        .values(version=before.module.version + 1, updated_at=to_ms(tx.now), **said)
    )
    return True


def _said(module: Module, marks: Sequence[str]) -> dict[str, str]:
    """The columns that a scan and the edits decide."""
    return {
        "name": module.name,
        "description": module.description,
        "edited": json.dumps({"edited": list(marks)} if marks else {}, ensure_ascii=False),
        **{name: json.dumps(getattr(module, name), ensure_ascii=False) for name in LISTS},
    }


def work_noted(
    tx: Tx, row: StoredModule, *, sessions: Sequence[str], confidence: MapConfidence
) -> None:
    """Write who worked in a module and how well it is known now."""
    tx.conn.execute(
        update(modules)
        .where(modules.c.id == row.module.id)
        .values(
            sessions=json.dumps(list(sessions)),
            confidence=confidence.value,
            version=row.module.version + (confidence != row.module.confidence),
            updated_at=to_ms(tx.now),
        )
    )


def annotate(tx: Tx, row: StoredModule, text: str) -> None:
    """Write what a person says about a module."""
    tx.conn.execute(
        update(modules)
        .where(modules.c.id == row.module.id)
        .values(annotation=text, version=row.module.version + 1, updated_at=to_ms(tx.now))
    )


def remove(tx: Tx, row: StoredModule) -> None:
    """Delete a module whose content another one has taken over."""
    tx.conn.execute(delete(modules).where(modules.c.id == row.module.id))
