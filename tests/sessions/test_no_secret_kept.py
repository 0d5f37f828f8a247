"""Nothing of a secret is kept of a session that was imported: not where a text is cut through it,
nor in the names of files, tools and branches; and nothing that steers a terminal."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from session_tools import BEGAN

from loremap.app import Lore
from past_tools import PastTranscript
from told_secrets import told

WORD, NAME, BRANCH, TOOL = (one.secret for one in told(23)[:4])
ADDRESS = f"postgres://app:{WORD}@db.example.org/shop"
ERROR = "ConfigError: the mailer cannot log in to its database "
CHARACTERS = {"error": 240, "command": 160, "edit": 160}
"""Where what is kept of each is cut."""


def through(text: str, characters: int) -> str:
    """`text`, so long that what follows is cut between the letters of the secret."""
    return (text + "of it " * 60)[: characters - len("postgres://app:") - len(WORD) // 2]


@pytest.mark.parametrize("where", CHARACTERS)
def test_no_half_of_a_secret(
    lore: Lore, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def told(name: str, text: str) -> str:
        return through(text, CHARACTERS[name]) + ADDRESS + " today" if name == where else text

    user = tmp_path / "user"
    monkeypatch.setenv("HOME", str(user))
    past = PastTranscript(user, lore.folder, "p1", BEGAN - timedelta(days=1))
    past.typed("Please mend the mailer of the shop, its tests fail.")
    path = str(lore.folder / "a.py")
    command = told("command", "make mail ")
    past.ran(command, output=told("error", ERROR), fails=True)
    edit = {"file_path": path, "old_string": "x", "new_string": told("edit", "y = 2 ")}
    past.used("Edit", edit, output="String not found.", fails=True)
    past.said("The cause is that the mailer reads its account from another place.")
    past.used("Edit", edit).ran(command, output="ok").said("Done.")
    lore.sessions.import_past()
    parts = {WORD[at : at + 5].encode() for at in range(len(WORD) - 4)}
    assert [part for part in parts if part in bytes_of(home)] == []


def test_none_in_the_names_of_files_tools_and_branches(
    lore: Lore, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = tmp_path / "user"
    monkeypatch.setenv("HOME", str(user))
    key = f"ghp_{(BRANCH * 3)[:36]}"
    past = PastTranscript(user, lore.folder, "p1", BEGAN - timedelta(days=1), f"fix/{key}")
    past.typed("Never put keys into names of files, because they are copied around.")
    given = {"old_string": "x", "new_string": "y = 2"}
    for name in ("a.py", f"ghp_{(NAME * 3)[:36]}.md", "a.py"):
        past.used("Edit", {"file_path": str(lore.folder / name), **given})
    past.used(f"mcp__ghp_{(TOOL * 3)[:36]}", {"at": 1})
    lore.sessions.import_past()
    held = bytes_of(home)
    assert b"[REDACTED: github-token].md" in held
    assert [one for one in (NAME, BRANCH, TOOL) if one.encode() in held] == []


STEERING = "\x1b[31m\x9b2J\u202e\U000e0041"


def test_nothing_that_steers_a_terminal_or_hides(
    lore: Lore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    began = BEGAN - timedelta(days=1)
    past = PastTranscript(tmp_path / "user", lore.folder, "p1", began, f"fix/{STEERING}x")
    past.typed("Please mend the amounts of the shop.").said("I used floats.")
    given = {"old_string": "x", "new_string": "y = 2"}
    for name in ("a.py", f"b{STEERING}.py", "a.py"):
        past.used("Edit", {"file_path": str(lore.folder / name), **given})
    past.typed(f"No, never floats {STEERING}for amounts, because they lost us money.")
    past.used("Edit", {"file_path": str(lore.folder / "a.py"), **given})
    lore.sessions.import_past()
    with lore.store.read() as conn:
        kept = "".join(
            str(conn.exec_driver_sql(f"SELECT * FROM {table}").all())
            for table in ("sessions", "tasks", "findings", "patterns", "pattern_files")
        )
    assert "never floats" in kept
    assert "b [31m" in kept
    hidden = (*STEERING, *(ascii(sign)[1:-1] for sign in STEERING))
    assert [one for one in hidden if not one.isascii() or "\\" in one if one in kept] == []


def bytes_of(home: Path) -> bytes:
    """All that lies in the data folder."""
    return b"\0".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
