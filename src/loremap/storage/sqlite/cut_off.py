"""Stops a statement that takes too long, without harm to the connection it runs on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError
from sqlcipher3 import dbapi2 as driver

from loremap.storage.dialect import CutOff

STEPS_BETWEEN_LOOKS = 5_000
"""Instructions of SQLite between two looks at the clock, less than a millisecond: each look waits
for whatever Python runs beside."""


@contextmanager
def time_bound(conn: Connection, *, until: float | None) -> Iterator[None]:
    """Raises CutOff where a statement inside still runs at `until` on `time.perf_counter`."""
    raw = conn.connection.driver_connection
    if until is None or raw is None:
        yield
        return
    if time.perf_counter() >= until:
        raise CutOff
    raw.set_progress_handler(lambda: time.perf_counter() >= until, STEPS_BETWEEN_LOOKS)
    try:
        yield
    except (OperationalError, driver.OperationalError) as fault:
        if "interrupt" in str(getattr(fault, "orig", fault)).lower():
            raise CutOff from fault
        raise
    finally:
        raw.set_progress_handler(None, STEPS_BETWEEN_LOOKS)
