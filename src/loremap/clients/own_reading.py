"""What a client loads of a project by itself: by a file's name, through a link, by an import."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath

from loremap.clients.client import Client, Loaded, loads
from loremap.model.identity import Repository
from loremap.model.memory import Memory, Origin

DEEPEST_IMPORT = 5
MAX_BYTES = 256 * 1024
FEWEST_CHARS = 20
"""A text that is shorter may stand in a file by chance."""
_WORD = re.compile(r"[^\W_]+")
_IMPORT = re.compile(r"(?:^|(?<=\s))@([\w./-]+)")


class OwnReading:
    """What one client reads where it was started."""

    def __init__(self, client: Client, repository: Repository) -> None:
        self._client = client
        self._root = repository.root
        self._started = repository.folder

    def has(self, memory: Memory) -> bool:
        """Whether a memory is a line of a file that the client loads, or says what one says."""
        of_file = memory.origin is Origin.FILE and memory.source_file is not None
        return (of_file and self._loads(memory.source_file or "")) or self._says(memory.content)

    def _says(self, text: str) -> bool:
        """Whether a file at the root that the client loads says the same."""
        wanted = _plain(text)
        return len(wanted) >= FEWEST_CHARS and any(
            wanted in _said_in(file, _stamp(file)) for file in self._at_root
        )

    @cached_property
    def _at_root(self) -> tuple[Path, ...]:
        """What the client loads when it starts at the root."""
        files = [
            one
            for entry in self._client.reads
            for one in (
                sorted((self._root / entry.name).glob("**/*.md*"))
                if entry.name.endswith("/")
                else [self._root / entry.name]
            )
            if one.is_file() and self._loads_by_name(one.relative_to(self._root).as_posix())
        ]
        further = (
            [path for file in files for path in _imports(file)] if self._client.imports else []
        )
        return tuple(dict.fromkeys((*files, *further)))

    def _loads_by_name(self, path: str) -> bool:
        return loads(
            self._client,
            path,
            is_file=lambda one: (self._root / one).is_file(),
            started=self._started,
        )

    def _loads(self, path: str) -> bool:
        if self._loads_by_name(path):
            return True
        wanted = (self._root / path).resolve()
        for entry, folder in self._places(path):
            file = self._root / folder / entry.name
            if (
                file.is_file()
                and self._loads_by_name(folder + entry.name)
                and (
                    file.resolve() == wanted or (self._client.imports and wanted in _imports(file))
                )
            ):
                return True
        return False

    def _places(self, path: str) -> Iterator[tuple[Loaded, str]]:
        """Where a file may lie that leads to `path`: beside it and in the folders above."""
        above = [str(one) for one in PurePosixPath(path).parents]
        for entry in self._client.reads:
            if not entry.name.endswith("/"):
                for folder in above:
                    yield entry, "" if folder == "." else f"{folder}/"


def _imports(file: Path, *, deep: int = DEEPEST_IMPORT) -> frozenset[Path]:
    """The files that `file` names as `@path`, and those that they name."""
    named = _named_in(file, _stamp(file))
    further = (_imports(one, deep=deep - 1) for one in named) if deep > 1 else ()
    return named.union(*further)


@lru_cache(maxsize=256)
def _named_in(file: Path, stamp: int) -> frozenset[Path]:
    found = ((file.parent / name.rstrip(".")).resolve() for name in _IMPORT.findall(_text(file)))
    return frozenset(one for one in found if one.is_file())


@lru_cache(maxsize=256)
def _said_in(file: Path, stamp: int) -> str:
    return _plain(_text(file))


def _plain(text: str) -> str:
    """A text as it is compared: its words, no matter how they are marked up."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _stamp(file: Path) -> int:
    """When a file was changed; 0 of one that is gone."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _text(file: Path) -> str:
    try:
        return file.read_bytes()[:MAX_BYTES].decode("utf-8", "replace")
    except OSError:
        return ""
