"""The sessions that clients have written down: each by its files, its folder and its times, found
without reading what was said in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from loremap.clients.payloads.payload import Raw
from loremap.clients.transcripts.lines import opened
from loremap.clients.transcripts.record import Record, objects

if TYPE_CHECKING:
    from loremap.clients.settings.site import Site

HEAD_BYTES = 256 * 1024
"""What a session is about stands in the beginning of its file."""
HEAD_LINES = 200
MAX_FILES = 20_000
"""Of one client, the newest."""
_LONGEST_PATH = 4_096
_LATEST = 1 << 32
"""The last second that a file can have been written at; a file system takes any number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a file says of a session in it."""

    id: str
    """As the client's hooks name it."""
    folder: str = ""
    """Where it was worked in; empty where nothing says so."""
    branch: str = ""
    remote: str = ""
    began: datetime | None = None
    last: datetime | None = None
    """None where the file's own time says it."""
    bytes: int | None = None
    """None where the whole file is this session's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """Where a client keeps its sessions, and how what each is about is read."""

    files: Callable[[Site], Iterable[Path]]
    about: Callable[[Path], Iterable[About]]
    """Nothing for a file that is no session of a person: a subagent's, for one."""
    records: Callable[[Path, str], Iterator[Record]] | None = None
    """What a file tells of the session of that id, where several share it; else its lines do."""
    subagents: Callable[[Path, str], Iterable[tuple[str, Iterator[Record]]]] = lambda path, id_: ()
    """What such a file tells of each subagent of that session, by its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSession:
    """One session that a client has written down."""

    client: str
    id: str
    paths: tuple[Path, ...]
    """Its files, the first one first: a client may go on in another."""
    folder: Path | None
    branch: str | None
    remote: str | None
    began: datetime | None
    last: datetime
    bytes: int


def below(root: Path, *levels: str) -> Iterator[Path]:
    """The files below a folder whose names fit, a pattern for each level; links are not followed,
    for where they lead is nobody's session, and a folder that cannot be read is passed over."""
    try:
        entries = sorted(os.scandir(root), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_symlink() or not fnmatchcase(entry.name, levels[0]):
            continue
        if len(levels) > 1:
            yield from below(Path(entry.path), *levels[1:])
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path)


def opening(path: Path) -> bytes:
    """How a file begins; raises OSError where it cannot be read."""
    with opened(path) as file:
        return file.read(HEAD_BYTES)


def head(path: Path) -> Iterator[Raw]:
    """The first objects of a file of lines, read as they are asked for; raises OSError where it
    cannot be read."""
    with opened(path) as file:
        left = HEAD_BYTES
        for _ in range(HEAD_LINES):
            line = file.readline(left)
            left -= len(line)
            if not line or left <= 0:
                return
            yield from (found for _, found in objects([(0, line)]))


def small(path: Path) -> Raw:
    """The one object of a small file; empty where it holds none. Raises OSError where it cannot be
    read."""
    return next((found for _, found in objects([(0, opening(path))])), {})


def sessions_in(client: str, past: Past, path: Path) -> Iterator[PastSession]:
    """The sessions that a file holds, or a part of; raises OSError where it cannot be read."""
    stat = path.stat()
    written = datetime.fromtimestamp(min(max(stat.st_mtime, 0), _LATEST), tz=UTC)
    for about in past.about(path):
        yield PastSession(
            client=client,
            id=about.id,
            paths=(path,),
            folder=folder_of(about.folder),
            branch=about.branch or None,
            remote=about.remote or None,
            began=about.began,
            last=about.last or written,
            bytes=stat.st_size if about.bytes is None else about.bytes,
        )


def folder_of(said: str) -> Path | None:
    """The folder that is named; None where that is none one can go by."""
    if not said or "\0" in said or len(said) > _LONGEST_PATH:
        return None
    path = Path(said)
    return path if path.is_absolute() else None
