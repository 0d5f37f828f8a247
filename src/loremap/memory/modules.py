"""The module map of a project: found from the code graph, kept in the store, edited by people."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from loremap.code.commands import project_commands
from loremap.code.module_map import (
    ProjectFile,
    ProjectView,
    is_manifest,
    mapped,
    names_in_manifests,
    wanted_texts,
)
from loremap.code.module_map.text import file_hint
from loremap.code.project_aliases import wanted
from loremap.code.scan.listing import listed
from loremap.errors import BadInput
from loremap.memory import aliases
from loremap.memory.workspace import Workspace
from loremap.memory.writing import settled_project
from loremap.model.map_edits import EditKind, MapEdit
from loremap.model.module import BuildSystem, ModuleMap
from loremap.model.text import visible
from loremap.safety.ignored import refusal_for
from loremap.safety.redaction import redacted
from loremap.storage import modules
from loremap.storage.graph import read
from loremap.storage.graph.file import GraphFile
from loremap.storage.module_edits import edits_of

MAPPED = "mapped"
"""The fact in the graph that says from which files, and for which project, the map was made."""
RULES_VERSION = 3
"""Grows with the rules that find the map, so that one found by older rules is found anew."""
LARGEST_TEXT_BYTES = 256 * 1024
MAX_SYMBOLS = 12


class Modules:
    """The map as seen from one checkout; the one scanned last is what it shows."""

    def __init__(self, lore: Workspace) -> None:
        self._lore = lore

    def map(self) -> ModuleMap:
        """The map, found anew where files came or went or a manifest changed."""
        graph = self._lore.code.fresh()
        if graph.meta(MAPPED) == self._shape(graph):
            with self._lore.store.read() as conn:
                return modules.read_map(conn, self._project_id())
        return self.refresh()

    def refresh(self) -> ModuleMap:
        """Find the map anew; what people edited stays."""
        graph = self._lore.code.fresh()
        project_id = self._project_id()
        view = self._view(graph)
        found = mapped(view, project_commands(view.paths, self._text))
        root = self._lore.repository.root
        with self._lore.store.write(now=self._lore.now(), actor=self._lore.actor) as tx:
            now = modules.write_found(
                tx, project_id, found, exists=lambda path: (root / path).exists()
            )
        aliases.renew(self._lore, self._texts(wanted(view.paths)))
        with graph.write():
            graph.set_meta(MAPPED, self._shape(graph))
        return now

    def commands(self) -> BuildSystem:
        """How the project is tested, checked, built and run, as its files say now."""
        paths = listed(self._lore.repository, wanted=lambda _: False).files
        return project_commands(paths, self._text)

    def manifest_names(self) -> list[str]:
        """The names that manifests write, the nearest to the root first: of the project itself,
        and of the packages it asks for."""
        paths = listed(self._lore.repository, wanted=lambda _: False).files
        return names_in_manifests(self._texts(filter(is_manifest, wanted_texts(paths))))

    def file_counts(self, found: ModuleMap) -> dict[str, int]:
        """How many files each module has, those below a folder that stands for them counted."""
        trees = {path for one in found.modules for path in one.core_files if path.endswith("/")}
        below = Counter[str]()
        if trees:
            for path in listed(self._lore.repository, wanted=lambda _: False).files:
                parts = path.split("/")[:-1]
                heads = ("/".join(parts[:size]) + "/" for size in range(1, len(parts) + 1))
                below.update(tree for tree in heads if tree in trees)
        return {
            one.name: sum(below[path] if path in trees else 1 for path in one.core_files)
            for one in found.modules
        }

    def edit(
        self,
        kind: EditKind,
        module: str,
        *,
        value: str = "",
        items: Sequence[str] = (),
        expected_version: int | None = None,
    ) -> ModuleMap:
        """Rename, merge, split, fill or correct a module; it holds through every scan. Here and
        below, where a module is no longer at `expected_version`, Stale is raised."""
        self.map()
        told = tuple(_clean(item) for item in items)
        edit = MapEdit(kind=kind, module=module, value=_clean(value), items=told)
        with self._lore.store.write(now=self._lore.now(), actor=self._lore.actor) as tx:
            modules.refuse_stale(tx.conn, self._project_id(), module, expected_version)
            return modules.edit_map(tx, self._project_id(), edit)

    def annotate(self, module: str, text: str, *, expected_version: int | None = None) -> ModuleMap:
        """Write a person's note beside a module; an empty one takes it back."""
        self.map()
        with self._lore.store.write(now=self._lore.now(), actor=self._lore.actor) as tx:
            modules.refuse_stale(tx.conn, self._project_id(), module, expected_version)
            return modules.annotate(tx, self._project_id(), module, _clean(text))

    def update_module(
        self, module: str, /, *, expected_version: int | None = None, **fields: str | Sequence[str]
    ) -> ModuleMap:
        """Set fields of a module by name, as an agent does."""
        self.map()
        fields = {
            name: _clean(value) if isinstance(value, str) else [_clean(item) for item in value]
            for name, value in fields.items()
        }
        with self._lore.store.write(now=self._lore.now(), actor=self._lore.actor) as tx:
            modules.refuse_stale(tx.conn, self._project_id(), module, expected_version)
            return modules.update_module(tx, self._project_id(), module, **fields)

    def edits(self) -> list[tuple[int, MapEdit]]:
        """What people changed, each with its number."""
        with self._lore.store.read() as conn:
            return edits_of(conn, self._project_id())

    def forget_edit(self, number: int) -> ModuleMap:
        """Take an edit back, and find the map without it."""
        with self._lore.store.write(now=self._lore.now(), actor=self._lore.actor) as tx:
            modules.forget_edit(tx, self._project_id(), number)
        return self.refresh()

    def touched(self, session_id: str, paths: Iterable[str]) -> ModuleMap:
        """Note that a session worked in files; their modules are known the better for it."""
        graph = self._lore.code.fresh()
        root = self._lore.repository.root
        there = [path for path in paths if (root / path).is_file()]
        imported = {path: dict.fromkeys(read.files_used(graph.conn, path), 1.0) for path in there}
        with self._lore.store.write(now=self._lore.now(), actor=self._lore.actor) as tx:
            return modules.touched(tx, self._project_id(), session_id, there, imported=imported)

    def hints(self, paths: Iterable[str]) -> Mapping[str, str]:
        """What each file holds, in a few words."""
        conn = self._lore.code.graph.conn
        return {
            path: file_hint(doc, symbols)
            for path, doc, symbols in read.hints(conn, paths, most=MAX_SYMBOLS)
        }

    def _project_id(self) -> str:
        project = settled_project(self._lore)
        if project is None:
            raise BadInput(
                "This folder is no project, so it has no map.", hint="Change to a project's folder."
            )
        return project.id

    def _shape(self, graph: GraphFile) -> str:
        """What the map depends on: which files there are, and what manifests say."""
        said = hashlib.blake2b(digest_size=12)
        for line in read.shape(graph.conn):
            said.update(line.encode("utf-8", "replace") + b"\n")
        return f"{self._project_id()} {RULES_VERSION} {said.hexdigest()}"

    def _view(self, graph: GraphFile) -> ProjectView:
        """The project as mapping sees it."""
        conn = graph.conn
        symbols: dict[str, list[str]] = defaultdict(list)
        for path, name, _ in read.top_symbols(conn):
            if len(symbols[path]) < MAX_SYMBOLS:
                symbols[path].append(name)
        external: dict[str, list[str]] = defaultdict(list)
        for path, module in read.external_imports(conn):
            external[path].append(module)
        repository = self._lore.repository
        listing = listed(repository, wanted=lambda _: False)
        return ProjectView(
            name=repository.name,
            files=[
                ProjectFile(
                    path=path,
                    language=language,
                    lines=lines,
                    doc=doc,
                    symbols=tuple(symbols[path]),
                )
                for path, language, lines, doc in read.project_files(conn)
            ],
            imports=[(one, two, float(count)) for one, two, count in read.file_joins(conn)],
            external=external,
            paths=listing.files,
            vendored=listing.vendored,
            texts=self._texts(wanted_texts(listing.files)),
        )

    def _texts(self, paths: Iterable[str]) -> dict[str, str]:
        """The small texts that mapping asks for, as far as they may be read."""
        return {path: text for path in paths if (text := self._text(path))}

    def _text(self, path: str) -> str:
        """A small file's text; empty where it may not be read."""
        root = self._lore.repository.root
        place = root / path
        try:
            if place.is_symlink() or place.stat().st_size > LARGEST_TEXT_BYTES:
                return ""
            if refusal_for(place, root) is None:
                return visible(place.read_text("utf-8", "replace"))
        except OSError:
            pass  # it vanished, or is not ours to read
        return ""


def _clean(text: str) -> str:
    """What is written into the map: without secrets, without signs that hide or steer."""
    return redacted(visible(text)).text
