"""The faults of mutants.toml as values, each with the source it makes."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("mutants.toml")


class Stale(Exception):
    """The list no longer fits the source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One fault: the text that stands once in a file, what takes its place, who ought to notice."""

    fault: str
    file: str
    text: str
    instead: str
    tests: tuple[str, ...]

    @property
    def path(self) -> str:
        """The file it changes, from the top of the tree."""
        return f"src/loremap/{self.file}"

    def applied(self, source: str) -> str:
        """`source` with the fault in it; raises Stale where its text is not there exactly once."""
        times = source.count(self.text)
        if times != 1 or self.text == self.instead:
            raise Stale(f"{self.file} holds this {times} times, not once: {self.text.strip()!r}")
        return source.replace(self.text, self.instead)


def mutants() -> list[Mutant]:
    """All faults, in the order of the list."""
    listed = tomllib.loads(LIST.read_text("utf-8"))["mutant"]
    return [Mutant(**{**one, "tests": tuple(one["tests"])}) for one in listed]
