"""Only the two folders of the databases name them; everything else goes through `storage.open`."""

from __future__ import annotations

import re
from pathlib import Path

import loremap

PACKAGE = Path(loremap.__file__).parent
NAMED = re.compile(r"(?i)sqlite|postgres|fts5|psycopg|sqlcipher|pragma(?!: no cover)")
MAY_NAME = (
    "storage/sqlite/",
    "storage/postgres/",
    "storage/graph/",  # the code graph is a file of its own, whatever holds the store
    "storage/foreign.py",  # a database of another program
    "storage/open.py",  # where one of the two is chosen
    # Programs and words of the projects that memories are about.
    "model/command_line.py",
    "safety/connections.py",
    "memory/recall/signals.py",
    "code/module_map/packages.py",
)


def test_no_database_is_named_elsewhere() -> None:
    said = [
        f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if not path.relative_to(PACKAGE).as_posix().startswith(MAY_NAME)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if NAMED.search(line)
    ]
    assert not said, "\n".join(said)
