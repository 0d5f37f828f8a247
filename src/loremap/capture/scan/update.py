"""Brings the graph up to date: lists, reads what changed, links what that touches.

Every batch is written as it comes, so an interrupted scan goes on where it stopped.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from loremap.capture.scan import jobs
from loremap.capture.scan.listing import Listing, listed
from loremap.capture.scan.look import LISTED, Seen, listing_stamp, stamp_of
from loremap.capture.scan.pool import Crew, Failed, Task
from loremap.capture.scan.read import GONE, LARGEST_BYTES
from loremap.codegraph.changed_names import changed_names
from loremap.codegraph.facts import from_bytes
from loremap.codegraph.languages import language_of
from loremap.model.identity import Repository
from loremap.storage.graph import read, write
from loremap.storage.graph.file import INDEXES, GraphFile
from loremap.storage.graph.rows import LINKABLE, FileRow, LinkedFile, ParsedFile, Stamp

Progress = Callable[[str, int, int], None]
"""What is being done, how many files are done, and how many there are."""

POOL_FROM_FILES = 64
"""Fewer files are read and linked sooner than a worker starts."""
POOL_FROM_BYTES = 256_000
_BATCH = 24
_MANIFEST = re.compile(
    r"go\.(?:mod|work)|(?:package|deno|composer|[tj]sconfig(?:\.[\w.-]+)?)\.jsonc?"
    r"|Cargo\.toml|pom\.xml|Package\.swift"
)
_IGNORE_FILES = frozenset({".gitignore", ".secretsignore"})
_SAME_FILE_SHARE = 0.5
"""A new file that holds this share of a vanished one's definitions is that file, moved."""


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What one scan did."""

    read: int = 0
    linked: int = 0
    gone: int = 0
    moved: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    busy: bool = False
    """Whether another process was scanning, so that this one did not."""

    @property
    def changed(self) -> bool:
        """Whether the graph is another than before."""
        return bool(self.read or self.linked or self.gone or self.moved)


def update(
    graph: GraphFile,
    repository: Repository,
    seen: Seen,
    *,
    progress: Progress = lambda _stage, _done, _total: None,
    wait_seconds: float = 0.0,
) -> ScanReport:
    """Scan what `seen` says is new, alone among processes."""
    with graph.scanning(wait_seconds=wait_seconds) as alone:
        if not alone:
            return ScanReport(busy=True)
        with ExitStack() as held:
            return _Scan(graph, repository, progress, held).run(seen)


class _Scan:
    def __init__(
        self, graph: GraphFile, repository: Repository, progress: Progress, held: ExitStack
    ) -> None:
        self._graph = graph
        self._held = held
        self._crew: Crew | None = None
        self._repository = repository
        self._root = repository.root
        self._base = str(repository.root)
        self._progress = progress
        self._known = {row.path: row for row in read.files(graph.conn)}
        self._fresh = not self._known
        self._gone: dict[int, FileRow] = {}
        self._moved = 0

    def run(self, seen: Seen) -> ScanReport:
        if self._fresh:
            self._workers()  # they start while the files are listed
        stamp = listing_stamp(self._repository)
        listing = (
            listed(self._repository, wanted=_is_wanted) if seen.relist or self._fresh else None
        )
        due = self._due(seen, listing)
        read_count = self._read(due)
        self._drop_gone()
        if listing is not None:
            with self._graph.write() as conn:
                write.put_folders(conn, listing.folders)
                self._graph.set_meta(LISTED, stamp)
        for statement in INDEXES:
            self._graph.conn.execute(statement)
        linked = self._link()
        return ScanReport(
            read=read_count,
            linked=linked,
            gone=len(self._gone),
            moved=self._moved,
            skipped=self._skipped(listing),
        )

    def _due(self, seen: Seen, listing: Listing | None) -> list[str]:
        """The paths to read; those no longer there are noted as gone."""
        if listing is None:
            return [row.path for row in seen.changed]
        there = [path for path in listing.files if _is_wanted(path)]
        wanted = set(there)
        self._gone = {row.id: row for path, row in self._known.items() if path not in wanted}
        return [path for path in there if self._may_differ(path)]

    def _may_differ(self, path: str) -> bool:
        row = self._known.get(path)
        return row is None or not row.settled or stamp_of(f"{self._base}/{path}") != row.stamp

    # Reading

    def _read(self, due: Sequence[str]) -> int:
        count = done = 0
        for batch in self._parsed(due):
            count += self._write(batch)
            done += len(batch)
            self._progress("Reading", done, len(due))
        return count

    def _parsed(self, due: Sequence[str]) -> Iterator[list[ParsedFile]]:
        batches = _batches(due)
        if len(due) < POOL_FROM_FILES and not any(map(self._is_large, due)):
            yield from (jobs.parse(str(self._root), batch) for batch in batches)
            return
        tasks: list[Task] = [("parse", (str(self._root),), batch) for batch in batches]
        for answer in self._workers().answers(tasks):
            yield [self._lost(one) if isinstance(one, Failed) else one for one in answer]

    def _is_large(self, path: str) -> bool:
        """Whether a file is so large that a parser might hang over it, which a worker survives."""
        stamp = stamp_of(f"{self._base}/{path}")
        return stamp is not None and POOL_FROM_BYTES < stamp.size <= LARGEST_BYTES

    def _lost(self, failed: Failed) -> ParsedFile:
        stamp = stamp_of(self._root / failed.item)
        return ParsedFile(failed.item, failed.why, stamp or Stamp(0, 0, 0), settled=True)

    def _write(self, batch: Iterable[ParsedFile]) -> int:
        changed = 0
        with self._graph.write() as conn:
            for parsed in batch:
                row = self._known.get(parsed.path)
                if parsed.state == GONE:
                    if row is not None:
                        self._gone[row.id] = row
                elif row is not None and _same(row, parsed):
                    write.restamp(conn, [(*parsed.stamp, parsed.settled, row.id)])
                else:
                    self._put(conn, row, parsed)
                    changed += 1
        return changed

    def _put(self, conn: sqlite3.Connection, row: FileRow | None, parsed: ParsedFile) -> None:
        before = None if self._fresh or row is None else read.facts_of(conn, row.path)
        if row is None and (former := self._former(conn, parsed)) is not None:
            write.move_file(conn, former.id, parsed.path)
            del self._gone[former.id]
            self._moved += 1
            self._unlink(conn, former, parsed, None)
        write.put_file(conn, parsed)
        self._unlink(conn, row, parsed, before)

    def _former(self, conn: sqlite3.Connection, parsed: ParsedFile) -> FileRow | None:
        """The vanished file that a new one is: the same bytes, or most of its definitions."""
        if parsed.state != LINKABLE:
            return None
        now = {row[10] for row in parsed.symbols if row[10]}
        best, most = None, 0.0
        for row in self._gone.values():
            if row.hash == parsed.hash:
                return row
            then = write.digests(conn, row.id)
            share = len(then & now) / len(then) if then else 0.0
            if row.language == parsed.language and share >= _SAME_FILE_SHARE and share > most:
                best, most = row, share
        return best

    def _unlink(
        self,
        conn: sqlite3.Connection,
        row: FileRow | None,
        parsed: ParsedFile,
        before: bytes | None,
    ) -> None:
        """Have linked again whoever rests on what this change changed."""
        if self._fresh:
            return
        if _is_manifest(parsed.path):
            write.unlink_all(conn)
        elif row is None or row.interface != parsed.interface or row.path != parsed.path:
            packages = {parsed.package} | ({row.package} if row is not None else set())
            paths = {parsed.path} | ({row.path} if row is not None else set())
            marks = paths | {f"package:{package}" for package in packages if package}
            names = _changed_names(before, parsed)
            if names is None:
                write.unlink(conn, marks)
            else:
                write.unlink_saying(conn, marks, names)
            if row is None or row.path != parsed.path:
                self._unlink_importers(conn, paths)

    def _unlink_importers(self, conn: sqlite3.Connection, paths: Iterable[str]) -> None:
        stems = {_stem(path) for path in paths}
        write.unlink_files(conn, read.importers(conn, targets=paths, stems=stems))

    def _drop_gone(self) -> None:
        if not self._gone:
            return
        with self._graph.write() as conn:
            for row in self._gone.values():
                write.unlink(conn, [row.path, f"package:{row.package}"])
                self._unlink_importers(conn, [row.path])
            write.drop_files(conn, self._gone)

    # Linking

    def _link(self) -> int:
        waiting = read.waiting(self._graph.conn)
        done = 0
        for batch in self._linked(waiting):
            with self._graph.write() as conn:
                for linked in batch:
                    if isinstance(linked, Failed):
                        write.give_up_links(conn, linked.item[0])
                    else:
                        write.put_links(conn, linked)
            done += len(batch)
            self._progress("Linking", done, len(waiting))
        return done

    def _linked(self, waiting: Sequence[tuple[int, str]]) -> Iterator[list[LinkedFile | Failed]]:
        if not waiting:
            return
        manifests = tuple(self._manifests())
        if len(waiting) < POOL_FROM_FILES:
            project = jobs.GraphProject(self._graph, dict(manifests))
            yield [project.linked(file_id, path) for file_id, path in waiting]
            return
        fixed = (str(self._graph.path), self._graph.content_version, manifests)
        yield from self._workers().answers([("link", fixed, batch) for batch in _batches(waiting)])

    def _workers(self) -> Crew:
        if self._crew is None:
            self._crew = self._held.enter_context(Crew())
        return self._crew

    def _manifests(self) -> Iterator[tuple[str, bytes]]:
        for row in read.files(self._graph.conn):
            if _is_manifest(row.path):
                text = _small_text(self._root / row.path)
                if text is not None:
                    yield row.path, text

    def _skipped(self, listing: Listing | None) -> dict[str, int]:
        """How many files were passed over, by reason; kept in the graph between listings."""
        if listing is not None:
            with self._graph.write() as conn:
                write.put_skipped(conn, listing.skipped)
        return skipped(self._graph)


def skipped(graph: GraphFile) -> dict[str, int]:
    """How many files of the checkout are not in the graph, by reason."""
    counts = Counter(read.skipped(graph.conn))
    return dict(counts.most_common())


def _is_wanted(path: str) -> bool:
    return (
        language_of(path) is not None
        or _is_manifest(path)
        or path.rpartition("/")[2] in _IGNORE_FILES
    )


def _is_manifest(path: str) -> bool:
    """Whether imports may mean other files when this one changes."""
    return _MANIFEST.fullmatch(path.rpartition("/")[2]) is not None


def _changed_names(before: bytes | None, parsed: ParsedFile) -> frozenset[str] | None:
    """The names that mean something else now; None where it cannot be told."""
    if before is None or not parsed.facts:
        return None
    return changed_names(from_bytes(before), from_bytes(parsed.facts))


def _same(row: FileRow, parsed: ParsedFile) -> bool:
    return row.hash == parsed.hash and row.state == parsed.state


def _stem(path: str) -> str:
    """The word by which an import would name a file."""
    name = PurePosixPath(path)
    stem = name.name.partition(".")[0]
    return name.parent.name if stem in ("__init__", "index", "mod", "lib") else stem


def _small_text(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            return file.read(256_000)
    except OSError:
        return None


def _batches(items: Sequence[Any]) -> list[Sequence[Any]]:
    return [items[start : start + _BATCH] for start in range(0, len(items), _BATCH)]
