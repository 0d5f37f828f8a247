"""The store in PostgreSQL: one tenant's rows, in transactions that take turns where they write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from psycopg import errors as faults
from sqlalchemy import Connection, Engine, create_engine, event, make_url, select, text
from sqlalchemy.exc import DBAPIError

from loremap.errors import Busy, DiskFull, StoreError
from loremap.model.clock import to_ms
from loremap.storage.dialect import OPTION
from loremap.storage.facts import CHANGE_SEQ, drop_fact
from loremap.storage.migrate import MIGRATIONS, Migration, migrate
from loremap.storage.postgres.compiled import SETTING, PgVector
from loremap.storage.postgres.dialect import POSTGRES
from loremap.storage.sql import Vector
from loremap.storage.store import SCRUB_PENDING, Store
from loremap.storage.tables import meta

_SET_TENANT = text(f"SELECT set_config('{SETTING}', :tenant, true)")
_SET_TIMEOUT = text("SELECT set_config('lock_timeout', :ms, true)")
_ONE_STATE = text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
_TURN = select(meta.c.value).where(meta.c.key == CHANGE_SEQ).with_for_update()
"""Held by whoever writes for this tenant: as in a file, one after the other."""
_SCHEMA_TURN = text("SELECT pg_advisory_xact_lock(hashtext('loremap schema'))")

_SEES_ALL = text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
_SIZE = text("SELECT pg_database_size(current_database())")
_HAS_VECTORS = text("SELECT count(*) FROM pg_extension WHERE extname = 'vector'")


class ServerStore(Store):
    """An open store of one tenant on a server."""

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Raises what the driver says in our words."""
        try:
            yield
        except DBAPIError as fault:
            raised = _in_our_words(fault, self.name)
            if raised is fault:
                raise
            raise raised from fault

    def size_bytes(self) -> int:
        """The size of the database, all tenants together."""
        with self.read() as conn:
            return int(conn.execute(_SIZE).scalar_one())

    def refuse_moved(self) -> None:
        """A server's database does not move."""

    def scrub(self, *, wait: bool = True) -> bool:
        """What was deleted goes when the server vacuums; nothing is left to do from here."""
        with self.append() as conn:
            drop_fact(conn, SCRUB_PENDING)
        return True


def open_server(
    url: str,
    *,
    tenant_id: str,
    now: datetime,
    busy_timeout_ms: int = 15_000,
    migrations: tuple[Migration, ...] = MIGRATIONS,
) -> ServerStore:
    """Open the store of a tenant in the database at `url`, making or migrating it as needed. The
    role of the URL must not be a superuser: no row is kept from one."""
    address = make_url(url).set(drivername="postgresql+psycopg")
    name = address.set(drivername="postgresql").render_as_string(hide_password=True)
    engine = create_engine(address, execution_options={OPTION: POSTGRES})
    engine.dialect.colspecs = {**engine.dialect.colspecs, Vector: PgVector}
    store = ServerStore(engine, name=name, read_only=False)
    event.listen(engine, "begin", _begin(tenant_id, busy_timeout_ms=busy_timeout_ms))
    try:
        with store.errors():
            _refuse_unfit(engine, name)
            migrate(
                engine,
                name=name,
                now_ms=to_ms(now),
                back_up=store.back_up,
                migrations=migrations,
            )
            with engine.connect().execution_options(begin="SCHEMA") as conn, conn.begin():
                POSTGRES.insert_missing(conn, meta, [{"key": CHANGE_SEQ, "value": "0"}])
    except BaseException:
        store.close()
        raise
    return store


def _begin(tenant_id: str, *, busy_timeout_ms: int) -> Callable[[Connection], None]:
    """What every transaction begins with: one state for who reads, a turn for who writes."""

    def begin(conn: Connection) -> None:
        writes = conn.get_execution_options().get("begin")
        if not writes:
            conn.execute(_ONE_STATE)
        conn.execute(_SET_TENANT, {"tenant": tenant_id})
        if writes:
            conn.execute(_SET_TIMEOUT, {"ms": str(busy_timeout_ms)})
            conn.execute(_TURN if writes == "IMMEDIATE" else _SCHEMA_TURN)

    return begin


def _refuse_unfit(engine: Engine, name: str) -> None:
    """Raise where tenants could not be kept apart, or vectors not be stored."""
    with engine.connect() as conn:
        if conn.execute(_SEES_ALL).scalar():
            raise StoreError(
                f"The role of {name} sees every tenant's rows; nothing was opened.",
                hint="Connect as a role without SUPERUSER and BYPASSRLS.",
            )
        if not conn.execute(_HAS_VECTORS).scalar():
            raise StoreError(
                f"The database {name} has no pgvector; nothing was opened.",
                hint="Let its administrator run: CREATE EXTENSION vector.",
            )


def _in_our_words(fault: DBAPIError, name: str) -> Exception:
    original = fault.orig
    if isinstance(original, faults.LockNotAvailable | faults.DeadlockDetected):
        return Busy(
            "Another process is writing to the store; nothing was stored.", hint="Try again."
        )
    if isinstance(original, faults.DiskFull):
        return DiskFull(
            f"There is no room left on the server of {name}; nothing was stored.",
            hint="Free some space and try again.",
        )
    if isinstance(original, faults.OperationalError) and fault.connection_invalidated:
        return StoreError(
            f"The connection to {name} was lost; nothing was stored.", hint="Try again."
        )
    if isinstance(original, faults.OperationalError) and original.sqlstate is None:
        return StoreError(
            f"The server of {name} cannot be reached: {' '.join(str(original).split())}.",
            hint="See that it runs and that the address is right.",
        )
    return fault
