"""The code of one checkout: scanned when it changed, asked what is where and what calls what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from loremap.code.facts import FACTS_VERSION
from loremap.code.finder import EMBED_SECONDS, Finder
from loremap.code.languages import LANGUAGES, language_of
from loremap.code.reach import Reach
from loremap.code.repository import repository_at
from loremap.code.scan.look import UNREAD, Look, Seen
from loremap.code.terms import TERMS_VERSION
from loremap.code.unresolved import Unresolved, called_name, unresolved_calls
from loremap.config.folders import folders
from loremap.config.settings import SCAN_MEMORY_MB, Settings, load
from loremap.embedding.choose import EmbedderChoice, open_embedder
from loremap.embedding.slot import EmbedderSlot
from loremap.errors import Ambiguous, BadInput, NotFound
from loremap.model.code import Edge, EdgeKind, ImportLine, Symbol, SymbolKind
from loremap.model.identity import Repository
from loremap.model.version import VERSION
from loremap.storage.graph import read
from loremap.storage.graph.file import Graph, GraphFile, graph_path

if TYPE_CHECKING:
    from loremap.code.locate.rank import Located
    from loremap.code.scan.update import Progress, ScanReport, Select
    from loremap.embedding.protocol import Embedder

DEPENDS = (EdgeKind.CALLS, EdgeKind.USES, EdgeKind.INHERITS, EdgeKind.REFERENCES)
"""The edges along which a change is felt."""
CONTENT_VERSION = f"{VERSION}/{FACTS_VERSION}/{TERMS_VERSION}"
"""A graph that another program read from the same files is made anew."""
CONSENT = "consent"
"""The fact in a graph that says the user wants a folder scanned that holds everything."""
LIMIT = 500
"""How many symbols or edges an answer holds, unless asked for more."""
SCAN_WAIT_SECONDS = 600.0
QUESTION_WAIT_SECONDS = 5.0
MAX_NAMES = 12
"""For more names than these all files are linked rather than those that say one of them."""


def _no_links(_conn: Graph) -> list[tuple[int, str]]:
    """Nothing of what waits for links: for questions that need none."""
    return []


def quiet(_stage: str, _done: int, _total: int) -> None:
    """Tell nobody how far a scan is."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a graph holds."""

    files: int
    lines: int
    symbols: int
    edges: int
    languages: dict[str, int]
    skipped: dict[str, int]
    broken: int


@dataclass(frozen=True, slots=True)
class Missing:
    """What a graph does not hold yet, as long as its first scan is not done."""

    unread: int = 0
    """Files that are still to be read."""
    unlinked: int = 0
    """Files whose names are not joined yet to what they mean."""

    def __bool__(self) -> bool:
        return bool(self.unread or self.unlinked)

    def said(self) -> str:
        """What an answer says that rests on what there is; nothing where all is there."""
        told = []
        if self.unread:
            told.append(f"Still to be read: {_files(self.unread)}.")
        if self.unlinked:
            told.append(f"Still to be linked: {_files(self.unlinked)}; some uses may be missing.")
        return " ".join(told)


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


@dataclass(frozen=True, slots=True)
class Edges:
    """The first edges of an answer, and how many there are in all."""

    edges: tuple[Edge, ...]
    total: int
    unresolved: Unresolved = field(default_factory=Unresolved)
    """Where no caller was found: the calls of that name that are joined to nothing."""

    def __iter__(self) -> Iterator[Edge]:
        return iter(self.edges)


@dataclass(frozen=True, slots=True)
class Reached:
    """A symbol that a change may reach, and over how many steps."""

    symbol: Symbol
    steps: int


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change may reach: the nearest symbols, and how many there are in how many files."""

    reached: tuple[Reached, ...]
    total: int
    files: int

    def __iter__(self) -> Iterator[Reached]:
        return iter(self.reached)


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What a file uses and what uses it."""

    path: str
    uses: tuple[str, ...]
    used_by: tuple[str, ...]
    imports: tuple[ImportLine, ...]

    @property
    def external(self) -> tuple[str, ...]:
        """The modules it imports that are not in this project."""
        return tuple(dict.fromkeys(line.module for line in self.imports if line.target is None))


