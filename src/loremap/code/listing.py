"""The files of a project, as git lists them or as its folders hold them. Links are not followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from loremap.code.git import git_says

_LIST = (
    "--work-tree=.",  # its settings may claim another folder
    *("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"),
)
_LIST_SECONDS = 60.0

Leaves = Callable[[str, bool], bool]
"""Whether a path (and whether it is a folder) is left out."""


def files_by_git(root: Path) -> list[str] | None:
    """The tracked and the new files of a worktree; None where git cannot tell."""
    listed = git_says(_LIST, at=root, seconds=_LIST_SECONDS)
    if listed is None:
        return None
    # What ends in a slash is another repository inside this one.
    return [os.fsdecode(name) for name in listed.split(b"\0") if name and not name.endswith(b"/")]


def files_by_walk(root: Path, *, left_out: Leaves) -> Iterator[str]:
    """The files below `root`; other repositories, links and what is `left_out` are passed over."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(root / folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue  # it vanished, or is not ours to read
        for entry in found:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if not _is_other_project(entry) and not left_out(path, True):
                    waiting.append(path)
            elif entry.is_file(follow_symlinks=False) and not left_out(path, False):
                yield path


def _is_other_project(entry: os.DirEntry[str]) -> bool:
    return entry.name.startswith(".") or Path(entry.path, ".git").exists()


def real_folders(root: Path, paths: list[str]) -> dict[str, tuple[int, int]]:
    """The folders that hold `paths`, with their stamps; one that is a link is not among them."""
    names = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in names:
            names.add(folder)
            folder = folder.rpartition("/")[0]
    real: dict[str, tuple[int, int]] = {}
    for name in sorted(names):
        above = name.rpartition("/")[0]
        if name and above not in real:
            continue
        try:
            found = os.lstat(f"{root}/{name}") if name else root.stat()
        except OSError:
            continue
        if stat.S_ISDIR(found.st_mode):
            real[name] = (found.st_mtime_ns, found.st_ino)
    return real
