"""The module map of a project: read, brought up to date after a scan, edited, learned from work."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy import Connection, select, update

from loremap.errors import BadInput, NotFound, Stale
from loremap.model.clock import to_ms
from loremap.model.map_edits import LISTS, EditKind, MapEdit, edited, still_true
from loremap.model.map_matching import confidence_after, holders, home_of
from loremap.model.module import (
    BuildSystem,
    FoundMap,
    MapConfidence,
    ModuleMap,
    TestFramework,
)
from loremap.model.paths import is_generated_path, is_test_path, is_vendored_path
from loremap.storage import module_rows
from loremap.storage.module_edits import drop_edit, edits_of, keep_edit
from loremap.storage.module_rows import StoredModule, bring_to, rows_of
from loremap.storage.row_history import kept
from loremap.storage.tables import module_edits, modules, projects
from loremap.storage.transaction import Tx, log

MAX_SESSIONS = 20
"""More than these need not be told apart: three make a module known."""
LONGEST_NAME = 80
LONGEST_TEXT = 2_000
FIELDS = frozenset({"description", *LISTS})


def read_map(conn: Connection, project_id: str) -> ModuleMap:
    """The map of a project; empty, at version 0, where it was never scanned."""
    row = conn.execute(select(projects).where(projects.c.id == project_id)).one()
    return ModuleMap(
        project_id=project_id,
        modules=tuple(row.module for row in rows_of(conn, project_id) if not row.gone),
        build=_build_system(row.build_tool or "", json.loads(row.build_commands or "{}")),
        tests=TestFramework(
            tool=row.test_tool or "",
            config_file=row.test_config_file or "",
            run_command=row.test_run_command or "",
        ),
        updated_at=row.map_updated_at,
        version=row.map_version,
    )


def _build_system(tool: str, rows: Mapping[str, str | Mapping[str, str]]) -> BuildSystem:
    """The commands as they are kept: a line alone, or a line with its folder and its source."""
    full = {name: {"line": row} if isinstance(row, str) else row for name, row in rows.items()}
    return BuildSystem(
        tool=tool,
        commands={name: row["line"] for name, row in full.items()},
        folders={name: row["folder"] for name, row in full.items() if row.get("folder")},
        sources={name: row["source"] for name, row in full.items() if row.get("source")},
    )


def _build_rows(build: BuildSystem) -> dict[str, dict[str, str]]:
    return {
        name: {"line": line}
        | ({"folder": build.folders[name]} if name in build.folders else {})
        | ({"source": build.sources[name]} if name in build.sources else {})
        for name, line in build.commands.items()
    }


def write_found(
    tx: Tx,
    project_id: str,
    found: FoundMap,
    *,
    exists: Callable[[str], bool] = lambda _: True,
) -> ModuleMap:
    """Bring the map of a project to what a scan found, with the edits of its people applied.

    What edits say of files that no longer exist is left out.
    """
    before = read_map(tx.conn, project_id)
    edits = [still_true(edit, exists) for _, edit in edits_of(tx.conn, project_id)]
    changed = bring_to(tx, project_id, edited(found.modules, edits))
    if (before.build, before.tests) != (found.build, found.tests):
        changed = True
        tx.conn.execute(
            update(projects)
            .where(projects.c.id == project_id)
            .values(
                build_tool=found.build.tool,
                build_commands=json.dumps(_build_rows(found.build), ensure_ascii=False),
                test_tool=found.tests.tool,
                test_config_file=found.tests.config_file,
                test_run_command=found.tests.run_command,
            )
        )
    if changed or before.version == 0:
        raise_version(tx, project_id)
    return read_map(tx.conn, project_id)


def raise_version(tx: Tx, project_id: str) -> None:
    """Say that the map is another one now."""
    tx.conn.execute(
        update(projects)
        .where(projects.c.id == project_id)
        .values(map_version=projects.c.map_version + 1, map_updated_at=to_ms(tx.now))
    )


def refuse_stale(conn: Connection, project_id: str, name: str, expected: int | None) -> None:
    """Raise where a module is no longer at the version that somebody saw; None saw none."""
    if expected is None:
        return
    rows = [row for row in rows_of(conn, project_id) if not row.gone]
    version = _row(rows, name).module.version
    if version != expected:
        raise Stale(
            f"Module {name} is at version {version} by now, not {expected}; nothing was changed.",
            hint=f"Look at it again: lore map show {name}.",
        )


def edit_map(tx: Tx, project_id: str, edit: MapEdit) -> ModuleMap:
    """Apply an edit now and after every scan; raises where it says nothing that can be done."""
    rows = [row for row in rows_of(tx.conn, project_id) if not row.gone]
    target = _row(rows, edit.module)
    edit = replace(
        edit,
        module=target.module.name,
        value=_checked(edit, rows, target),
        files=target.module.core_files,
    )
    now = edited([row.module for row in rows], [edit])
    log(tx, "update", project_id=project_id, detail=f"map {edit.kind.value} {target.module.id}")
    marks = {row.module.name: row.edited for row in rows}
    if edit.kind is EditKind.RENAME:
        marks[edit.value] = marks.pop(target.module.name)
    by = {
        module.name: tuple(
            dict.fromkeys((*marks.get(module.name, ()), *now.by.get(module.name, ())))
        )
        for module in now.modules
    }
    with _undoable(tx, project_id):
        keep_edit(tx, project_id, edit)
        if edit.kind is EditKind.MERGE:
            _hand_over(tx, target, _row(rows, edit.value))
        bring_to(tx, project_id, type(now)(now.modules, by))
    raise_version(tx, project_id)
    return read_map(tx.conn, project_id)


def edited_names(conn: Connection, project_id: str) -> frozenset[str]:
    """The modules of a project that somebody edited."""
    return frozenset(row.module.name for row in rows_of(conn, project_id) if row.edited)


def classify(tx: Tx, project_id: str, edits: Sequence[MapEdit]) -> ModuleMap:
    """Apply what the small model says of the map, as edits that nobody made: they hold through
    every scan, can be taken back one by one, and a person's go before them."""
    for edit in edits:
        edit_map(tx, project_id, replace(edit, by=tx.actor.name))
    named = {edit.value if edit.kind is EditKind.SPLIT else edit.module for edit in edits}
    for row in rows_of(tx.conn, project_id):
        if row.module.name in named and row.module.confidence is MapConfidence.SHALLOW:
            partial = MapConfidence.PARTIAL
            module_rows.work_noted(tx, row, sessions=row.sessions, confidence=partial)
    raise_version(tx, project_id)
    return read_map(tx.conn, project_id)