class Code:
    """The code graph of one checkout. Every question looks first whether files have changed."""

    def __init__(
        self,
        repository: Repository,
        *,
        graphs: Path,
        embedder: Callable[[], Embedder | None] = lambda: None,
        memory_mb: int = SCAN_MEMORY_MB,
    ) -> None:
        self.repository = repository
        self._memory_mb = memory_mb
        self._path = graph_path(graphs, repository.root)
        self._open: GraphFile | None = None
        self._look = Look(repository)
        self._walked: tuple[int, _Walks] | None = None
        self._finder = Finder(embedder)
        self.progress: Progress = quiet
        self.kept = False
        """Somebody else keeps the graph true: a question takes it as it is and does not look."""

    @property
    def graph(self) -> GraphFile:
        """The graph's file, opened when first needed."""
        if self._open is None:
            self._open = GraphFile(self._path, content_version=CONTENT_VERSION)
        return self._open

    def close(self) -> None:
        """Let go of the graph's file."""
        if self._open is not None:
            self._open.close()
            self._open = None

    # Scan

    @property
    def scanned(self) -> bool:
        """Whether there is a graph to ask, however old."""
        return self._path.exists() and self.graph.seq > 0

    def scan(self, *, consent: bool = False) -> ScanReport:
        """Bring the graph up to date; `consent` is needed where the folder holds everything."""
        from loremap.code.scan.update import ScanReport

        self._refuse_everything(consent)
        seen = self._look.at(self.graph)
        if seen.nothing and not read.waiting(self.graph.conn):
            conn = self.graph.conn
            return ScanReport(skipped=read.skipped(conn), given_up=read.given_up(conn))
        return self._updated(seen, wait_seconds=SCAN_WAIT_SECONDS)

    def _updated(
        self, seen: Seen, *, wait_seconds: float, select: Select = read.waiting
    ) -> ScanReport:
        from loremap.code.scan.update import update  # with it come the parsers

        return update(
            self.graph,
            self.repository,
            seen,
            progress=self.progress,
            wait_seconds=wait_seconds,
            memory_mb=self._memory_mb,
            select=select,
        )

    def _refuse_everything(self, consent: bool) -> None:
        if self.repository.kind != "global":
            return
        if consent:
            with self.graph.write():
                self.graph.set_meta(CONSENT, "yes")
        elif self.graph.meta(CONSENT) != "yes":
            raise BadInput(
                f"{self.repository.root} holds everything you have and is no project; "
                "nothing was read.",
                hint="Change to a project's folder, or say `lore scan --everything`.",
            )

    def fresh(self) -> GraphFile:
        """The graph, with what has changed since it was last looked at."""
        return self._fresh(select=read.waiting)

    def _fresh(self, *, select: Select) -> GraphFile:
        """The graph with all files read, and linked what `select` gives of those that wait. After a
        change they are few, and are linked in any case."""
        self._refuse_everything(consent=False)
        if self.kept and self.graph.seq:
            return self.graph
        seen = self._look.at(self.graph)
        if not seen.nothing or (select is not _no_links and read.waiting(self.graph.conn)):
            wait = QUESTION_WAIT_SECONDS if self.graph.seq else SCAN_WAIT_SECONDS
            self._updated(seen, wait_seconds=wait, select=select)
        return self.graph

    def _linked(self, name: str) -> list[int]:
        """The ids of what is meant, once what says its name is linked: itself and what uses it."""
        self._fresh(select=_no_links)
        ids = self._members_of(name)
        if self.kept or not read.waiting(self.graph.conn):
            return ids
        symbols = read.symbols_by_id(self.graph.conn, ids).values()
        names = {one.name for one in symbols}
        by_name = len(names) <= MAX_NAMES and not any(map(_has_other_names, symbols))
        self._link(partial(read.waiting_that_say, names=names) if by_name else read.waiting)
        return ids

    def _link(self, select: Select, *, wait_seconds: float = QUESTION_WAIT_SECONDS) -> None:
        self._updated(Seen(False, ()), wait_seconds=wait_seconds, select=select)

    def _link_file(self, path: str) -> None:
        if not self.kept and read.waiting_at(self.graph.conn, path):
            self._link(partial(read.waiting_at, path=path), wait_seconds=0.0)

    def missing(self) -> Missing:
        """What is not in the graph yet; answers say so."""
        waiting = len(read.waiting(self.graph.conn))
        return Missing(int(self.graph.meta(UNREAD, "0")), waiting)

    def counts(self) -> Counts:
        """How much the graph holds, as it is now."""
        conn = self.fresh().conn
        return Counts(
            *read.totals(conn), read.languages(conn), read.skipped(conn), read.broken(conn)
        )

    # Ask

    def outline(self, path: str) -> list[Symbol]:
        """What a file holds, in the order of its lines; the file itself comes first."""
        self._fresh(select=_no_links)
        return self._contents(path)

    def _contents(self, path: str) -> list[Symbol]:
        found = read.contents(self.graph.conn, path)
        if not found:
            raise NotFound(f"The map knows no source file {path}.", hint=self._why_not(path))
        return found

    def _why_not(self, path: str) -> str:
        if not (self.repository.root / path).exists():
            return "There is no such file; paths start at the project's top folder."
        state = read.state_of(self.graph.conn, path)
        if state is None and (unread := self.missing().unread):
            return f"It may be one of those still to be read: {_files(unread)}."
        return (
            f"It was left out: {state}." if state else "It is ignored, or of no language we read."
        )

    def symbols(self, name: str) -> list[Symbol]:
        """Where a symbol is defined: all that the name may mean."""
        self._fresh(select=_no_links)
        return [symbol for _, symbol in self._meant(name)]

    def symbol(self, name: str) -> Symbol:
        """The one symbol that `name` means; raises where it means none or several."""
        self._fresh(select=_no_links)
        return self._one_meant(name)[1]

    def callers(self, name: str, *, limit: int = LIMIT) -> Edges:
        """Who calls a function, or makes a class's instances or calls its methods."""
        found = self._edges_to(name, (EdgeKind.CALLS,), limit)
        if found.total:
            return found
        symbol = self._meant(name)[0][1]
        word = called_name(symbol.qualified, symbol.kind)
        if not word:
            return found
        return replace(found, unresolved=unresolved_calls(self.graph.conn, word, limit=limit))

    def callees(self, name: str, *, limit: int = LIMIT) -> Edges:
        """What a function calls."""
        ids = self._linked(name)
        edges, total = read.edges_from(self.graph.conn, ids, (EdgeKind.CALLS,), limit=limit)
        return Edges(tuple(edges), total)

    def references(self, name: str, *, limit: int = LIMIT) -> Edges:
        """Every place that calls, uses, inherits or mentions a symbol."""
        return self._edges_to(name, DEPENDS, limit)

    def _edges_to(self, name: str, kinds: Sequence[EdgeKind], limit: int) -> Edges:
        ids = self._linked(name)
        edges, total = read.edges_to(self.graph.conn, ids, kinds, limit=limit)
        return Edges(tuple(edges), total)

    def dependencies(self, path: str) -> Dependencies:
        """Which files a file uses, and which use it."""
        self.fresh()
        self._contents(path)
        conn = self.graph.conn
        imports = read.imports_of(conn, path)
        return Dependencies(
            path,
            tuple(read.files_used(conn, path)),
            tuple(read.files_using(conn, path)),
            tuple(imports),
        )

    def impact(self, name: str, *, depth: int = 50, limit: int = LIMIT) -> Impact:
        """What a change of a symbol (or file) may reach, nearest first; itself is not listed."""
        ids = self._members(name)
        return self._walks().impact(self.graph, ids, depth=depth, limit=limit)

    def path_between(self, start: str, end: str) -> list[Symbol]:
        """The shortest way from a symbol to one it depends on; empty if there is none."""
        self.fresh()
        first, last = self._members_of(start), self._members_of(end)
        way = self._walks().reach.path(first, last)
        nodes = read.symbols_by_id(self.graph.conn, way)
        return [nodes[id_] for id_ in way]

    def _walks(self) -> _Walks:
        seq = self.graph.seq
        if self._walked is None or self._walked[0] != seq:
            self._walked = (seq, _Walks(self.graph))
        return self._walked[1]

    def embed(self, *, seconds: float = EMBED_SECONDS) -> int:
        """Make vectors of symbols for `locate`, for so long at most; how many files wait still."""
        return self._finder.embed(
            self._fresh(select=_no_links), seconds=seconds, tell=self.progress
        )

    def locate(self, text: str, *, limit: int = 10) -> Located:
        """The files and tests that a task description most likely means, and why."""
        self._fresh(select=_no_links)
        return self._finder.located(self.graph, text, limit=limit, link=self._link_file)

    # Names

    def _members(self, name: str) -> list[int]:
        """The ids of the one symbol that is meant, and of what it contains, as files are now."""
        self.fresh()
        return self._members_of(name)

    def _one_meant(self, name: str) -> tuple[int, Symbol]:
        meant = self._meant(name)
        if len(meant) > 1:
            raise Ambiguous(
                f"{len(meant)} symbols are called {name}.",
                hint="Say which: " + ", ".join(symbol.key for _, symbol in meant[:4]) + ".",
                candidates=tuple((symbol.key, symbol.signature) for _, symbol in meant),
            )
        return meant[0]

    def _members_of(self, name: str) -> list[int]:
        symbol_id, symbol = self._one_meant(name)
        if symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.VARIABLE):
            return [symbol_id]
        return read.members(self.graph.conn, symbol_id)

    def _meant(self, name: str) -> list[tuple[int, Symbol]]:
        """The symbols that `name` may mean: `path`, `path::Class.method`, `Class.method`, `f`."""
        conn = self.graph.conn
        path, double, qualified = name.partition("::")
        if double or "/" in name or read.file_symbol(conn, name) is not None:
            found = self._in_file(path, qualified)
        else:
            wanted = name.replace("#", ".").strip("().")
            last = wanted.rpartition(".")[2]
            named = read.named(conn, last)
            exact = [one for one in named if one[1].name == last]
            found = [one for one in exact or named if _fits(one[1], wanted)]
        if not found:
            raise NotFound(
                f"The map knows no symbol {name}.",
                hint=Missing(self.missing().unread).said()
                or '`lore locate "…"` finds code by what it is about.',
            )
        return found

    def _in_file(self, path: str, qualified: str) -> list[tuple[int, Symbol]]:
        conn = self.graph.conn
        if not qualified:
            found = read.file_symbol(conn, path)
            return [] if found is None else [found]
        last = qualified.rpartition(".")[2].partition("#")[0]
        return [
            one
            for one in read.named(conn, last)
            if one[1].path == path and one[1].qualified == qualified
        ]


