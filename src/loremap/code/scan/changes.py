"""Writes files that came, changed, moved or went, and has linked again whoever rests on them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from loremap.code.changed_names import changed_names
from loremap.code.facts import from_bytes
from loremap.code.resolution.interface import interface
from loremap.code.scan.look import UNREAD
from loremap.code.scan.wanted import is_manifest
from loremap.storage.graph import read, write
from loremap.storage.graph.file import Graph, GraphFile
from loremap.storage.graph.rows import GONE, LINKABLE, SAME, FileRow, ParsedFile

_SAME_FILE_SHARE = 0.5
"""A new file that holds this share of a vanished one's definitions is that file, moved."""


class Changes:
    """The changes of one scan."""

    def __init__(self, graph: GraphFile, *, fresh: bool) -> None:
        self._graph = graph
        self._fresh = fresh
        self.known: dict[str, FileRow] = {}
        """By path, the files that this scan may change, as the graph has them."""
        self.gone: dict[int, FileRow] = {}
        self.moved = 0

    def write(self, batch: Iterable[ParsedFile], *, unread: int) -> int:
        """Write what was read of some files, and how many are still to be read; how many of them
        are not as they were."""
        changed = 0
        with self._graph.write() as conn:
            for parsed in batch:
                row = self.known.get(parsed.path)
                if parsed.state == GONE:
                    if row is not None:
                        self.gone[row.id] = row
                elif row is not None and _same(row, parsed):
                    write.restamp(conn, [(*parsed.stamp, parsed.settled, row.id)])
                else:
                    self._put(conn, row, parsed)
                    changed += 1
            self._graph.set_meta(UNREAD, str(unread))
        return changed

    def _put(self, conn: Graph, row: FileRow | None, parsed: ParsedFile) -> None:
        before = None if self._fresh or row is None else read.facts_of(conn, row.path)
        if row is None and (former := self._former(conn, parsed)) is not None:
            write.move_file(conn, former.id, parsed.path)
            del self.gone[former.id]
            self.moved += 1
            self._unlink(conn, former, parsed, None)
        write.put_file(conn, parsed)
        self._unlink(conn, row, parsed, before)

    def _former(self, conn: Graph, parsed: ParsedFile) -> FileRow | None:
        """The vanished file that a new one is: the same bytes, or most of its definitions."""
        if parsed.state != LINKABLE:
            return None
        now = {row[10] for row in parsed.symbols if row[10]}
        best, most = None, 0.0
        for row in self.gone.values():
            if row.hash == parsed.hash:
                return row
            then = write.digests(conn, row.id)
            share = len(then & now) / len(then) if then else 0.0
            if row.language == parsed.language and share >= _SAME_FILE_SHARE and share > most:
                best, most = row, share
        return best

    def _unlink(
        self,
        conn: Graph,
        row: FileRow | None,
        parsed: ParsedFile,
        before: bytes | None,
    ) -> None:
        """Have linked again whoever rests on what this change changed."""
        if self._fresh:
            return
        if is_manifest(parsed.path):
            write.unlink_all(conn)
            return
        moved = row is None or row.path != parsed.path
        old, now = (from_bytes(data) if data else None for data in (before, parsed.facts))
        if not moved and (old and interface(old)) == (now and interface(now)):
            return
        packages = {parsed.package} | ({row.package} if row is not None else set())
        paths = {parsed.path} | ({row.path} if row is not None else set())
        marks = paths | {f"package:{package}" for package in packages if package}
        names = changed_names(old, now) if old and now else None
        if names is None:
            write.unlink(conn, marks)
        else:
            write.unlink_saying(conn, marks, names)
        if moved:
            self._unlink_importers(conn, paths)

    def _unlink_importers(self, conn: Graph, paths: Iterable[str]) -> None:
        stems = {_stem(path) for path in paths}
        write.unlink_files(conn, read.importers(conn, targets=paths, stems=stems))

    def drop_gone(self) -> None:
        """Remove the files that are no longer there, with all that was known of them."""
        if not self.gone:
            return
        with self._graph.write() as conn:
            for row in self.gone.values():
                write.unlink(conn, [row.path, f"package:{row.package}"])
                self._unlink_importers(conn, [row.path])
            write.drop_files(conn, self.gone)


def _same(row: FileRow, parsed: ParsedFile) -> bool:
    if parsed.state == SAME:
        return True
    return row.hash == parsed.hash and row.state == parsed.state


def _stem(path: str) -> str:
    """The word by which an import would name a file."""
    name = PurePosixPath(path)
    stem = name.name.partition(".")[0]
    return name.parent.name if stem in ("__init__", "index", "mod", "lib") else stem
