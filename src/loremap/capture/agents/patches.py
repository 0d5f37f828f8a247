"""How much an edit changes: lines that came and went, in each file it names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

PATCH_BEGINS = "*** Begin Patch"
_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$")
_MOVED = re.compile(r"^\*\*\* Move to: (.+?)\s*$")
MOST_LINES = 20_000


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """One file of a patch: how it is changed and how many lines."""

    path: str
    added: int = 0
    removed: int = 0
    is_new: bool = False

    @property
    def changed(self) -> str:
        """The change in a few signs."""
        return counted(self.added, self.removed)


def counted(added: int, removed: int) -> str:
    """`+3 −1`; empty where nothing changed."""
    parts = ([f"+{added}"] if added else []) + ([f"−{removed}"] if removed else [])
    return " ".join(parts)


def changed_lines(before: str, after: str) -> str:
    """What becomes of the lines of `before`, counted without regard to their order: enough for a
    summary, and as fast for a large file as for a small one."""
    old, new = Counter(_lines(before)), Counter(_lines(after))
    return counted((new - old).total(), (old - new).total())


def _lines(text: str) -> list[str]:
    return text.splitlines()[:MOST_LINES]


def patched_files(patch: str) -> list[PatchedFile]:
    """The files of a patch in the form of `apply_patch`, each with its count of lines."""
    found: list[PatchedFile] = []
    for line in _lines(patch):
        if named := _FILE.match(line):
            found.append(PatchedFile(named[2], is_new=named[1] == "Add"))
        elif not found:
            continue
        elif moved := _MOVED.match(line):
            found.append(PatchedFile(moved[1]))
        elif line.startswith("+"):
            found[-1] = _more(found[-1], added=1)
        elif line.startswith("-"):
            found[-1] = _more(found[-1], removed=1)
    return found


def _more(file: PatchedFile, *, added: int = 0, removed: int = 0) -> PatchedFile:
    return PatchedFile(file.path, file.added + added, file.removed + removed, file.is_new)


def added_text(patch: str) -> str:
    """The lines that a patch adds."""
    return "\n".join(
        line[1:] for line in _lines(patch) if line.startswith("+") and not line.startswith("+++")
    )
