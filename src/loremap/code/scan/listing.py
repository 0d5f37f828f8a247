"""Which files of a checkout a scan looks at, and how many it passes over, by reason."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from loremap.code.listing import files_by_git, files_by_walk, real_folders
from loremap.model.hostile import name_speaks
from loremap.model.identity import Repository
from loremap.model.paths import is_generated_path, is_vendored_path, vendored_tree
from loremap.model.text import visible
from loremap.safety.sieve import Sieve

SECRET = "may hold secrets"
VENDORED = "vendored"
GENERATED = "generated"
UNNAMEABLE = "name is not text"
BEHIND_LINK = "behind a link"
HOSTILE = "name speaks to a model"


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a checkout at one moment, relative to its root."""

    files: tuple[str, ...]
    folders: Mapping[str, tuple[int, int]]
    skipped: Mapping[str, int] = field(default_factory=dict)
    vendored: tuple[str, ...] = ()
    """The folders, each ending in `/`, where the project keeps the code of others."""


def listed(repository: Repository, *, wanted: Callable[[str], bool]) -> Listing:
    """The files of a checkout, without those of others and of machines; of the `wanted` ones
    also without those of secrets."""
    root = repository.root
    sieve = Sieve(root)
    names = files_by_git(root) if repository.kind == "repository" else None
    vendored = set[str]()
    if names is None:

        def left_out(path: str, folder: bool) -> bool:
            if folder and is_vendored_path(path + "/"):
                vendored.add(vendored_tree(path + "/"))
                return True
            return sieve.ignores(path, folder=folder)

        names = list(files_by_walk(root, left_out=left_out))
    folders = real_folders(root, [name for name in names if _is_text(name)])
    skipped: Counter[str] = Counter()
    files = []
    for name in names:
        reason = _reason(name, folders) or (
            SECRET if wanted(name) and sieve.withholds(name) else None
        )
        if reason is None:
            files.append(name)
        else:
            skipped[reason] += 1
            vendored |= {vendored_tree(name)} if reason == VENDORED else set()
    return Listing(tuple(files), folders, skipped, tuple(sorted(vendored - {""})))


def _reason(name: str, folders: Mapping[str, tuple[int, int]]) -> str | None:
    if not _is_text(name):
        return UNNAMEABLE
    if name.rpartition("/")[0] not in folders:
        return BEHIND_LINK
    if is_vendored_path(name):
        return VENDORED
    if name_speaks(name):
        return HOSTILE
    return GENERATED if is_generated_path(name) else None


def _is_text(name: str) -> bool:
    """Whether a name can be kept and shown: UTF-8, on one line, without signs for the terminal."""
    if name.isascii() and name.isprintable():
        return True
    try:
        os.fsencode(name).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return "\n" not in name and visible(name) == name
