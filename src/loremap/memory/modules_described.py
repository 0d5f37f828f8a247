"""Has the small model say what the modules of a project are for, where nothing else says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loremap.memory.sidecar import About
from loremap.memory.workspace import Workspace
from loremap.model.hostile import suspicion
from loremap.model.map_edits import BY_SIDECAR, EditKind, MapEdit
from loremap.model.module import Module
from loremap.safety.redaction import redacted
from loremap.sidecar.tasks.classify import LEAST_FILES, Classified, Part, classifying
from loremap.storage import modules


def describe_modules(here: Workspace) -> int:
    """Describe the modules that nobody described, and split those whose files serve two purposes;
    how many that changed. What a person edited is left alone; raises a `ModelError`."""
    project_id = here.project_id
    if project_id is None:
        return 0
    with here.store.read() as conn:
        known = modules.read_map(conn, project_id)
        edited = modules.edited_names(conn, project_id)
    parts = [_part(one) for one in known.modules if _is_open(one, edited)]
    if not parts:
        return 0
    told = here.engine.sidecar.ask(classifying(parts), About(project_id))
    edits = _edits(told, {one.name: one for one in known.modules})
    if edits:
        actor = replace(here.actor, name=BY_SIDECAR)
        with here.store.write(now=here.now(), actor=actor) as tx:
            modules.classify(tx, project_id, edits)
    return len({edit.value if edit.kind is EditKind.SPLIT else edit.module for edit in edits})


def _part(module: Module) -> Part:
    return Part(module.name, module.core_files)


def _is_open(module: Module, edited: frozenset[str]) -> bool:
    """Whether there is anything to say of a module that nobody has said."""
    untouched = module.name not in edited and not module.annotation and not module.role
    return untouched and (not module.description or len(module.core_files) >= 4 * LEAST_FILES)


def _edits(told: Sequence[Classified], known: dict[str, Module]) -> list[MapEdit]:
    """The answer as edits of the map: groups first, which take their files from a module."""
    names = {name.casefold() for name in known}
    edits = list[MapEdit]()
    for one in told:
        if not _may_be_said(one):
            continue
        if one.files and one.name not in names:
            names.add(one.name)
            split = EditKind.SPLIT
            edits.append(MapEdit(kind=split, module=one.part, value=one.name, items=one.files))
            edits.append(_described(one.name, one.description))
        elif not one.files and not known[one.part].description:
            edits.append(_described(one.part, one.description))
    return edits


def _described(module: str, text: str) -> MapEdit:
    return MapEdit(kind=EditKind.SET, module=module, value="description", items=(text,))


def _may_be_said(one: Classified) -> bool:
    """Whether a description holds no secret and is no order to whoever reads the map."""
    return redacted(one.description).text == one.description and suspicion(one.description) is None
