"""How much the graph holds, and what is not in it."""

from __future__ import annotations

from loremap.storage.graph.file import Graph
from loremap.storage.graph.rows import LINKABLE, PLAIN


def totals(conn: Graph) -> tuple[int, int, int, int]:
    """How many files, lines, symbols that are no files, and edges there are."""
    count, lines = conn.execute(
        "SELECT count(*), coalesce(sum(lines), 0) FROM files WHERE state = ?", (LINKABLE,)
    ).fetchone()
    symbols = conn.execute("SELECT count(*) FROM symbols WHERE position > 0").fetchone()[0]
    return count, lines, symbols, conn.execute("SELECT count(*) FROM edges").fetchone()[0]


def languages(conn: Graph) -> dict[str, int]:
    """How many files there are of each language, most first."""
    query = """SELECT language, count(*) FROM files WHERE state = ?
        GROUP BY language ORDER BY 2 DESC, 1"""
    return dict(conn.execute(query, (LINKABLE,)).fetchall())


def skipped(conn: Graph) -> dict[str, int]:
    """How many files are not in the graph, by reason: passed over, or read and found no source."""
    counts = dict(conn.execute("SELECT reason, count FROM skipped").fetchall())
    rows = conn.execute(
        "SELECT state, count(*) FROM files WHERE state NOT IN (?, ?) GROUP BY state",
        (LINKABLE, PLAIN),
    )
    for state, count in rows:
        counts[state] = counts.get(state, 0) + count
    return counts


def given_up(conn: Graph) -> tuple[tuple[str, str], ...]:
    """Path and reason of each file that could not be read, or be linked, within the limits."""
    rows = conn.execute(
        """SELECT path, CASE given_up WHEN '' THEN state ELSE given_up END FROM files
        WHERE given_up <> '' OR state LIKE 'failed:%' ORDER BY path"""
    )
    return tuple((path, why.removeprefix("failed: ")) for path, why in rows)


def broken(conn: Graph) -> int:
    """How many files hold syntax the parser did not understand."""
    return int(conn.execute("SELECT count(*) FROM files WHERE broken").fetchone()[0])