class _Walks:
    """The whole graph in memory, for questions that go over many steps."""

    def __init__(self, graph: GraphFile) -> None:
        self.reach = Reach(read.all_edges(graph.conn, (*DEPENDS, EdgeKind.IMPORTS)))
        places = np.array(read.places(graph.conn), np.int64).reshape(-1, 2)
        size = int(places[:, 0].max(initial=0)) + 1
        self._rank, self._file = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self._rank[places[:, 0]] = np.arange(len(places))
        self._file[places[:, 0]] = places[:, 1]

    def impact(self, graph: GraphFile, ids: Sequence[int], *, depth: int, limit: int) -> Impact:
        """What leads to `ids`, the nearest first."""
        reached, steps = self.reach.upstream(ids, depth=depth)
        others = steps > 0
        reached, steps = reached[others], steps[others]
        nearest = np.lexsort((self._rank[reached], steps))[:limit]
        nodes = read.symbols_by_id(graph.conn, reached[nearest].tolist())
        shown = [
            Reached(nodes[id_], count)
            for id_, count in zip(reached[nearest].tolist(), steps[nearest].tolist(), strict=True)
        ]
        return Impact(tuple(shown), len(reached), len(np.unique(self._file[reached])))


def _has_other_names(symbol: Symbol) -> bool:
    """Whether what uses a symbol may not say its name: a file, or a constructor."""
    language = language_of(symbol.path)
    made_by = LANGUAGES[language].constructors if language is not None else ()
    holder = symbol.qualified.rpartition(".")[0].rpartition(".")[2]
    return not symbol.qualified or symbol.name in made_by or symbol.name == holder


