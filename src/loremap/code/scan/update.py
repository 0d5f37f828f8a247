"""Brings the graph up to date: lists, reads what changed, links what that touches.

Every batch is written as it comes, so an interrupted scan goes on where it stopped. What cannot be
read or linked within the limits is given up, counted and named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from loremap.code.scan.changes import Changes
from loremap.code.scan.listing import Listing, listed
from loremap.code.scan.look import LISTED, UNREAD, Seen, listing_stamp, stamp_of
from loremap.code.scan.pool import Crew, Failed
from loremap.code.scan.wanted import LARGEST_BYTES, is_wanted, manifests
from loremap.config.settings import SCAN_MEMORY_MB
from loremap.model.identity import Repository
from loremap.storage.graph import read, write
from loremap.storage.graph.file import INDEXES, Graph, GraphFile
from loremap.storage.graph.rows import LinkedFile, ParsedFile, Stamp

Progress = Callable[[str, int, int], None]
"""What is being done, how many files are done, and how many there are."""

Select = Callable[[Graph], list[tuple[int, str]]]
"""Which of the files that wait for their links get them, id and path."""

POOL_FROM_FILES = 64
"""Fewer files are read and linked sooner than a worker starts."""
POOL_FROM_BYTES = 256_000
_BATCH = 24


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What one scan did."""

    read: int = 0
    linked: int = 0
    gone: int = 0
    moved: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    given_up: tuple[tuple[str, str], ...] = ()
    """Path and reason of each file that passed a limit, or over which we failed."""
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
    memory_mb: int = SCAN_MEMORY_MB,
    select: Select = read.waiting,
) -> ScanReport:
    """Scan what `seen` says is new, alone among processes, in at most `memory_mb`.

    Where many files wait for their links, those that `select` leaves out keep waiting: a question
    does not wait for what it does not need.
    """
    with graph.scanning(wait_seconds=wait_seconds) as alone:
        if not alone:
            return ScanReport(busy=True)
        with ExitStack() as held:
            return _Scan(graph, repository, progress, held, memory_mb).run(seen, select)


class _Scan:
    def __init__(
        self,
        graph: GraphFile,
        repository: Repository,
        progress: Progress,
        held: ExitStack,
        memory_mb: int,
    ) -> None:
        self._graph = graph
        self._memory_mb = memory_mb
        self._held = held
        self._crew: Crew | None = None
        self._repository = repository
        self._root = repository.root
        self._base = str(repository.root)
        self._progress = progress
        self._fresh = not read.paths(graph.conn)
        self._changes = Changes(graph, fresh=self._fresh)

    def run(self, seen: Seen, select: Select) -> ScanReport:
        if self._fresh:
            self._workers()  # they start while the files are listed
        stamp = listing_stamp(self._repository)
        listing = listed(self._repository, wanted=is_wanted) if seen.relist or self._fresh else None
        due = self._due(seen, listing)
        read_count = self._read(due)
        self._changes.drop_gone()
        if listing is not None:
            with self._graph.write() as conn:
                write.put_folders(conn, listing.folders)
                self._graph.set_meta(LISTED, stamp)
                self._graph.set_meta(UNREAD, "0")
        linked = self._link(select)
        return ScanReport(
            read=read_count,
            linked=linked,
            gone=len(self._changes.gone),
            moved=self._changes.moved,
            skipped=self._skipped(listing),
            given_up=read.given_up(self._graph.conn),
        )

    def _due(self, seen: Seen, listing: Listing | None) -> list[str]:
        """The paths to read; those no longer there are noted as gone."""
        conn = self._graph.conn
        if listing is None:
            self._changes.known = {row.path: row for row in read.files_at(conn, seen.changed)}
            return list(seen.changed)
        self._changes.known = {row.path: row for row in read.files(conn)}
        there = [path for path in listing.files if is_wanted(path)]
        wanted = set(there)
        self._changes.gone = {
            row.id: row for path, row in self._changes.known.items() if path not in wanted
        }
        return [path for path in there if self._may_differ(path)]

    def _may_differ(self, path: str) -> bool:
        row = self._changes.known.get(path)
        return row is None or not row.settled or stamp_of(f"{self._base}/{path}") != row.stamp

    # Reading

    def _read(self, due: Sequence[str]) -> int:
        count = done = 0
        for batch in self._parsed(due):
            done += len(batch)
            count += self._changes.write(batch, unread=len(due) - done)
            self._progress("Reading", done, len(due))
        return count

    def _parsed(self, due: Sequence[str]) -> Iterator[list[ParsedFile]]:
        known = ((path, self._changes.known.get(path)) for path in due)
        batches = _batches([(path, row.hash if row else "") for path, row in known])
        fixed = (self._base,)
        answers: Iterable[list[Any]]
        if len(due) < POOL_FROM_FILES and not any(map(self._is_large, due)):
            from loremap.code.scan import jobs  # late: workers start the sooner

            answers = ([jobs.done("parse", fixed, one) for one in batch] for batch in batches)
        else:
            answers = self._workers().answers([("parse", fixed, batch) for batch in batches])
        for answer in answers:
            yield [self._lost(one) if isinstance(one, Failed) else one for one in answer]

    def _is_large(self, path: str) -> bool:
        """Whether a file is so large that a parser might hang over it, which a worker survives."""
        stamp = stamp_of(f"{self._base}/{path}")
        return stamp is not None and POOL_FROM_BYTES < stamp.size <= LARGEST_BYTES

    def _lost(self, failed: Failed) -> ParsedFile:
        path, _ = failed.item
        stamp = stamp_of(self._root / path)
        return ParsedFile(path, failed.why, stamp or Stamp(0, 0, 0), settled=True)

    # Linking

    def _link(self, select: Select) -> int:
        missing = list(INDEXES)
        self._graph.conn.execute(missing.pop(0))  # linking asks for it; the others can wait
        waiting = read.waiting(self._graph.conn)
        if select is not read.waiting and len(waiting) >= POOL_FROM_FILES:
            waiting = select(self._graph.conn)
        done = 0
        for batch in self._linked(waiting):
            if missing:  # made while the workers link
                self._graph.conn.execute(missing.pop())
            with self._graph.write() as conn:
                for linked in batch:
                    if isinstance(linked, Failed):
                        write.give_up_links(conn, linked.item[0], linked.why)
                    else:
                        write.put_links(conn, linked, first=self._fresh)
            done += len(batch)
            self._progress("Linking", done, len(waiting))
        for statement in missing:
            self._graph.conn.execute(statement)
        return done

    def _linked(self, waiting: Sequence[tuple[int, str]]) -> Iterator[list[LinkedFile | Failed]]:
        if not waiting:
            return
        said = tuple(manifests(self._root, read.paths(self._graph.conn)))
        if len(waiting) < POOL_FROM_FILES:
            from loremap.code.scan import jobs  # late: workers start the sooner

            project = jobs.GraphProject(self._graph, dict(said))
            for one in waiting:
                yield [jobs.attempted(partial(project.linked, *one), one)]
            return
        fixed = (str(self._graph.path), self._graph.content_version, said)
        yield from self._workers().answers([("link", fixed, batch) for batch in _batches(waiting)])

    def _workers(self) -> Crew:
        if self._crew is None:
            self._crew = self._held.enter_context(Crew(self._memory_mb))
        return self._crew

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


def _batches(items: Sequence[Any]) -> list[Sequence[Any]]:
    return [items[start : start + _BATCH] for start in range(0, len(items), _BATCH)]