@contextmanager
def _undoable(tx: Tx, project_id: str) -> Iterator[None]:
    """Keep what the map and its edits were before they are changed."""
    rows, edits = modules.c.project_id == project_id, module_edits.c.project_id == project_id
    with (
        kept(tx, modules, rows, project_id=project_id),
        kept(tx, module_edits, edits, project_id=project_id),
    ):
        yield


def forget_edit(tx: Tx, project_id: str, seq: int) -> None:
    """Take an edit back; it no longer holds from the next scan on."""
    with _undoable(tx, project_id):
        dropped = drop_edit(tx, project_id, seq)
    if not dropped:
        raise NotFound(
            f"The map has no edit number {seq}.", hint="List the edits for their numbers."
        )
    log(tx, "update", project_id=project_id, detail=f"map edit {seq} forgotten")


def _hand_over(tx: Tx, source: StoredModule, into: StoredModule) -> None:
    """Give what people and sessions left in a module to the one it becomes part of."""
    notes = [text for text in (into.module.annotation, source.module.annotation) if text]
    if source.module.annotation:
        module_rows.annotate(tx, into, "\n".join(notes))
    sessions = tuple(dict.fromkeys((*source.sessions, *into.sessions)))[-MAX_SESSIONS:]
    module_rows.work_noted(tx, into, sessions=sessions, confidence=confidence_after(len(sessions)))
    module_rows.remove(tx, source)


def annotate(tx: Tx, project_id: str, name: str, text: str) -> ModuleMap:
    """Write what a person says about a module; an empty text takes it back."""
    row = _row([row for row in rows_of(tx.conn, project_id) if not row.gone], name)
    log(tx, "update", project_id=project_id, detail=f"map annotate {row.module.id}")
    with _undoable(tx, project_id):
        module_rows.annotate(tx, row, _short(text.strip(), LONGEST_TEXT))
    raise_version(tx, project_id)
    return read_map(tx.conn, project_id)


