"""A command that a repository names, who names it, and what it is for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

PURPOSES = ("test", "test_one", "lint", "format", "typecheck", "build", "run", "install")
"""What commands are wanted for; `install` sets a checkout up."""
CHECKS_FORMAT = "checks format"
"""The purpose of a formatter that only reports."""
HOOKS_FORMAT = "hooks format"
"""The purpose of commit hooks that rewrite files, run over all of them."""
FIXES = "fixes"
"""The purpose of a linter that rewrites what it finds."""
ELSEWHERE = "elsewhere"
"""The purpose of what serves the documentation, a release or a machine, not the code."""


class Who(IntEnum):
    """Who says a command, the most to be believed first."""

    INSTRUCTIONS = 0
    GUIDE = 1
    TASK = 2
    README = 3
    LOOSE_TASK = 4
    CI = 5
    DERIVED = 6
    USUAL = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One command as a file says it."""

    line: str
    file: str
    at: int
    who: Who
    cwd: str = ""
    words: str = ""
    """What is said of it: beside it, or in the sentence that introduces it."""
    headings: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Its file and line."""
        return f"{self.file}:{self.at}" if self.at else self.file


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A command that the project itself gives a name."""

    name: str
    line: str
    """How it is run."""
    file: str
    at: int
    body: tuple[str, ...] = ()
    """The command lines it runs, as far as they can be told."""
    words: str = ""
    cwd: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A command for one purpose."""

    said: Said
    purpose: str
    narrow: int = 0
    """How much narrower it is than what is wanted: end-to-end tests, one package, a watcher."""
