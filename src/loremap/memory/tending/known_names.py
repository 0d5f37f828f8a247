"""What is known by name in a project: its entities, its code, its packages, tags and aliases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loremap.memory.facts.names import Known, Names, kind_of, known_from, standing_names
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
    """What is known here; the entities of the store say best what a name names."""
    shelf = shelf_of(here)
    known = known_from(entities.listed(conn, shelf))
    for one in (*_of_code(here), *_of_store(here, conn)):
        known.setdefault(one.key, one)
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
    return Names(known, frozenset(standing))


def project_entity(here: Workspace) -> Known | None:
    """The project itself, for what is said of "we"; None outside of one."""
    if here.project is None:
        return None
    return Known(entity_key(here.project.name), here.project.name, EntityKind.PROJECT)


def _of_store(here: Workspace, conn: Connection) -> Iterator[Known]:
    if (project := project_entity(here)) is not None:
        yield project
    if here.project_id is not None:
        found = modules.read_map(conn, here.project_id).modules
        names = [part for one in found for part in (one.name, one.name.rpartition(".")[2])]
        yield from _all(names, EntityKind.MODULE)
    yield from _all(known_facts.tags_of(conn, shelf_of(here)), EntityKind.CONCEPT)


def _of_code(here: Workspace) -> Iterator[Known]:
    """Files, what they define at their top, and the packages they import."""
    if not here.code.scanned:
        return
    graph = here.code.graph.conn
    packages = {module.split("/")[0] for _, module in read.external_imports(graph)}
    yield from _all((name.split(".")[0] for name in packages), EntityKind.PACKAGE)
    yield from _all(read.paths(graph), EntityKind.FILE)
    yield from _all((name for _, name, _ in read.top_symbols(graph)), EntityKind.CONCEPT)


def _all(names: Iterable[str], kind: EntityKind) -> Iterator[Known]:
    for name in names:
        key = entity_key(name)
        if len(key) >= SHORTEST_NAME:
            yield Known(key, name, kind if kind is not EntityKind.CONCEPT else kind_of(name))
