"""What is known by name in a project: its entities, its code, its packages, tags and aliases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from loremap.memory.facts.names import Known, Names, kind_of, known_from, standing_names
from loremap.memory.modules import Modules
from loremap.memory.workspace import Workspace
from loremap.model.entity import EntityKind, entity_key, keys_of
from loremap.storage import entities, known_facts, modules, relations
from loremap.storage.entities import Shelf
from loremap.storage.graph import read
from loremap.storage.store import Connection

SHORTEST_NAME = 3
"""A shorter name of code stands for nothing in a sentence."""


def shelf_of(here: Workspace) -> Shelf:
    """Whose entities and facts are meant here."""
    return Shelf(here.actor.owner_id, here.project_id)


def names_here(here: Workspace, conn: Connection) -> Names:
    """What is known here; the entities of the store say best what a name names, manifests and paths
    how it is written, and for the rest the text that names it first."""
    shelf = shelf_of(here)
    known = known_from(entities.listed(conn, shelf))
    stated, code, stored = (
        list(_of_manifests(here)),
        list(_of_code(here)),
        list(_of_store(here, conn)),
    )
    written: dict[str, str] = {}
    for one in (*stated, *stored, *code):
        if not one.loose:
            written.setdefault(one.key, one.name)
    for one in (*code, *stored, *stated):
        known.setdefault(one.key, one)
    for key, one in known.items():
        if one.key == key and key in written:
            known[key] = replace(one, name=written[key], loose=False)
    for term, expansions in relations.aliases_of(
        conn, here.actor.tenant_id, shelf.project_id
    ).items():
        if len(expansions) == 1 and (meant := known.get(entity_key(expansions[0]))) is not None:
            known.setdefault(entity_key(term), meant)
    standing = {
        key
        for text in known_facts.contents(conn, shelf)
        for name in standing_names(text)
        for key in keys_of(name)[:1]
    }
    return Names(known, frozenset(standing), written)


def misspelt(here: Workspace, conn: Connection, names: Names) -> Iterator[tuple[str, str]]:
    """The entities of the store that manifests or paths write in another way: their ids, and it."""
    for one in entities.listed(conn, shelf_of(here)):
        if one.project_id and (name := names.written.get(one.key, one.name)) != one.name:
            yield one.id, name


def project_entity(here: Workspace, names: Names) -> Known | None:
    """The project itself, for what is said of "we"; None outside of one."""
    project = _project(here)
    return project and replace(project, name=names.written.get(project.key, project.name))


def _project(here: Workspace) -> Known | None:
    if here.project is None:
        return None
    return Known(entity_key(here.project.name), here.project.name, EntityKind.PROJECT)


def _of_manifests(here: Workspace) -> Iterator[Known]:
    """What manifests call the project, and the packages they ask for."""
    if here.project is not None:
        yield from _all(Modules(here).manifest_names(), EntityKind.PACKAGE)


def _of_store(here: Workspace, conn: Connection) -> Iterator[Known]:
    if (project := _project(here)) is not None:
        yield project
    if here.project_id is not None:
        found = modules.read_map(conn, here.project_id).modules
        names = [part for one in found for part in (one.name, one.name.rpartition(".")[2])]
        for one in _all(names, EntityKind.MODULE):
            yield replace(one, loose=one.name.isalpha())  # a common word is no path
    yield from _loose(known_facts.tags_of(conn, shelf_of(here)), EntityKind.CONCEPT)


def _of_code(here: Workspace) -> Iterator[Known]:
    """Files, what they define at their top, and the packages they import."""
    if not here.code.scanned:
        return
    graph = here.code.graph.conn
    packages = {module.split("/")[0] for _, module in read.external_imports(graph)}
    yield from _loose(sorted({name.split(".")[0] for name in packages}), EntityKind.PACKAGE)
    yield from _all(read.paths(graph), EntityKind.FILE)
    yield from _loose((name for _, name, _ in read.top_symbols(graph)), EntityKind.CONCEPT)


def _loose(names: Iterable[str], kind: EntityKind) -> Iterator[Known]:
    """Names that the text of a memory writes better than code and tags do."""
    return (replace(one, loose=True) for one in _all(names, kind))


def _all(names: Iterable[str], kind: EntityKind) -> Iterator[Known]:
    for name in names:
        key = entity_key(name)
        if len(key) >= SHORTEST_NAME:
            yield Known(key, name, kind if kind is not EntityKind.CONCEPT else kind_of(name))
