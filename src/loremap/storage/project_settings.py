"""What is settled for one project, by key: small values in JSON."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from loremap.storage.tables import settings
from loremap.storage.transaction import Tx, log


def setting(conn: Connection, project_id: str, key: str) -> Any:
    """The value under `key`; None where there is none."""
    value = conn.execute(
        select(settings.c.value).where(settings.c.project_id == project_id, settings.c.key == key)
    ).scalar_one_or_none()
    return None if value is None else json.loads(value)


def settle(tx: Tx, project_id: str, key: str, value: Any) -> None:
    """Put `value` under `key`."""
    log(tx, "settings", project_id=project_id, detail=key)
    tx.conn.execute(
        delete(settings).where(settings.c.project_id == project_id, settings.c.key == key)
    )
    tx.conn.execute(
        insert(settings).values(
            tenant_id=tx.actor.tenant_id,
            project_id=project_id,
            key=key,
            value=json.dumps(value, ensure_ascii=False),
        )
    )
