"""Repositories whose history a test writes."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from loremap.app import Lore

USER, OTHER = "dev@example.org", "ann@example.org"
RETRY = "def run(call):\n    for _ in range(MAX_ATTEMPTS):\n        call()\n"
BUDGET = (
    "fix: cap retries at the measured budget\n\n"
    "MAX_ATTEMPTS is 7, measured and not round: the backoff of 7 attempts takes 12.7s, which\n"
    "is inside the upstream's window. Do not raise it, because an 8th attempt trips the limiter.\n"
)
BUDGET_SAID = (
    "fix: cap retries at the measured budget. MAX_ATTEMPTS is 7, measured and not round: the "
    "backoff of 7 attempts takes 12.7s, which is inside the upstream's window. Do not raise it, "
    "because an 8th attempt trips the limiter."
)


@dataclass
class Repository:
    """A repository of the user, changed as they would."""

    root: Path

    def git(self, *arguments: str) -> str:
        """What git says there."""
        ran = subprocess.run(
            ["git", *arguments], cwd=self.root, check=True, capture_output=True, text=True
        )
        return ran.stdout.strip()

    def wrote(self, path: str, text: str) -> None:
        """A file holds this now."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def committed(self, message: str, *, by: str = USER, day: int = 1) -> str:
        """All of it was committed; the new commit."""
        when = f"2026-03-{day:02}T12:00:00+00:00"
        self.git("add", "-A")
        who = ("-c", "commit.gpgsign=false", "-c", f"user.name={by.partition('@')[0]}")
        dated = ("-c", f"user.email={by}", "commit", "-q", "--allow-empty", f"--date={when}")
        self.git(*who, *dated, "-m", message)
        return self.git("rev-parse", "HEAD")

    def forget_who_made_it(self) -> None:
        """As in a fresh clone, nothing says that a commit was made here."""
        for log in (self.root / ".git" / "logs").rglob("*"):
            if log.is_file():
                log.unlink()


def repository_in(folder: Path) -> Repository:
    """A repository with one module and one commit."""
    folder.mkdir()
    made = Repository(folder)
    made.git("init", "-q", "-b", "main")
    made.git("config", "user.email", USER)
    made.wrote("retryx/retry.py", f"MAX_ATTEMPTS = 10\n\n\n{RETRY}")
    made.committed("The retrier")
    return made


def decided(repository: Repository, *, by: str = USER) -> str:
    """The commit that says why there are seven attempts."""
    repository.wrote("retryx/retry.py", f"MAX_ATTEMPTS = 7\n\n\n{RETRY}")
    return repository.committed(BUDGET, by=by, day=2)


def said(lore: Lore) -> list[str]:
    """What the memories of a project say, the oldest first."""
    return [one.content for one in reversed(lore.list())]
