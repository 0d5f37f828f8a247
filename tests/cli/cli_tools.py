"""`lore` as the tests run it: in this process, in one of its own, or in a terminal."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from loremap.interfaces.cli.app import main
from terminal_tools import Terminal as Terminal

LORE = (sys.executable, "-m", "loremap")


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The one JSON object it printed."""
        return json.loads(self.out)


class Cli:
    """`lore` in one folder, run in this process as the entry point runs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str, stdin: bytes | None = None) -> Ran:
        hook, code = sys.excepthook, 0
        with CliRunner().isolation(input=stdin) as (out, err, _):
            try:
                main(("-C", str(self.folder), *arguments))
            except SystemExit as end:
                code = int(end.code or 0)
            finally:
                sys.excepthook = hook
            sys.stdout.flush()
            sys.stderr.flush()
            return Ran(code, out.getvalue().decode(), err.getvalue().decode())

    def data(self, *arguments: str, stdin: bytes | None = None) -> Any:
        """The JSON object of a command that must succeed."""
        at = arguments.index("--") if "--" in arguments else len(arguments)
        ran = self(*arguments[:at], "--json", *arguments[at:], stdin=stdin)
        assert ran.code == 0, ran
        return ran.data

    def remember(self, text: str, *options: str) -> Any:
        """What became of a text that must be remembered."""
        return self.data("remember", *options, "--", text)

    def recalled(self, text: str, *options: str) -> list[str]:
        """The contents recalled for `text`, whether or not they would pass the gate."""
        hits = self.data("recall", "--no-gate", *options, "--", text)["hits"]
        return [hit["content"] for hit in hits]

    def found(self, text: str, *options: str) -> list[str]:
        """The contents a person's search for `text` finds."""
        return [hit["content"] for hit in self.data("search", *options, "--", text)["hits"]]

    def listed(self, *options: str) -> list[str]:
        """The contents `lore list` shows."""
        return [memory["content"] for memory in self.data("list", *options)["memories"]]

    def actions(self) -> list[str]:
        """What the audit trail says was done, newest first."""
        return [event["action"] for event in self.data("log", "--limit", "500")["events"]]


def rows(home: Path) -> dict[str, int]:
    """How many rows the store holds of what a user can put there."""
    tables = ("memories", "history", "provenance", "vectors", "links", "conflicts", "memory_tags")
    if not (home / "lore.db").exists():
        return dict.fromkeys(tables, 0)
    with sqlite3.connect(home / "lore.db") as db:
        return {
            table: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables
        }


def in_own_process(
    *arguments: str, folder: Path, env: dict[str, str] | None = None, **options: Any
) -> Ran:
    """Run `lore` as a user's shell does."""
    ran = subprocess.run(
        [*LORE, *arguments],
        cwd=folder,
        env=os.environ | (env or {}),
        capture_output=True,
        timeout=60,
        check=False,
        **options,
    )
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def git(folder: Path, *arguments: str) -> None:
    """Run git, as somebody."""
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def repository_in(folder: Path) -> Path:
    """A repository with one commit on its branch `main`."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "app.py").write_text("print('hello')\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", f"Begin {folder}")
    return folder
