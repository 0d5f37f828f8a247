"""The server that tests start does not outlive them, however they end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

TESTS = Path(__file__).parents[1]
RUN = """
import sys
from pathlib import Path
from postgres_tools import running
with running(Path(sys.argv[1])) as server:
    print(server.admin, flush=True)
    sys.stdin.read()
"""


def test_a_killed_run_leaves_no_server(tmp_path: Path) -> None:
    started = subprocess.Popen(
        [sys.executable, "-c", RUN, str(tmp_path)],
        cwd=TESTS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert started.stdout is not None
    address = started.stdout.readline().strip()
    with psycopg.connect(address) as conn:
        started.kill()
        with pytest.raises(psycopg.OperationalError):
            conn.execute("SELECT pg_sleep(60)")
    started.communicate()
