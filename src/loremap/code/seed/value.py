"""A seed, and the text it was read from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from loremap.model.kind import Kind

MAX_CHARS = 480
"""A statement longer than this is no single statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """One statement of a repository's file that an agent can act on."""

    text: str
    file: str
    """Posix path relative to the root."""
    line: int
    kind: Kind = Kind.CONVENTION
    tags: tuple[str, ...] = ()
    importance: float = 0.6
    instruction_file: bool = False
    """Read from a file that some agents load by themselves, such as CLAUDE.md."""
    also_in: tuple[str, ...] = ()
    """Other files that say the same."""
    about: str = ""
    """What it settles; of two seeds that settle the same thing the more important one is kept."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file's text, and the names of what lies beside it."""

    path: str
    text: str
    neighbours: frozenset[str] = frozenset()

    def line_of(self, *needles: str) -> int:
        """The line of the last needle, each looked for after the one before it; 1 without any.

        A needle that begins with a newline stands at the start of its line.
        """
        at = 0
        for needle in needles:
            found = f"\n{self.text}".find(needle, at)
            if found < 0:
                break
            at = found + needle.startswith("\n")
        return self.text.count("\n", 0, max(at - 1, 0)) + 1 if at else 1


def seed(
    text: str,
    source: Source,
    *needles: str,
    tags: tuple[str, ...],
    importance: float,
    about: str = "",
    kind: Kind = Kind.CONVENTION,
) -> Seed:
    """What `source` says at its `needles`."""
    return Seed(
        text=text,
        kind=kind,
        file=source.path,
        line=source.line_of(*needles),
        tags=tags,
        importance=importance,
        about=about,
    )


Reader = Callable[[Source], Iterable[Seed]]


def listing(names: Iterable[str], *, joint: str = "and") -> str:
    """`names` as an English list."""
    every = list(names)
    if len(every) < 2:
        return "".join(every)
    return f"{', '.join(every[:-1])} {joint} {every[-1]}"