def _fits(symbol: Symbol, wanted: str) -> bool:
    """Whether a dotted name, perhaps with its module in front, means `symbol`."""
    module = symbol.path.rpartition(".")[0].replace("/", ".").removesuffix(".__init__")
    full = f".{module}.{symbol.qualified}".lower()
    return full.endswith("." + wanted.lower())


def open_code(folder: Path) -> Code:
    """The code of the checkout that `folder` lies in."""
    places = folders()
    settings = load(places.settings)
    slot = EmbedderSlot(lambda: open_embedder(embedder_choice(settings), cache_dir=places.cache))
    return Code(
        repository_at(folder.absolute()),
        graphs=places.graphs,
        embedder=slot.embedder,
        memory_mb=settings.whole("scan.memory_mb"),
    )


def embedder_choice(settings: Settings) -> EmbedderChoice:
    """The embedder that the settings name."""
    return EmbedderChoice(
        name=settings.text("embedding.provider"),  # type: ignore[arg-type]  # checked on load
        local_model=settings.text("embedding.local_model"),
        base_url=settings.text("embedding.base_url"),
        model=settings.text("embedding.model"),
        key_env=settings.text("embedding.key_env"),
        dim=settings.whole("embedding.dim"),
        timeout_s=settings.number("embedding.timeout_s"),
        query_prefix=settings.text("embedding.query_prefix"),
        document_prefix=settings.text("embedding.document_prefix"),
    )
