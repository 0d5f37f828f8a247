"""What an edit changes, in a line: how many lines came and went, and how the first of them reads.

What is said here is not redacted yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

PATCH_BEGINS = "*** Begin Patch"
_FILE = ("*** Add File: ", "*** Update File: ", "*** Delete File: ")
_MOVED = "*** Move to: "
MAX_LINES = 20_000
FIRST_CHARACTERS = 80


@dataclass(slots=True)
class PatchedFile:
    """One file of a patch: how it is changed and how many lines."""

    path: str
    is_new: bool = False
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    @property
    def changed(self) -> str:
        """The change in a line."""
        return told(self.added, self.removed)


def told(added: Iterable[str], removed: Iterable[str]) -> str:
    """`+3 −1: the first line that came`, or the first that went; empty where nothing changed."""
    came, went = list(added), list(removed)
    parts = ([f"+{len(came)}"] if came else []) + ([f"−{len(went)}"] if went else [])
    first = next((line for line in (*came, *went) if any(map(str.isalnum, line))), "")
    first = " ".join(first[: 4 * FIRST_CHARACTERS].split())[:FIRST_CHARACTERS]
    return ": ".join(part for part in (" ".join(parts), first if parts else "") if part)


def changed_lines(before: str, after: str) -> str:
    """What becomes of the lines of `before`, counted without regard to their order: enough for a
    summary, and as fast for a large file as for a small one."""
    old, new = Counter(_lines(before)), Counter(_lines(after))
    return told((new - old).elements(), (old - new).elements())


def _lines(text: str) -> list[str]:
    return text.splitlines()[:MAX_LINES]


def patched_files(patch: str) -> list[PatchedFile]:
    """The files of a patch in the form of `apply_patch`, each with the lines that came and went."""
    found: list[PatchedFile] = []
    for line in _lines(patch):
        if line.startswith(_FILE):
            path = line.partition(": ")[2].strip()
            found += [PatchedFile(path, is_new=line.startswith(_FILE[0]))] if path else []
        elif not found:
            continue
        elif line.startswith(_MOVED):
            found.append(PatchedFile(line.removeprefix(_MOVED).strip()))
        elif line.startswith("+"):
            found[-1].added.append(line[1:])
        elif line.startswith("-"):
            found[-1].removed.append(line[1:])
    return found


def added_text(patch: str) -> str:
    """The lines that a patch adds."""
    return "\n".join(
        line[1:] for line in _lines(patch) if line.startswith("+") and not line.startswith("+++")
    )


def removed_text(patch: str) -> str:
    """The lines that a patch takes away."""
    return "\n".join(
        line[1:] for line in _lines(patch) if line.startswith("-") and not line.startswith("---")
    )
