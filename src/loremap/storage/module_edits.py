"""The edits people made in a module map, kept in order."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import Connection, delete, insert, select

from loremap.model.clock import to_ms
from loremap.model.map_edits import BY_SIDECAR, EditKind, MapEdit
from loremap.storage.tables import module_edits
from loremap.storage.transaction import Tx


def edits_of(conn: Connection, project_id: str) -> list[tuple[int, MapEdit]]:
    """The edits of a project in order, each with its number."""
    query = (
        select(module_edits)
        .where(module_edits.c.project_id == project_id)
        .order_by(module_edits.c.seq)
    )
    return [
        (
            row.seq,
            MapEdit(
                kind=EditKind(row.kind),
                module=row.module,
                value=row.value,
                items=tuple(json.loads(row.items)),
                files=tuple(json.loads(row.files)),
                by=row.actor if row.actor == BY_SIDECAR else "",
            ),
        )
        for row in conn.execute(query)
    ]


def keep_edit(tx: Tx, project_id: str, edit: MapEdit) -> None:
    """Add an edit after the others; what it says of a field takes the place of what was said."""
    if edit.kind is EditKind.SET:
        tx.conn.execute(
            delete(module_edits).where(
                module_edits.c.project_id == project_id,
                module_edits.c.kind == edit.kind.value,
                module_edits.c.module == edit.module,
                module_edits.c.value == edit.value,
            )
        )
    tx.conn.execute(
        insert(module_edits).values(
            project_id=project_id,
            kind=edit.kind.value,
            module=edit.module,
            value=edit.value,
            items=_list(edit.items),
            files=_list(edit.files),
            at=to_ms(tx.now),
            actor=tx.actor.name,
        )
    )


def drop_edit(tx: Tx, project_id: str, seq: int) -> bool:
    """Forget one edit; False if there is none of that number. The next scan no longer applies
    it."""
    gone = tx.conn.execute(
        delete(module_edits).where(
            module_edits.c.project_id == project_id, module_edits.c.seq == seq
        )
    )
    return bool(gone.rowcount)


def _list(items: Sequence[str]) -> str:
    return json.dumps(list(items), ensure_ascii=False)
