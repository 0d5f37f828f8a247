"""The rows that scanning writes and reading gives back."""

from __future__ import annotations

from typing import NamedTuple

LINKABLE = "parsed"
"""The state of a file whose facts are in the graph. Others: `plain` (no grammar), or why not."""
PLAIN = "plain"
GONE = "gone"
"""What a scan says of a file that is no longer there."""
SAME = "same"
"""What it says of one whose content is as it was."""


class Stamp(NamedTuple):
    """What tells cheaply that a file is as it was."""

    size: int
    mtime_ns: int
    inode: int


NO_STAMP = Stamp(-1, -1, -1)
"""Of no file."""


class FileRow(NamedTuple):
    """A file the graph knows."""

    id: int
    path: str
    state: str
    language: str
    package: str
    stamp: Stamp
    settled: bool
    """False where it was written so shortly before it was read that its stamp may not tell."""
    hash: str
    lines: int
    linked: bool


SymbolRow = tuple[int, int, str, str, str, int, int, str, str, str, str]
"""A definition as extraction orders it: position, parent's position (the file has 0), qualified
name, name, kind, first line, last line, signature, doc, scope, digest. A plain tuple, because they
cross a process boundary by the ten thousand."""


class ParsedFile(NamedTuple):
    """One file as a scan found it, ready to be written."""

    path: str
    state: str
    stamp: Stamp
    settled: bool
    hash: str = ""
    language: str = ""
    package: str = ""
    lines: int = 0
    broken: bool = False
    facts: bytes = b""
    terms: bytes = b""
    names: tuple[str, ...] = ()
    """What the file adds to its package."""
    symbols: list[SymbolRow] = []  # noqa: RUF012  never written to


class LinkedFile(NamedTuple):
    """What one file's names turned out to mean."""

    file_id: int
    edges: list[tuple[int, int, str, int]]
    """Source and target symbol, kind, line."""
    imports: list[tuple[int, str, str, str | None]]
    """Line, module, items as JSON, the project's file that is meant."""
    consulted: list[str]
    """The paths, and `package:` marks, that the answer rests on."""
