"""Commits as git keeps them: who wrote what when, which files and lines they changed.

Objects are read as they are stored, and compared without any program that a repository names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from loremap.code.git import git_says, shown_text

MAX_MESSAGE_BYTES = 32 * 1024
"""A longer message was made by a machine."""
MAX_BLOB_BYTES = 512 * 1024
MAX_LINES = 4_000
"""Lines of one commit that are looked at: what changed more was not written by hand."""
MAX_LOG_BYTES = 16 * 1024 * 1024
WALK_SECONDS, DIFF_SECONDS = 10.0, 10.0
_OBJECT_NAME = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PERSON = re.compile(r"(?P<name>.*?) ?<(?P<email>[^<>]*)> (?P<at>-?\d+)")
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_COMPARE = (
    *("-c", "core.quotePath=false", "-c", f"core.bigFileThreshold={MAX_BLOB_BYTES}"),
    *("diff-tree", "--stdin", "-r", "--root", "--no-renames", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--ignore-submodules"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit."""

    id: str
    parents: tuple[str, ...]
    author: str
    email: str
    at: datetime
    message: str


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """What a commit did to one file."""

    path: str
    lines: tuple[tuple[int, int], ...] = ()
    """The first and last line of each place that was changed, as the commit left them."""
    added: tuple[str, ...] = ()
    changed: int = 0
    """How many lines were added or taken out."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What a commit changed."""

    files: tuple[ChangedFile, ...] = field(default=())

    @property
    def size(self) -> int:
        """How many lines were added or taken out."""
        return sum(one.changed for one in self.files)


def commits_between(
    root: Path,
    tips: Sequence[str],
    known: Sequence[str],
    *,
    limit: int,
    since: datetime | None = None,
) -> list[str] | None:
    """The ids of the newest `limit` commits that lead to `tips` and not to `known`, the oldest
    first and merges left out; None where git does not say."""
    bounds = (*tips, "--not", *known) if known else tuple(tips)
    walk = ["rev-list", "--no-merges", "--date-order", f"--max-count={limit}"]
    walk += [] if since is None else [f"--since={int(since.timestamp())}"]
    walk += bounds
    listed = git_says(walk, at=root, seconds=WALK_SECONDS)
    return None if listed is None else list(reversed(shown_text(listed).split()))


def known_here(root: Path, ids: Iterable[str]) -> list[str]:
    """Which of these commits this clone has."""
    wanted = [one for one in ids if _OBJECT_NAME.fullmatch(one)]
    return [id_ for id_, kind, _ in _looked_up(root, wanted) if kind == "commit"]


def read_commits(root: Path, ids: Sequence[str]) -> list[Commit]:
    """These commits, in their order, without those that cannot be read."""
    sizes = _looked_up(root, ids)
    small = [id_ for id_, kind, size in sizes if kind == "commit" and size <= MAX_MESSAGE_BYTES]
    found = (_commit(id_, content) for id_, content in _objects(root, small))
    return [one for one in found if one is not None]


def changes_of(root: Path, ids: Sequence[str]) -> Mapping[str, Changed]:
    """What each of these commits changed; one that git does not compare in time is left out."""
    if not ids:
        return {}
    told = git_says(
        (*_COMPARE, "-p", "-U0", "--src-prefix=a/", "--dst-prefix=b/"),
        at=root,
        seconds=DIFF_SECONDS,
        given="".join(f"{one}\n" for one in ids).encode(),
    )
    return {} if told is None else dict(_changed(shown_text(told)))


def files_of(root: Path, ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """The files that each of these commits changed, by their names alone."""
    if not ids:
        return {}
    given = "".join(f"{one}\n" for one in ids).encode()
    told = git_says((*_COMPARE, "--name-only"), at=root, seconds=DIFF_SECONDS, given=given)
    found: dict[str, list[str]] = {}
    current: list[str] = []
    wanted = set(ids)
    for line in shown_text(told or b"").splitlines():
        if line in wanted:
            current = found.setdefault(line, [])
        elif line:
            current.append(line)
    return {id_: tuple(paths) for id_, paths in found.items()}


def contents(root: Path, id_: str, paths: Sequence[str]) -> Mapping[str, bytes]:
    """What files held at a commit; those that are missing or too large are left out."""
    names = [f"{id_}:{path}" for path in paths if "\n" not in path]
    sizes = _looked_up(root, names)
    fitting = [
        path
        for path, (_, kind, size) in zip(paths, sizes, strict=False)
        if kind == "blob" and size <= MAX_BLOB_BYTES
    ]
    objects = _objects(root, [f"{id_}:{path}" for path in fitting])
    return {path: content for path, (_, content) in zip(fitting, objects, strict=False)}


def symbols_of(root: Path, id_: str, files: Sequence[ChangedFile]) -> tuple[str, ...]:
    """What of the code a commit changed in these files, as `path::Class.method`, in their order."""
    from loremap.code.view import Held  # with it come the parsers

    found: dict[str, None] = {}
    held = contents(root, id_, [one.path for one in files])
    for file in files:
        named = Held(file.path, held[file.path]).named if file.path in held else None
        if named is None:
            continue
        for first, last in file.lines:
            if symbol := named.at_line(first) or named.at_line(last):
                found.setdefault(f"{file.path}::{symbol}")
    return tuple(found)


def made_here(common_dir: Path | None) -> frozenset[str]:
    """The commits that were made in this clone and not fetched into it: its own log of what HEAD
    was set to says so, which is no part of what a repository brings along."""
    if common_dir is None:
        return frozenset()
    logs = [common_dir / "logs" / "HEAD"]
    logs += sorted((common_dir / "worktrees").glob("*/logs/HEAD"))
    return frozenset(id_ for log in logs for id_ in _made_in(log))


def history_stamp(common_dir: Path) -> tuple[tuple[int, int], ...]:
    """By what one sees, without asking git, that commits came or another branch was taken."""
    logs = sorted((common_dir / "worktrees").glob("*/logs/HEAD"))
    files = (common_dir / "logs" / "HEAD", common_dir / "FETCH_HEAD", common_dir / "packed-refs")
    return tuple(_stamp(one) for one in (*files, *logs))


def _stamp(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return (0, 0)
    return found.st_mtime_ns, found.st_size


_MADE = re.compile(r"commit\b|cherry-pick:|revert:|rebase\b.*\((?:pick|reword|squash|fixup)\)")


def _made_in(log: Path) -> Iterator[str]:
    """The commits that a log says were made, not merely come to."""
    for line in _end_of(log).decode("utf-8", "replace").splitlines():
        head, _, did = line.partition("\t")
        ids = head.split(" ", 2)
        if len(ids) > 1 and _MADE.match(did):
            yield ids[1]


def _end_of(log: Path) -> bytes:
    """The end of a log; nothing of what is no file, and of which reading might never end."""
    try:
        if not log.is_file():
            return b""  # opening a pipe would wait for a writer
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - MAX_LOG_BYTES))
            return file.read(MAX_LOG_BYTES)
    except OSError:
        return b""


