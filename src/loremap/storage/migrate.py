"""Migrations: numbered, forward only, each in one transaction with its record."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, func, insert, inspect, select, update
from sqlalchemy.exc import SQLAlchemyError

from loremap.errors import Damaged, LoremapError, MigrationFailed, TooNew
from loremap.model.clock import new_id
from loremap.model.version import VERSION
from loremap.storage import memories, relations, tables
from loremap.storage.sqlite import text_index
from loremap.storage.sqlite.presence import RESTORE

_REFUSE = "BEGIN SELECT raise(ABORT, 'the audit trail cannot be changed'); END"
_RECENT = f"old.seq > (SELECT max(seq) FROM audit) - {tables.AUDIT_KEPT}"
_THERE = "EXISTS (SELECT 1 FROM audit WHERE seq = new.seq)"
IMMUTABLE_AUDIT = (
    f"CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit {_REFUSE}",
    f"CREATE TRIGGER audit_kept BEFORE DELETE ON audit WHEN {_RECENT} {_REFUSE}",
    # REPLACE deletes without asking the trigger above.
    f"CREATE TRIGGER audit_added BEFORE INSERT ON audit WHEN {_THERE} {_REFUSE}",
)
_ONLY_APPENDED = "BEGIN SELECT raise(ABORT, 'the log of events is only appended to'); END"
APPEND_ONLY_EVENTS = (f"CREATE TRIGGER events_unchanged BEFORE UPDATE ON events {_ONLY_APPENDED}",)
"""Old events go by the retention that is set; none is ever rewritten."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from the version before."""

    number: int
    name: str
    apply: Callable[[Connection], None]
    oldest_program: str = "0.1.0"
    """The oldest program version that may still use a store at this version."""


def foundation(conn: Connection) -> None:
    """Make the tables of this version in an empty file."""
    tables.metadata.create_all(conn)
    for statement in (*text_index.CREATE, *IMMUTABLE_AUDIT, *APPEND_ONLY_EVENTS):
        conn.exec_driver_sql(statement)
    conn.execute(
        insert(tables.meta),
        [
            {"key": "store_id", "value": new_id()},
            {"key": "change_seq", "value": "0"},
            {"key": "oldest_program", "value": "0"},
        ],
    )


def code_map(conn: Connection) -> None:
    """Anchors of memories in the code, and what people and sessions add to modules."""
    tables.anchors.create(conn)
    tables.module_edits.create(conn)
    for column in ("annotation TEXT NOT NULL DEFAULT ''", "sessions TEXT NOT NULL DEFAULT '[]'"):
        conn.exec_driver_sql(f"ALTER TABLE modules ADD COLUMN {column}")


def in_the_agent(conn: Connection) -> None:
    """Events of sessions, what was injected into them, and where each session stands."""
    for table in (tables.events, tables.event_files, tables.injections):
        table.create(conn)
    for column in (
        "last_at INTEGER",
        "always_on TEXT NOT NULL DEFAULT ''",
        "reset_at INTEGER",
        "held_out BOOLEAN NOT NULL DEFAULT 0",
        "incognito BOOLEAN NOT NULL DEFAULT 0",
    ):
        conn.exec_driver_sql(f"ALTER TABLE sessions ADD COLUMN {column}")
    for statement in APPEND_ONLY_EVENTS:
        conn.exec_driver_sql(statement)


def roles_of_subagents(conn: Connection) -> None:
    """The role of the subagent in which an event happened."""
    known = {column["name"] for column in inspect(conn).get_columns("events")}
    if "subagent_kind" not in known:  # the step before makes the table as it is today
        conn.exec_driver_sql("ALTER TABLE events ADD COLUMN subagent_kind TEXT NOT NULL DEFAULT ''")


def acts_and_commits(conn: Connection) -> None:
    """What links, aliases, conflicts and the map were before a change, and the commit at which a
    memory was written."""
    tables.row_history.create(conn)
    conn.exec_driver_sql("ALTER TABLE memories ADD COLUMN commit_id TEXT")


def who_said_it(conn: Connection) -> None:
    """Who stated a memory, and who said it again."""
    conn.exec_driver_sql("ALTER TABLE provenance ADD COLUMN actor TEXT NOT NULL DEFAULT ''")
    conn.exec_driver_sql(
        "UPDATE provenance SET actor = coalesce("
        "(SELECT created_by FROM memories WHERE id = memory_id), '') WHERE position = 0"
    )


def checksums_of_all(conn: Connection) -> None:
    """Files, tags and triggers in the row they belong to, under a checksum of all that it says;
    links with one of their own. A row that was damaged before stays so."""
    for table, column, default in (
        ("memories", "attached", memories.NOTHING_ATTACHED),
        ("links", "checksum", ""),
    ):
        added = f"{column} TEXT NOT NULL DEFAULT '{default}'"
        conn.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {added}")
    memories.seal_all(conn, intact=_was_intact)
    relations.seal_all(conn)


