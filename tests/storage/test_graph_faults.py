"""Whatever goes wrong in the file of the code graph is raised as one error of ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from loremap.errors import GraphFault
from loremap.storage.graph.file import Graph, GraphFile

ROWS = 3_000


@pytest.fixture
def graph(tmp_path: Path) -> GraphFile:
    """A graph with rows on many pages."""
    opened = GraphFile(tmp_path / "graph.db", content_version="1", cache_kib=0)
    with opened.write() as conn:
        conn.executemany(
            "INSERT INTO skipped VALUES (?, ?)", ((f"{n:>80}", n) for n in range(ROWS))
        )
    return opened


@pytest.mark.parametrize(
    "ask",
    [
        lambda conn: conn.execute("SELECT * FROM nothing"),
        lambda conn: conn.executemany("INSERT INTO skipped VALUES (?, ?)", [("a", 1), ("a", 2)]),
    ],
    ids=["statement", "many"],
)
def test_a_statement_that_fails(graph: GraphFile, ask: Callable[[Graph], object]) -> None:
    with pytest.raises(GraphFault, match="Memories are not touched"):
        ask(graph.conn)


@pytest.mark.parametrize(
    "rows",
    [list, lambda found: found.fetchall(), lambda found: list(iter(found.fetchone, None))],
    ids=["iterated", "all", "one by one"],
)
def test_rows_that_cannot_be_read(
    graph: GraphFile, tmp_path: Path, rows: Callable[[object], object]
) -> None:
    graph.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    graph.close()
    path = tmp_path / "graph.db"
    held = bytearray(path.read_bytes())
    lost = len(held) // 8  # the last rows; the first page of the table lies before them
    held[-lost:] = b"\xff" * lost
    path.write_bytes(held)
    again = GraphFile(path, content_version="1", cache_kib=0)
    found = again.conn.execute("SELECT * FROM skipped ORDER BY reason")
    with pytest.raises(GraphFault, match=r"graph\.db cannot be used"):
        rows(found)
    again.close()


def test_a_write_that_fails_leaves_nothing(graph: GraphFile) -> None:
    before = graph.seq
    twice = [("a", 1), ("a", 2)]
    with pytest.raises(GraphFault), graph.write() as conn:
        conn.executemany("INSERT INTO skipped VALUES (?, ?)", twice)
    assert graph.seq == before
    assert graph.conn.execute("SELECT count(*) FROM skipped").fetchone() == (ROWS,)
