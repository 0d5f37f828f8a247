"""Takes back the last act, whatever it was: on memories, links, aliases, conflicts, the map."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.errors import BadInput, ModelError, NotFound
from loremap.memory.admission import amend
from loremap.memory.looking import find, summaries
from loremap.memory.workspace import Workspace
from loremap.memory.writing import CATCH_UP_WITH_WRITE, embed_waiting, writing
from loremap.model.act import Act, named, spoken_of
from loremap.model.memory import Memory
from loremap.storage import changes, learning, modules, row_history, tables, tending

_BY_THEMSELVES = (tending.BY_ITSELF, learning.LEARNING)
_MAP = {tables.modules.name, tables.module_edits.name}


def last_act(here: Workspace, reference: str | None, *, tended: bool = False) -> Act:
    """The last act here, or on a memory; raises if there is none. What tending did
    and sessions taught by themselves is none of them, unless it is asked for, or named by a memory
    that it changed."""
    memory_id = None if reference is None else find(here, reference).id
    passed = () if tended or memory_id is not None else _BY_THEMSELVES
    with here.store.read() as conn:
        found = changes.last_act(
            conn,
            project_id=here.project_id,
            memory_id=memory_id,
            by=tending.TENDERS if tended else (),
            not_by=passed,
        )
    if found is None:
        raise NotFound("There is nothing to undo.")
    return found


def named_act(here: Workspace, act: Act) -> str:
    """What an act did, in a few words."""
    return named(act, summaries(here, spoken_of(act)))


def undo(
    here: Workspace, reference: str | None, *, change_id: str | None, tended: bool = False
) -> tuple[Sequence[Memory], bool]:
    """Take back the last act; the memories it touched, and whether the map is to be found anew."""
    act = last_act(here, reference, tended=tended)
    if change_id is not None and act.change_id != change_id:
        raise BadInput("Something else was done meanwhile; nothing was undone.")
    if not act.undoable:
        raise BadInput(
            f"The last act {named_act(here, act)}; that cannot be undone.",
            hint="`lore undo ID` takes back the last act on another memory.",
        )
    with writing(here) as tx:
        altered = row_history.put_back(tx, act.change_id)
        touched = (
            amend.undo(tx, act.change_id) if changes.changes_of(tx.conn, act.change_id) else []
        )
        if altered & _MAP and here.project_id is not None:
            modules.raise_version(tx, here.project_id)
        # What undoing did to conflicts is part of it, and no act of its own.
        row_history.mark_undone(tx, tx.change_id)
    if here.embedder() is not None:  # what says again what it said needs its vector again
        try:
            embed_waiting(here, most=CATCH_UP_WITH_WRITE)
        except ModelError as fault:
            here.engine.slot.failed(fault)
    return touched, bool(altered & _MAP)
