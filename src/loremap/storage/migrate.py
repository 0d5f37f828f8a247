"""Migrations: numbered, forward only, each in one transaction with its record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, func, insert, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from loremap.errors import RESTORE, Damaged, LoremapError, MigrationFailed, StoreError, TooNew
from loremap.model.version import VERSION
from loremap.storage import tables
from loremap.storage.dialect import dialect_of, version_of
from loremap.storage.facts import CHANGE_SEQ, set_fact


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from the version before."""

    number: int
    name: str
    apply: Callable[[Connection], None]
    oldest_program: str = "0.1.0"
    """The oldest program version that may still use a store at this version."""


def foundation(conn: Connection) -> None:
    """Make the tables in an empty database."""
    tables.metadata.create_all(conn)
    for statement in dialect_of(conn).foundation:
        conn.exec_driver_sql(statement)
    set_fact(conn, CHANGE_SEQ, "0")


MIGRATIONS: tuple[Migration, ...] = (Migration(1, "foundation", foundation),)
"""The first makes the whole of today's schema in an empty database and stands for all of them
there; every later one changes a store that an earlier version made."""


def migrate(
    engine: Engine,
    *,
    name: str,
    now_ms: int,
    back_up: Callable[[], Path | None],
    migrations: tuple[Migration, ...] = MIGRATIONS,
) -> None:
    """Bring the store to this version, after a backup when there is data."""
    at = version_of(engine)
    refuse_newer(engine, name)
    _refuse_other_version(engine, name, at)
    due = [migration for migration in migrations if migration.number > at]
    if not due:
        return
    saved = back_up() if at > 0 and _has_data(engine) else None
    for migration in due if at > 0 else migrations[:1]:
        try:
            _apply(engine, migration, migrations=migrations, now_ms=now_ms)
        except (SQLAlchemyError, LoremapError, ValueError, TypeError, LookupError) as fault:
            raise MigrationFailed(
                f"Migration {migration.number} ({migration.name}) of {name} failed: {fault}. "
                f"The store is still at version {version_of(engine)} and unharmed.",
                hint=f"Use the Loremap you had before{f'; a copy is {saved}' if saved else ''}.",
            ) from fault


def refuse_newer(engine: Engine, name: str) -> None:
    """Raise where this program is older than the store allows."""
    with engine.connect() as conn:
        if not inspect(conn).has_table("migrations"):
            return
        known = {column["name"] for column in inspect(conn).get_columns("migrations")}
        if not known.issuperset(tables.migrations.c.keys()):
            raise StoreError(
                f"The store {name} is of a time before the first release, and this version does "
                "not read it. Nothing was changed.",
                hint="Move it and its backups away, and run `lore init --new`.",
            )
        every = conn.execute(select(tables.migrations.c.oldest_program)).scalars().all()
    wanted = max(every, key=_parts, default="0")
    if _parts(wanted) > _parts(VERSION):
        raise TooNew(
            f"The store {name} was written by a newer Loremap and needs version {wanted} or later; "
            f"this is {VERSION}. Nothing was changed.",
            hint="Upgrade: pip install -U loremap.",
        )


def _refuse_other_version(engine: Engine, name: str, at: int) -> None:
    """Raise where the file's head names another version than its migrations lead to."""
    with engine.connect() as conn:
        if not inspect(conn).has_table("migrations"):
            return
        led_to = conn.execute(select(func.max(tables.migrations.c.number))).scalar()
    if led_to != at:
        raise Damaged(
            f"The store {name} is damaged: it says version {at} and was brought to {led_to}.",
            hint=RESTORE,
        )


def _apply(
    engine: Engine, migration: Migration, *, migrations: tuple[Migration, ...], now_ms: int
) -> None:
    with engine.connect().execution_options(begin="SCHEMA") as conn, conn.begin():
        dialect = dialect_of(conn)
        if dialect.version(conn) >= migration.number:
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
                    "oldest_program": step.oldest_program,
                }
                for step in done
            ],
        )
        dialect.set_version(conn, done[-1].number)


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
