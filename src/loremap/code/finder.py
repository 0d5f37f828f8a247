"""Finds files by a description: word counts and symbol vectors in memory, refreshed by change."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from loremap.errors import ModelError
from loremap.model.paths import is_test_path
from loremap.storage.graph import read, write
from loremap.storage.graph.file import GraphFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from loremap.code.locate.index import Floats, LocateIndex
    from loremap.code.locate.rank import Located
    from loremap.code.terms import FileTerms
    from loremap.embedding.protocol import Embedder

EMBED_SECONDS = 20.0
"""How long a scan makes vectors of symbols; the next one goes on."""
FILES_AT_ONCE = 24

Tell = Callable[[str, int, int], None]


class Finder:
    """The index of one checkout."""

    def __init__(self, embedder: Callable[[], Embedder | None]) -> None:
        self._embedder = embedder
        self._seq = -1
        self._terms: dict[str, tuple[str, FileTerms]] = {}
        self._indexes: tuple[LocateIndex, LocateIndex] | None = None
        self._vectors: _Vectors | None = None

    def located(
        self, graph: GraphFile, text: str, *, limit: int, link: Callable[[str], None]
    ) -> Located:
        """The files and tests that `text` most likely means; `link` has a file's names joined to
        what they mean, where that was not done yet."""
        from loremap.code.locate.rank import located

        sources, tests = self._built(graph)
        places = {path: place for place, path in enumerate(sources.paths)}

        def uses(at: int) -> list[int]:
            link(sources.paths[at])
            used = read.files_used(graph.conn, sources.paths[at])
            return [places[path] for path in used if path in places]

        return located(sources, tests, text, similar=self._similar(text), uses=uses, limit=limit)

    def embed(self, graph: GraphFile, *, seconds: float, tell: Tell) -> int:
        """Make the vectors that are missing, for so long at most; returns how many files wait."""
        embedder = self._embedder()
        if embedder is None:
            return 0
        waiting = _waiting(graph, embedder.model)
        until = time.monotonic() + seconds
        for start in range(0, len(waiting), FILES_AT_ONCE):
            if time.monotonic() > until:
                return len(waiting) - start
            some = waiting[start : start + FILES_AT_ONCE]
            try:
                _embed(graph, embedder, some)
            except ModelError:
                return len(waiting) - start  # words answer alone until the model can
            tell("Embedding", min(start + FILES_AT_ONCE, len(waiting)), len(waiting))
        return 0

    def _built(self, graph: GraphFile) -> tuple[LocateIndex, LocateIndex]:
        """The indexes of sources and of tests; only files that changed are read again."""
        seq = graph.seq
        if self._indexes is None or self._seq != seq:
            terms = self._read(graph)
            if (
                self._indexes is None
                or terms.keys() != self._terms.keys()
                or any(terms[path] is not known for path, known in self._terms.items())
            ):
                self._terms = terms
                self._indexes = self._joined()
            self._vectors = self._joined_vectors(graph)
            self._seq = seq
        return self._indexes

    def _read(self, graph: GraphFile) -> dict[str, tuple[str, FileTerms]]:
        from loremap.code.terms import from_bytes

        hashes = read.content_hashes(graph.conn)
        kept = {path: known for path, known in self._terms.items() if hashes.get(path) == known[0]}
        missing = [path for path in hashes if path not in kept]
        for path, data in read.terms_of(graph.conn, missing):
            kept[path] = (hashes[path], from_bytes(data))
        return kept

    def _joined(self) -> tuple[LocateIndex, LocateIndex]:
        from loremap.code.locate.index import built_index

        paths = sorted(self._terms)
        return (
            built_index((path, self._terms[path][1]) for path in paths if not is_test_path(path)),
            built_index((path, self._terms[path][1]) for path in paths if is_test_path(path)),
        )

    def _joined_vectors(self, graph: GraphFile) -> _Vectors | None:
        """The vectors of the source files' symbols; None while no file has any."""
        import numpy as np

        embedder = self._embedder()
        if embedder is None or self._indexes is None or not len(self._indexes[0]):
            return None
        stored = read.vectors_of(graph.conn, embedder.model)
        rows, owners = [], []
        for place, path in enumerate(self._indexes[0].paths):
            content, data = stored.get(path, ("", b""))
            if content == self._terms[path][0]:
                made = np.frombuffer(data, np.float16).reshape(-1, embedder.dim)
                rows.append(made)
                owners += [place] * len(made)
        if not rows:
            return None
        return _Vectors(np.concatenate(rows).astype(np.float32), np.array(owners, np.int32))

    def _similar(self, text: str) -> Floats | None:
        from loremap.code.locate.similar import file_similarity, task_texts

        embedder = self._embedder()
        if self._vectors is None or self._indexes is None or embedder is None:
            return None
        try:
            task = embedder.embed(task_texts(text), query=True)
        except ModelError:
            return None  # words answer alone
        return file_similarity(
            self._vectors.rows, self._vectors.owners, task, file_count=len(self._indexes[0])
        )


class _Vectors:
    """One row per symbol, and whose it is."""

    def __init__(self, rows: NDArray[np.float32], owners: NDArray[np.int32]) -> None:
        self.rows = rows
        self.owners = owners


def _waiting(graph: GraphFile, model: str) -> list[tuple[str, str]]:
    """Source files whose symbols have no vectors of this content: path and content hash."""
    made = read.vector_hashes(graph.conn, model)
    return [
        (path, content)
        for path, content in sorted(read.content_hashes(graph.conn).items())
        if not is_test_path(path) and made.get(path) != content
    ]


def _embed(graph: GraphFile, embedder: Embedder, files: Sequence[tuple[str, str]]) -> None:
    import numpy as np

    from loremap.code.facts import from_bytes
    from loremap.code.locate.similar import symbol_texts

    texts: list[list[str]] = []
    for path, _ in files:
        facts = read.facts_of(graph.conn, path)
        texts.append([] if facts is None else symbol_texts(path, from_bytes(facts)))
    made = embedder.embed([text for some in texts for text in some])
    bounds = np.cumsum([0, *(len(some) for some in texts)])
    rows = [
        (path, content, made[bounds[at] : bounds[at + 1]].astype(np.float16).tobytes())
        for at, (path, content) in enumerate(files)
    ]
    with graph.write() as conn:
        write.put_vectors(conn, embedder.model, rows)
        write.drop_stray_vectors(conn, embedder.model)
