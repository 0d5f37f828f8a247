"""The code of one checkout as anchors look at it, and a view that knows it by its files alone."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

from loremap.code.blocks import Block, blocks_of
from loremap.code.facts import FileFacts
from loremap.code.git import git_says
from loremap.code.named import Named
from loremap.code.nearby import Nearby
from loremap.code.sketch import Sketch, sketch_of, tokens

LARGEST_BYTES = 1 << 20
"""Of a larger file only its existence counts."""
FILES_KEPT = 512
UNSETTLED_NS = 50_000_000

Place = tuple[str, str]
"""A path and the dotted name of a symbol in it."""


class Standing(NamedTuple):
    """The commit a checkout stands at, and which of the files asked for differ from it."""

    head: str | None
    changed: frozenset[str]


class CodeView(Protocol):
    """What anchors ask of a checkout. No file is seen that may not be read."""

    def exists(self, path: str) -> bool:
        """Whether the project has that file here."""

    def source(self, path: str) -> bytes | None:
        """What a file holds; None where it is not there or too large."""

    def facts(self, path: str) -> FileFacts | None:
        """What its grammar reads in it; None where it has none."""

    def named(self, path: str) -> Named | None:
        """What it defines; None where no grammar reads it."""

    def blocks(self, path: str) -> Sequence[Block]:
        """The blocks of a file that no grammar reads."""

    def whole(self, path: str) -> Sketch | None:
        """The sketch of a whole file."""

    def by_digest(self, digest: str) -> Sequence[Place]:
        """Where in the project a definition of that hash stands."""

    def by_name(self, name: str) -> Sequence[Place]:
        """Where in the project something of that last name is defined."""

    def nearby(self) -> Nearby:
        """The files of the project, by name and place."""

    def standing(self, paths: Sequence[str]) -> Standing:
        """The commit at hand, and which of `paths` differ from it."""


class Held:
    """One file as it was read, and what was made of it so far; with a language come its parser
    and the rest of them, so they are loaded only when asked for."""

    def __init__(self, path: str, source: bytes | None) -> None:
        self.path = path
        self.source = source

    @cached_property
    def text(self) -> str:
        return (self.source or b"").decode("utf-8", "replace")

    @cached_property
    def language(self) -> str | None:
        from loremap.code.languages import language_of

        return language_of(self.path)

    @cached_property
    def facts(self) -> FileFacts | None:
        from loremap.code.extraction.extract import extract

        if self.language is None or self.source is None:
            return None
        return extract(self.source, self.language)

    @cached_property
    def named(self) -> Named | None:
        return None if self.facts is None else Named(self.facts, self.source or b"")

    @cached_property
    def blocks(self) -> Sequence[Block]:
        return () if self.language else blocks_of(self.text, self.path)

    @cached_property
    def whole(self) -> Sketch | None:
        if self.source is None:
            return None
        return sketch_of(tokens(self.text, language=self.language or ""))


class Shelf:
    """Files that were read before, by path, while their size and time stay as they were."""

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[str, str], tuple[tuple[int, ...], Held | None]] = (
            OrderedDict()
        )

    def get(self, key: tuple[str, str], stamp: tuple[int, ...]) -> tuple[bool, Held | None]:
        """Whether a file is known with that stamp, and what was made of it."""
        known = self._held.get(key)
        if known is None or known[0] != stamp:
            return False, None
        self._held.move_to_end(key)
        return True, known[1]

    def put(self, key: tuple[str, str], stamp: tuple[int, ...], held: Held | None) -> None:
        """Keep a file; the one not asked for longest goes."""
        self._held[key] = (stamp, held)
        self._held.move_to_end(key)
        while len(self._held) > FILES_KEPT:
            self._held.popitem(last=False)


@dataclass
class FilesView:
    """A checkout seen through its files: names and hashes are found in `known` files alone.

    It is made for one look: what it saw of a file stays so, while the `shelf` is shared by all.
    """

    root: Path
    readable: Callable[[str], bool]
    """Whether a path of the project may be read: inside it, neither ignored nor secret."""
    shelf: Shelf
    known: Iterable[str] = ()
    listed: Callable[[], Sequence[str]] | None = None

    def __post_init__(self) -> None:
        self._seen: dict[str, Held | None] = {}
        self._base = str(self.root)

    def exists(self, path: str) -> bool:
        """Whether the project has that file here."""
        return self._file(path) is not None

    def source(self, path: str) -> bytes | None:
        """What a file holds; None where it is not there or too large."""
        held = self._file(path)
        return None if held is None else held.source

    def facts(self, path: str) -> FileFacts | None:
        """What its grammar reads in it; None where it has none."""
        held = self._file(path)
        return None if held is None else held.facts

    def named(self, path: str) -> Named | None:
        """What it defines; None where no grammar reads it."""
        held = self._file(path)
        return None if held is None else held.named

    def blocks(self, path: str) -> Sequence[Block]:
        """The blocks of a file that no grammar reads."""
        held = self._file(path)
        return () if held is None else held.blocks

    def whole(self, path: str) -> Sketch | None:
        """The sketch of a whole file."""
        held = self._file(path)
        return None if held is None else held.whole

    def by_digest(self, digest: str) -> Sequence[Place]:
        """Where in the known files a definition of that hash stands."""
        return self._indexes[0].get(digest, ())

    def by_name(self, name: str) -> Sequence[Place]:
        """Where in the known files something of that last name is defined."""
        return self._indexes[1].get(name, ())

    def nearby(self) -> Nearby:
        """The files of the project, or where nobody lists them those that are known."""
        return self._nearby

    def standing(self, paths: Sequence[str]) -> Standing:
        """The commit at hand, and which of `paths` differ from it."""
        return standing_of(self.root, paths)

    @cached_property
    def _nearby(self) -> Nearby:
        return Nearby(tuple(self.known) if self.listed is None else self.listed())

    @cached_property
    def _indexes(self) -> tuple[dict[str, list[Place]], dict[str, list[Place]]]:
        """The symbols of the known files by hash and by last name."""
        by_digest: dict[str, list[Place]] = {}
        by_name: dict[str, list[Place]] = {}
        for path in self.known:
            named = self.named(path)
            if named is None:
                continue
            for symbol in named.symbols:
                by_name.setdefault(symbol.rpartition(".")[2], []).append((path, symbol))
                for digest in {one.digest for one in named.definitions(symbol)}:
                    by_digest.setdefault(digest, []).append((path, symbol))
        return by_digest, by_name

    def _file(self, path: str) -> Held | None:
        if path not in self._seen:
            self._seen[path] = self._looked(path)
        return self._seen[path]

    def _looked(self, path: str) -> Held | None:
        whole = f"{self._base}{os.sep}{path}"
        try:
            found = os.stat(whole)  # noqa: PTH116  a Path costs more than the question
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(found.st_mode):
            return None
        key = (self._base, path)
        stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
        known, held = self.shelf.get(key, stamp)
        if not known:
            held = self._read(path, whole, found.st_size) if self.readable(path) else None
            # Written again within a tick of the clock, a file may keep its stamp.
            if time.time_ns() - found.st_mtime_ns > UNSETTLED_NS:
                self.shelf.put(key, stamp, held)
        return held

    def _read(self, path: str, whole: str, size: int) -> Held | None:
        if size > LARGEST_BYTES:
            return Held(path, None)
        try:
            return Held(path, Path(whole).read_bytes())
        except OSError:
            return None


_OBJECT_NAME = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def standing_of(root: Path, paths: Sequence[str]) -> Standing:
    """The commit at hand and which of `paths` differ from it; nothing where there is no git.

    git is asked for names of objects only, and files are hashed here: to compare by itself it
    would run the filters that a repository names.
    """
    names = b"".join(b"HEAD:./%s\n" % os.fsencode(path) for path in paths if "\n" not in path)
    answer = git_says(("cat-file", "--batch-check"), at=root, given=b"HEAD\n" + names)
    if answer is None:
        return Standing(None, frozenset())
    head, *blobs = (line.partition(b" ")[0] for line in answer.split(b"\n"))
    if not _OBJECT_NAME.fullmatch(head):
        return Standing(None, frozenset(paths))  # nothing is committed yet
    committed = dict(zip((path for path in paths if "\n" not in path), blobs, strict=False))
    changed = [path for path in paths if not _is_blob(root / path, committed.get(path, b""))]
    return Standing(head.decode(), frozenset(changed))


def _is_blob(path: Path, name: bytes) -> bool:
    """Whether a file holds what git keeps under that name, with either kind of line ends."""
    if not _OBJECT_NAME.fullmatch(name):
        return False
    try:
        content = path.read_bytes()
    except OSError:
        return False
    hashed = hashlib.sha256 if len(name) > 40 else hashlib.sha1
    return name.decode() in {
        hashed(b"blob %d\0%b" % (len(text), text), usedforsecurity=False).hexdigest()
        for text in (content, content.replace(b"\r\n", b"\n"))
    }