def authors(root: Path, tips: Sequence[str], *, limit: int) -> Mapping[str, int]:
    """How many of the newest commits that lead to `tips` each address wrote."""
    walk = ("rev-list", "--no-merges", f"--max-count={limit}", "--format=%ae", *tips)
    told = shown_text(git_says(walk, at=root, seconds=WALK_SECONDS) or b"")
    lines = (line for line in told.splitlines() if not line.startswith("commit "))
    return Counter(line.strip().casefold() for line in lines)


def ahead_of(root: Path, head: str, tips: Sequence[str], *, limit: int) -> frozenset[str]:
    """The commits that lead to `head` and not to `tips`."""
    walk = ("rev-list", f"--max-count={limit}", head, "--not", *tips)
    return frozenset(shown_text(git_says(walk, at=root, seconds=WALK_SECONDS) or b"").split())


def user_email(root: Path) -> str:
    """The address under which this clone's user commits; empty where none is set."""
    told = git_says(("config", "--get", "user.email"), at=root)
    return shown_text(told or b"").strip().casefold()


def _looked_up(root: Path, names: Sequence[str]) -> list[tuple[str, str, int]]:
    """Each name with its kind and size; `missing` and 0 where this clone lacks it."""
    given = "".join(f"{name}\n" for name in names).encode()
    told = git_says(("cat-file", "--batch-check"), at=root, given=given) if names else b""
    found = []
    for line in shown_text(told or b"").splitlines():
        name, _, rest = line.rpartition(" ") if line.endswith(" missing") else line.partition(" ")
        kind, _, size = rest.partition(" ")
        found.append((name, kind, int(size) if size.isdecimal() else 0))
    return found


def _objects(root: Path, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    given = "".join(f"{name}\n" for name in names).encode()
    told = git_says(("cat-file", "--batch"), at=root, given=given) if names else b""
    at, told = 0, told or b""
    while at < len(told):
        end = told.index(b"\n", at)
        head = told[at:end].split(b" ")
        size = int(head[-1])
        yield shown_text(head[0]), told[end + 1 : end + 1 + size]
        at = end + size + 2


def _commit(id_: str, content: bytes) -> Commit | None:
    head, _, body = content.partition(b"\n\n")
    parents, author, encoding = [], None, "utf-8"
    for line in shown_text(head).splitlines():
        name, _, value = line.partition(" ")
        if name == "parent":
            parents.append(value)
        elif name == "author" and author is None:
            author = _PERSON.match(value)
        elif name == "encoding":
            encoding = value
    if author is None:
        return None
    try:
        message = body.decode(encoding, "replace")
    except (LookupError, ValueError):  # no such encoding, or one that decodes nothing
        message = body.decode("utf-8", "replace")
    return Commit(
        id=id_,
        parents=tuple(parents),
        author=author["name"],
        email=author["email"].strip().casefold(),
        at=_time(int(author["at"])),
        message=message,
    )


def _time(seconds: int) -> datetime:
    """The time a commit says it was made at; anybody may write any number there."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.fromtimestamp(0, UTC)


def _changed(told: str) -> Iterator[tuple[str, Changed]]:
    """The commits of a comparison, each with its files."""
    id_, files, file = "", list[ChangedFile](), list[str]()

    def closed() -> list[ChangedFile]:
        return [*files, *([_file(file)] if file else [])]

    for line in told.split("\n"):
        if _OBJECT_NAME.fullmatch(line):
            if id_:
                yield id_, Changed(tuple(one for one in closed() if one.path))
            id_, files, file = line, [], []
        elif line.startswith("diff --git "):
            files, file = closed(), [line]
        elif file:
            file.append(line)
    if id_:
        yield id_, Changed(tuple(one for one in closed() if one.path))


def _file(lines: Sequence[str]) -> ChangedFile:
    path, places, added, changed = "", list[tuple[int, int]](), list[str](), 0
    for line in lines[1 : MAX_LINES + 1]:
        if line.startswith("+++ b/") and not places:
            path = line[6:].rstrip("\t")
        elif found := _HUNK.match(line):
            first, count = int(found[1]), int(found[2] or 1)
            places.append((first, first + max(count - 1, 0)))
        elif places and line[:1] in ("+", "-"):
            changed += 1
            if line[0] == "+":
                added.append(line[1:])
    return ChangedFile(path, tuple(places), tuple(added), changed)
