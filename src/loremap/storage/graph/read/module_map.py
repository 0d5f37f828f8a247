"""What the module map is made from: files, their main symbols, how they are joined."""

from __future__ import annotations

from collections.abc import Iterable

from loremap.storage.graph.file import Graph
from loremap.storage.graph.read.sql import BOTH_ENDS, OF_FILE
from loremap.storage.graph.rows import LINKABLE


def project_files(conn: Graph) -> list[tuple[str, str, int, str]]:
    """Path, language, lines and doc line of every source file."""
    return conn.execute(
        f"""SELECT f.path, f.language, f.lines, s.doc {OF_FILE}
        WHERE s.position = 0 AND f.state = ? ORDER BY f.path""",
        (LINKABLE,),
    ).fetchall()


def top_symbols(conn: Graph) -> list[tuple[str, str, int]]:
    """Path, name and number of users of what files define at their top, most used first."""
    return conn.execute(
        f"""SELECT f.path, s.name, count(e.source) AS users {OF_FILE}
        LEFT JOIN edges e ON e.target = s.id
        WHERE s.parent = 0 AND s.position > 0 AND s.kind <> 'variable'
        GROUP BY s.id ORDER BY f.path, users DESC, s.end_line - s.start_line DESC"""
    ).fetchall()


def file_joins(conn: Graph) -> list[tuple[str, str, int]]:
    """Source file, target file and how often the one uses the other."""
    return conn.execute(
        f"""SELECT sf.path, tf.path, count(*) {BOTH_ENDS}
        WHERE sf.id <> tf.id GROUP BY sf.id, tf.id ORDER BY sf.path, tf.path"""
    ).fetchall()


def external_imports(conn: Graph) -> list[tuple[str, str]]:
    """File and module of every import that means nothing in this project."""
    return conn.execute(
        """SELECT DISTINCT path, module FROM imports JOIN files ON id = file_id
        WHERE target IS NULL ORDER BY path, line"""
    ).fetchall()


def shape(conn: Graph) -> list[str]:
    """The source files by path, and the other files that matter by path and content."""
    rows = conn.execute(
        "SELECT path, CASE WHEN state = ? THEN '' ELSE hash END FROM files ORDER BY path",
        (LINKABLE,),
    )
    return [f"{path} {content}" for path, content in rows]


def hints(conn: Graph, paths: Iterable[str], *, most: int) -> list[tuple[str, str, list[str]]]:
    """Path, doc line and main symbols of some files."""
    found = []
    for path in paths:
        row = conn.execute(
            f"SELECT s.doc, f.id {OF_FILE} WHERE f.path = ? AND s.position = 0", (path,)
        ).fetchone()
        if row is not None:
            names = conn.execute(
                """SELECT name FROM symbols WHERE file_id = ? AND parent = 0 AND position > 0
                AND kind <> 'variable' ORDER BY end_line - start_line DESC LIMIT ?""",
                (row[1], most),
            )
            found.append((path, row[0], [name for (name,) in names]))
    return found
