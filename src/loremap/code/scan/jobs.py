"""What a worker of a scan can be asked to do; small scans do it without one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from loremap.code.facts import FileFacts, from_bytes
from loremap.code.imports import Paths
from loremap.code.resolution.memo import TooManySteps
from loremap.code.resolution.resolve import Resolver
from loremap.code.scan.pool import TOO_LONG, Failed
from loremap.code.scan.read import parsed
from loremap.storage.graph import read
from loremap.storage.graph.file import GraphFile
from loremap.storage.graph.rows import LinkedFile, ParsedFile

_CACHE_KIB = 8_192
"""Of the graph's file in a worker, which reads most of it once."""


_LARGE_PACKAGE = 2_000
"""Of how many names a package is read one by one at first."""
_ASKED_SINGLY = 5_000


def parse(root: str, file: tuple[str, str]) -> ParsedFile:
    """Read a file of the checkout at `root`; it comes with the hash it is known by."""
    path, known = file
    return parsed(Path(root), path, known=known)


class GraphProject:
    """The project as the resolver asks about it, answered from the graph's file."""

    def __init__(self, graph: GraphFile, manifests: Mapping[str, bytes]) -> None:
        self._conn = graph.conn
        self.paths = Paths(read.linkable(graph.conn), manifests)
        self._packages: dict[str, Mapping[str, Sequence[str]]] = {}
        self._asked: dict[str, dict[str, Sequence[str]]] = {}
        self._ids: dict[str, dict[int, int]] = {}
        self.resolver = Resolver(self)

    def facts(self, path: str) -> FileFacts | None:
        """What is known of a file, or None; read anew each time."""
        data = read.facts_of(self._conn, path)
        return None if data is None else from_bytes(data)

    def defining(self, package: str, name: str) -> Sequence[str]:
        """The files of a package that define a name."""
        names = self._packages.get(package)
        if names is not None:
            return names.get(name, ())
        asked = self._asked.setdefault(package, {})
        found = asked.get(name)
        if found is None:
            if self._is_read_whole(package, len(asked)):
                self._packages[package] = names = read.names_of(self._conn, package)
                return names.get(name, ())
            found = asked[name] = read.defining(self._conn, package, name)
        return found

    def _is_read_whole(self, package: str, asked: int) -> bool:
        """Whether all names of a package now cost less than those still to be asked for: a small
        one is read at once, a large one when it is asked for more than one change needs."""
        if asked:
            return asked >= _ASKED_SINGLY
        return not read.is_large(self._conn, package, from_names=_LARGE_PACKAGE)

    def linked(self, file_id: int, path: str) -> LinkedFile:
        """What the names of one file mean, as rows."""
        links = self.resolver.links(path)
        facts = self.resolver.facts(path)
        assert facts is not None
        own = self._ids_of(path)
        edges = []
        for source, target_path, target, kind, line in links.edges:
            while source not in own:  # it has no name: what holds it speaks
                source = facts.definitions[source].parent
            target_id = self._ids_of(target_path).get(target)
            if target_id is not None:
                edges.append((own[source], target_id, str(kind), line))
        return LinkedFile(
            file_id, edges, _import_rows(facts, links.imports), sorted(links.consulted)
        )

    def _ids_of(self, path: str) -> Mapping[int, int]:
        """The ids of a file's symbols by position; no symbol changes while files are linked."""
        found = self._ids.get(path)
        if found is None:
            found = self._ids[path] = read.ids_by_position(self._conn, path)
        return found


def _import_rows(
    facts: FileFacts, targets: Sequence[str | None]
) -> list[tuple[int, str, str, str | None]]:
    """One row per statement and file that is meant, with the names it brings."""
    items: dict[tuple[int, str, str | None], list[str]] = {}
    for imported, target in zip(facts.imports, targets, strict=True):
        named = items.setdefault((imported.line, imported.module, target), [])
        if imported.item:
            named.append(imported.item)
    return [
        (line, module, json.dumps(named, ensure_ascii=False), target)
        for (line, module, target), named in items.items()
    ]


def link(
    graph_path: str,
    content_version: str,
    manifests: tuple[tuple[str, bytes], ...],
    file: tuple[int, str],
) -> LinkedFile:
    """Link a file of the graph at `graph_path`."""
    return _project(graph_path, content_version, manifests).linked(*file)


@lru_cache(maxsize=1)
def _project(
    graph_path: str, content_version: str, manifests: tuple[tuple[str, bytes], ...]
) -> GraphProject:
    graph = GraphFile(Path(graph_path), content_version=content_version, cache_kib=_CACHE_KIB)
    return GraphProject(graph, dict(manifests))


_JOBS: Mapping[str, Callable[..., Any]] = {"parse": parse, "link": link}


def done(name: str, fixed: Sequence[Any], item: Any) -> Any:
    """What the job `name` makes of an item, or that it failed."""
    return attempted(lambda: _JOBS[name](*fixed, item), item)


def attempted(job: Callable[[], Any], item: Any) -> Any:
    """What `job` gives; an error of ours costs the item alone, and is counted."""
    try:
        return job()
    except MemoryError:  # not the item's fault alone: the process is full
        raise
    except TooManySteps:
        return Failed(item, TOO_LONG)
    except Exception as fault:  # noqa: BLE001  what it is, is in the graph and in the report
        return Failed(item, f"failed: {type(fault).__name__}")
