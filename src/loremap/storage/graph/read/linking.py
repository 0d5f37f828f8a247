"""What a scan asks to link names: which files wait, what they hold, who imports whom."""

from __future__ import annotations

from collections.abc import Iterable

from loremap.storage.graph.file import Graph
from loremap.storage.graph.read.sql import OF_FILE
from loremap.storage.graph.rows import LINKABLE


def waiting(conn: Graph) -> list[tuple[int, str]]:
    """The files whose names are to be linked, id and path."""
    return conn.execute(
        "SELECT id, path FROM files WHERE linked = 0 AND state = ? ORDER BY path", (LINKABLE,)
    ).fetchall()


def waiting_that_say(conn: Graph, names: Iterable[str]) -> list[tuple[int, str]]:
    """Those of `waiting` whose facts hold one of `names` anywhere."""
    query = """SELECT id, path FROM files JOIN facts ON file_id = id
        WHERE linked = 0 AND state = ? AND instr(facts, ?)"""
    said = {
        row
        for name in names
        for row in conn.execute(query, (LINKABLE, name.encode("utf-8", "replace")))
    }
    return sorted(said, key=lambda row: row[1])


def waiting_at(conn: Graph, path: str) -> list[tuple[int, str]]:
    """That of `waiting` which lies at `path`, or none."""
    return conn.execute(
        "SELECT id, path FROM files WHERE linked = 0 AND state = ? AND path = ?", (LINKABLE, path)
    ).fetchall()


def linkable(conn: Graph) -> list[str]:
    """The paths of the files whose facts are known."""
    rows = conn.execute("SELECT path FROM files WHERE state = ? ORDER BY path", (LINKABLE,))
    return [path for (path,) in rows]


def facts_of(conn: Graph, path: str) -> bytes | None:
    """What extraction said of one file, as it was stored."""
    row = conn.execute(
        "SELECT facts FROM facts JOIN files ON id = file_id WHERE path = ?", (path,)
    ).fetchone()
    return None if row is None else row[0]


def facts_holding(conn: Graph, word: str) -> list[tuple[str, bytes]]:
    """Path and stored facts of the files whose facts hold a word anywhere."""
    return conn.execute(
        """SELECT path, facts FROM facts JOIN files ON id = file_id
        WHERE instr(facts, CAST(? AS BLOB)) ORDER BY path""",
        (word,),
    ).fetchall()


def joined_calls(conn: Graph, name: str) -> set[tuple[str, int]]:
    """The path and line of every call that is joined to something called `name`, or in it."""
    rows = conn.execute(
        """SELECT DISTINCT f.path, e.line FROM symbols t
        LEFT JOIN symbols p ON p.file_id = t.file_id AND p.position = t.parent
        JOIN edges e ON e.target = t.id AND e.kind = 'calls'
        JOIN symbols s ON s.id = e.source JOIN files f ON f.id = s.file_id
        WHERE t.name = ? OR p.name = ?""",
        (name, name),
    )
    return {(path, line) for path, line in rows}


def ids_by_position(conn: Graph, path: str) -> dict[int, int]:
    """The ids of a file's symbols, by the position of their definition."""
    query = f"SELECT s.position, s.id {OF_FILE} WHERE f.path = ?"
    return dict(conn.execute(query, (path,)).fetchall())


def defining(conn: Graph, package: str, name: str) -> list[str]:
    """The files of a package that add `name` to it, in order of path."""
    rows = conn.execute(
        """SELECT path FROM names JOIN files ON id = file_id
        WHERE names.package = ? AND name = ? ORDER BY path""",
        (package, name),
    )
    return [path for (path,) in rows]


def is_large(conn: Graph, package: str, *, from_names: int) -> bool:
    """Whether files add that many names to a package."""
    rows = conn.execute(
        "SELECT 1 FROM names WHERE package = ? LIMIT 1 OFFSET ?", (package, from_names - 1)
    )
    return rows.fetchone() is not None


def names_of(conn: Graph, package: str) -> dict[str, list[str]]:
    """By each name of a package the files that add it, in order of path."""
    rows = conn.execute(
        """SELECT name, path FROM names JOIN files ON id = file_id
        WHERE names.package = ? ORDER BY path""",
        (package,),
    )
    found: dict[str, list[str]] = {}
    for name, path in rows:
        found.setdefault(name, []).append(path)
    return found


def importers(conn: Graph, *, targets: Iterable[str], stems: Iterable[str]) -> list[int]:
    """The files with an import that means one of `targets` or whose words name one of `stems`."""
    found: set[int] = set()
    for target in targets:
        rows = conn.execute("SELECT file_id FROM imports WHERE target = ?", (target,))
        found.update(file_id for (file_id,) in rows)
    for stem in stems:
        like = "%" + stem.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
        rows = conn.execute(
            "SELECT file_id FROM imports WHERE module LIKE ? ESCAPE '!' OR items LIKE ? ESCAPE '!'",
            (like, like),
        )
        found.update(file_id for (file_id,) in rows)
    return sorted(found)