def _was_intact(row: Mapping[str, Any]) -> bool:
    """Whether a row fits the checksum that versions up to 6 gave it."""
    covered = (
        "id", "tenant_id", "owner_id", "project_id", "kind", "scope", "content", "summary",
        "origin", "fingerprint", "procedure", "created_at",
    )  # fmt: skip
    said = json.dumps(
        [row[name] for name in covered], ensure_ascii=False, separators=(",", ":"), default=repr
    )
    fits = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
    return fits == str(row["checksum"])


MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, "foundation", foundation),
    Migration(2, "code map", code_map),
    Migration(3, "in the agent", in_the_agent),
    Migration(4, "roles of subagents", roles_of_subagents),
    Migration(5, "acts and commits", acts_and_commits),
    Migration(6, "who said it", who_said_it),
    Migration(7, "checksums of all", checksums_of_all),
)
"""The first makes the whole of today's schema in an empty file and stands for all of them there;
every later one changes a store that an earlier version made."""


def migrate(
    engine: Engine,
    *,
    path: Path,
    now_ms: int,
    back_up: Callable[[], Path],
    migrations: tuple[Migration, ...] = MIGRATIONS,
) -> None:
    """Bring the store to this version, after a backup when there is data."""
    at = version_of(engine)
    refuse_newer(engine, path)
    _refuse_other_version(engine, path, at)
    due = [migration for migration in migrations if migration.number > at]
    if not due:
        return
    saved = back_up() if at > 0 and _has_data(engine) else None
    for migration in due if at > 0 else migrations[:1]:
        try:
            _apply(engine, migration, migrations=migrations, now_ms=now_ms)
        except (SQLAlchemyError, LoremapError, ValueError, TypeError, LookupError) as fault:
            raise MigrationFailed(
                f"Migration {migration.number} ({migration.name}) of {path} failed: {fault}. "
                f"The store is still at version {version_of(engine)} and unharmed.",
                hint=f"Use the Loremap you had before{f'; a copy is {saved}' if saved else ''}.",
            ) from fault


def version_of(engine: Engine) -> int:
    """The number of the last migration the store has seen; 0 for an empty file."""
    with engine.connect() as conn:
        return int(conn.exec_driver_sql("PRAGMA user_version").scalar_one())


def refuse_newer(engine: Engine, path: Path) -> None:
    """Raise where this program is older than the store allows."""
    with engine.connect() as conn:
        if not inspect(conn).has_table("meta"):
            return
        wanted = conn.execute(
            select(tables.meta.c.value).where(tables.meta.c.key == "oldest_program")
        ).scalar()
    if wanted and _parts(wanted) > _parts(VERSION):
        raise TooNew(
            f"The store {path} was written by a newer Loremap and needs version {wanted} or later; "
            f"this is {VERSION}. Nothing was changed.",
            hint="Upgrade: pip install -U loremap.",
        )


def _refuse_other_version(engine: Engine, path: Path, at: int) -> None:
    """Raise where the file's head names another version than its migrations lead to."""
    with engine.connect() as conn:
        if not inspect(conn).has_table("migrations"):
            return
        led_to = conn.execute(select(func.max(tables.migrations.c.number))).scalar()
    if led_to != at:
        raise Damaged(
            f"The store {path} is damaged: it says version {at} and was brought to {led_to}.",
            hint=RESTORE,
        )


def _apply(
    engine: Engine, migration: Migration, *, migrations: tuple[Migration, ...], now_ms: int
) -> None:
    with engine.connect().execution_options(begin="IMMEDIATE") as conn, conn.begin():
        seen = int(conn.exec_driver_sql("PRAGMA user_version").scalar_one())
        if seen >= migration.number:
            return
        migration.apply(conn)
        done = migrations if migration.apply is foundation else (migration,)
        conn.execute(
            insert(tables.migrations),
            [
                {
                    "number": step.number,
                    "name": step.name,
                    "applied_at": now_ms,
                    "program_version": VERSION,
                }
                for step in done
            ],
        )
        conn.execute(
            update(tables.meta)
            .where(tables.meta.c.key == "oldest_program")
            .values(value=max((step.oldest_program for step in done), key=_parts))
        )
        conn.exec_driver_sql(f"PRAGMA user_version = {done[-1].number}")


def _has_data(engine: Engine) -> bool:
    with engine.connect() as conn:
        return (
            inspect(conn).has_table("memories")
            and conn.execute(select(tables.memories.c.row).limit(1)).first() is not None
        )


def _parts(version: str) -> tuple[int, ...]:
    """A version as numbers that compare; what follows the numbers does not count."""
    numbers: list[int] = []
    for part in version.split("."):
        digits = "".join(character for character in part if character.isdigit())
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)