def update_module(
    tx: Tx, project_id: str, module: str, /, **fields: str | Sequence[str]
) -> ModuleMap:
    """Set fields of a module by their names; files given as core files are moved to it.

    A new `name` renames it, an `annotation` is written beside it.
    """
    unknown = set(fields) - FIELDS - {"name", "annotation"}
    if unknown:
        raise BadInput(
            f"A module has no field {sorted(unknown)[0]!r}.",
            hint=f"Fields: {', '.join(sorted(FIELDS | {'annotation', 'name'}))}.",
        )
    for key in sorted(set(fields) & FIELDS):
        given = fields[key]
        items = (given,) if isinstance(given, str) else tuple(given)
        edit_map(tx, project_id, MapEdit(kind=EditKind.SET, module=module, value=key, items=items))
    if isinstance(text := fields.get("annotation"), str):
        annotate(tx, project_id, module, text)
    if isinstance(called := fields.get("name"), str) and called != module:
        edit_map(tx, project_id, MapEdit(kind=EditKind.RENAME, module=module, value=called))
    return read_map(tx.conn, project_id)


def touched(
    tx: Tx,
    project_id: str,
    session_id: str,
    paths: Iterable[str],
    *,
    imported: Mapping[str, Mapping[str, float]] | None = None,
) -> ModuleMap:
    """Note that a session worked in files: their modules are known better, new files find theirs.

    `paths` exist in the project; `imported` says which files a new one imports, with weights.
    """
    rows = {row.module.name: row for row in rows_of(tx.conn, project_id) if not row.gone}
    known = [row.module for row in rows.values()]
    worked, new = set[str](), dict[str, list[str]]()
    for path in dict.fromkeys(paths):
        held = holders(path, known)
        worked.update(module.name for module in held)
        if not held and _may_join(path):
            home = home_of(path, known, imported=(imported or {}).get(path))
            if home:
                worked.add(home.name)
                new.setdefault(home.name, []).append(path)
    changed = False
    for name in sorted(worked):
        changed |= _worked_in(tx, rows[name], session_id)
    if new:
        changed = True
        _take_in(tx, project_id, rows, new)
    if changed:
        raise_version(tx, project_id)
    return read_map(tx.conn, project_id)


def _worked_in(tx: Tx, row: StoredModule, session_id: str) -> bool:
    """Note a session; True where the module's confidence rose."""
    if session_id in row.sessions:
        return False
    sessions = (*row.sessions, session_id)[-MAX_SESSIONS:]
    confidence = confidence_after(len(sessions))
    module_rows.work_noted(tx, row, sessions=sessions, confidence=confidence)
    return confidence != row.module.confidence


def _take_in(
    tx: Tx,
    project_id: str,
    rows: Mapping[str, StoredModule],
    new: Mapping[str, Sequence[str]],
) -> None:
    added = [
        MapEdit(kind=EditKind.ADD, module=name, items=tuple(new[name])) for name in sorted(new)
    ]
    grown = edited([row.module for row in rows.values()], added)
    marks = {name: row.edited for name, row in rows.items()}
    bring_to(tx, project_id, type(grown)(grown.modules, marks))


def _may_join(path: str) -> bool:
    return not (is_test_path(path) or is_generated_path(path) or is_vendored_path(path))


def _row(rows: Sequence[StoredModule], name: str) -> StoredModule:
    for row in rows:
        if row.module.name.casefold() == name.casefold():
            return row
    names = ", ".join(row.module.name for row in rows[:12]) or "none yet; run lore scan"
    raise NotFound(f"The map has no module {name!r}.", hint=f"Modules: {names}.")


def _checked(edit: MapEdit, rows: Sequence[StoredModule], target: StoredModule) -> str:
    """The value of an edit; raises where it cannot be applied."""
    value = edit.value.strip()
    names = {row.module.name.casefold() for row in rows} - {target.module.name.casefold()}
    names_one = edit.kind in {EditKind.RENAME, EditKind.SPLIT}
    if names_one and (not value or len(value) > LONGEST_NAME or "\n" in value):
        raise BadInput(f"A module needs a name of 1 to {LONGEST_NAME} letters on one line.")
    if edit.kind is EditKind.RENAME and value.casefold() in names:
        raise BadInput(f"There is a module {value!r} already.", hint="Merge the two instead.")
    if edit.kind is EditKind.MERGE:
        into = _row(rows, value)
        if into.module.id == target.module.id:
            raise BadInput("A module cannot be merged into itself.")
        return into.module.name
    if edit.kind is EditKind.SPLIT and edited([target.module], [edit]).modules == (target.module,):
        raise BadInput(f"No file of {target.module.name!r} fits {' '.join(edit.items)}.")
    if edit.kind is EditKind.SET and value not in FIELDS:
        raise BadInput(f"A module has no field {value!r}.")
    return value


def _short(text: str, longest: int) -> str:
    if len(text) > longest:
        raise BadInput(f"It has {len(text)} letters; {longest} are allowed.")
    return text
