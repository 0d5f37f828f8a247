"""Changes to what is remembered: edit, confirm, pin, tag, forget, restore, resolve, undo."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from loremap.errors import BadInput, NotFound, Stale
from loremap.memory.admission.admit import Desk, may_replace, supersede, vectors_or_trouble
from loremap.memory.admission.anchor import anchors_of, renewed
from loremap.memory.admission.fingerprint import fingerprint
from loremap.memory.admission.graves import bury
from loremap.memory.admission.prepare import prepared
from loremap.memory.admission.quarantine import notice
from loremap.memory.admission.statement import difference
from loremap.memory.admission.summary import summary_of
from loremap.model.anchor import Anchor
from loremap.model.branches import Written
from loremap.model.clock import short_id
from loremap.model.hostile import why_held_back
from loremap.model.kind import Kind
from loremap.model.life import LET_GO
from loremap.model.memory import (
    TRUST,
    Candidate,
    Change,
    Conflict,
    ConflictType,
    Memory,
    Origin,
    Provenance,
    Relation,
    Scope,
    Status,
    Trigger,
    trust_in,
)
from loremap.model.outcome import Refused
from loremap.model.record import from_record
from loremap.storage import anchors, changes, memories, moves, relations, tags, tombstones, vectors
from loremap.storage.moves import Ready
from loremap.storage.tombstones import Grave
from loremap.storage.transaction import Tx, keep, log

if TYPE_CHECKING:
    from loremap.code.view import CodeView


MOVED_BACK_AT_ONCE = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What a user changes about a memory; None leaves it."""

    content: str | None = None
    kind: Kind | None = None
    importance: float | None = None
    confidence: float | None = None
    files: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    triggers: tuple[Trigger, ...] | None = None
    seasonal: str | None = None
    """The season it is told in; empty for any."""


def edit(
    desk: Desk,
    id_: str,
    change: Edit,
    *,
    by: Provenance,
    now: datetime,
    expected_version: int | None = None,
) -> tuple[Memory, tuple[str, ...]]:
    """Change a memory by hand; it passes the same checks as a new one. Returns it and warnings.
    `by` says who edits it, where."""
    with desk.store.read() as conn:
        old = memories.get(conn, id_)
        held = anchors.of(conn, [id_]).get(id_, ())
    refuse_stale(old, expected_version)
    candidate = Candidate(
        content=old.content if change.content is None else change.content,
        kind=change.kind or old.kind,
        scope=old.scope,
        origin=Origin.USER_EDIT,
        importance=old.importance if change.importance is None else change.importance,
        confidence=change.confidence,
        files=old.files if change.files is None else change.files,
        tags=old.tags if change.tags is None else change.tags,
        triggers=old.triggers if change.triggers is None else change.triggers,
        procedure=old.procedure,
        session_id=old.session_id,
        seasonal=old.seasonal if change.seasonal is None else change.seasonal or None,
    )
    ready = prepared(
        candidate, project_id=old.project_id, limits=desk.limits, actor=desk.actor, now=now
    )
    if isinstance(ready, Refused):
        raise BadInput(ready.reason)
    new = ready.memory
    chain = replace(by, confidence_reason=ready.chain.confidence_reason)
    session = old.session_id if old.scope is Scope.SESSION else None
    hostile = new.tainted and (old.tainted or new.content != old.content)
    after = replace(
        old,
        content=new.content,
        summary=summary_of(new.content) if new.content != old.content else old.summary,
        fingerprint=fingerprint(new.content, session_id=session),
        kind=new.kind,
        importance=new.importance,
        confidence=max(old.confidence, new.confidence)
        if change.confidence is None
        else change.confidence,
        files=new.files,
        tags=new.tags,
        triggers=new.triggers,
        seasonal=new.seasonal,
        origin=Origin.USER_EDIT,
        trust=TRUST[Origin.USER_EDIT],
        status=_edited_status(old, hostile=hostile),
        promoted_at=None,
        tainted=hostile,
    )
    taken = _anchors_after(old, after, held, desk.code)
    changed = [after.content] if new.content != old.content else []
    made, trouble = vectors_or_trouble(desk.embedder, changed)
    with desk.store.write(now=now, actor=desk.actor) as tx:
        twin = memories.same_fingerprint(tx.conn, after)
        if twin is not None and twin.id != old.id:
            raise BadInput(
                f"Memory {short_id(twin.id)} says just that already; nothing was changed.",
                hint=f"Forget one of them: lore forget {short_id(old.id)}.",
            )
        if ready.redacted_types:
            log(tx, "redact", memory_id=old.id, project_id=old.project_id,
                detail=" ".join(ready.redacted_types))  # fmt: skip
        stored = memories.update_memory(tx, old, after, action="update", detail="edited")
        tombstones.lift(tx, stored)
        memories.add_source(tx, old.id, chain)
        anchors.renew(tx, old.id, taken)
        for chunks in made:
            if chunks is not None and desk.embedder is not None:
                vectors.put(
                    tx,
                    old.id,
                    fingerprint=stored.fingerprint,
                    model=desk.embedder.model,
                    chunks=chunks,
                )
    told = (notice(stored, why_held_back(stored)),) if stored.held_back else ()
    return stored, (*ready.warnings, *told, *((trouble,) if trouble else ()))


def refuse_stale(memory: Memory, expected_version: int | None) -> None:
    """Raise where `memory` is no longer at the version that somebody saw; None saw none."""
    if expected_version is not None and memory.version != expected_version:
        raise Stale(
            f"Memory {short_id(memory.id)} is at version {memory.version} by now, not "
            f"{expected_version}; nothing was changed.",
            hint=f"Look at it again: lore show {short_id(memory.id)}.",
        )


def _edited_status(old: Memory, *, hostile: bool) -> Status:
    """What an edit makes of a memory that speaks: a person stands behind it, unless it is held
    back."""
    if not old.active:
        return old.status
    return Status.CANDIDATE if hostile else Status.CONFIRMED


def _anchors_after(
    before: Memory, after: Memory, held: Sequence[Anchor], code: CodeView | None
) -> tuple[Anchor, ...]:
    """What an edited memory is anchored to: what it names now or, where it says what it said,
    where that is now; whoever edits it has seen the code as it is."""
    if code is None:
        return tuple(held)
    same = (before.content, before.files) == (after.content, after.files)
    return renewed(after, held, code) if same else anchors_of(after, code)


def pin(tx: Tx, memory: Memory, *, pinned: bool) -> Memory:
    """Pin or unpin; what is pinned is confirmed by that."""
    if pinned and not memory.active:
        raise BadInput(
            f"Memory {short_id(memory.id)} no longer speaks; nothing was pinned.",
            hint=f"Bring it back first: lore restore {short_id(memory.id)}.",
        )
    if memory.pinned == pinned:
        return memory
    status = Status.CONFIRMED if pinned else memory.status
    after = replace(
        memory,
        pinned=pinned,
        status=status,
        promoted_at=None if pinned else memory.promoted_at,
        tainted=memory.tainted and not pinned,
    )
    return memories.update_memory(tx, memory, after, action="pin" if pinned else "unpin")


def confirm(
    tx: Tx,
    memory: Memory,
    *,
    anchored: Sequence[Anchor] | None = None,
    written: Written | None = None,
) -> Memory:
    """A person says it is true: it is trusted from now on, counts as used, is anchored anew to
    `anchored` and holds from now on where it is `written`; None leaves its anchors and branch."""
    after = replace(
        memory,
        branch=memory.branch if written is None else written.branch,
        commit_id=memory.commit_id if written is None else written.commit_id,
        status=Status.CONFIRMED,
        promoted_at=None,
        tainted=False,
        trust=max(memory.trust, trust_in(memory.origin, confirmed=True)),
        confidence=min(1.0, memory.confidence + 0.05),
        confirmations=memory.confirmations + 1,
        last_accessed_at=tx.now,
        retracted_reason=None,
        superseded_by=None,
        valid_until=None,
        deleted_at=None,
    )
    _refuse_twin(tx, after)
    tombstones.lift(tx, after)
    if anchored is not None:
        anchors.renew(tx, memory.id, anchored)
    return memories.update_memory(tx, memory, after, action="confirm")


def retract(tx: Tx, memory: Memory, *, reason: str) -> Memory:
    """Withdraw what turned out wrong; it is kept and no longer speaks."""
    bury(tx, memory)
    after = replace(memory, status=Status.RETRACTED, retracted_reason=reason, valid_until=tx.now)
    return memories.update_memory(tx, memory, after, action="update", detail="retracted")


def retag(
    tx: Tx,
    memory: Memory,
    *,
    add: Sequence[str],
    remove: Sequence[str],
    refuse: Collection[str] = (),
) -> Memory:
    """Add and take away tags; those to `refuse` are not inferred again."""
    tags.refuse(tx, memory.id, sorted(refuse))
    tags.allow(tx, memory.id, add)
    kept = [tag for tag in memory.tags if tag not in remove]
    after = replace(memory, tags=tuple(sorted({*kept, *add})))
    return memories.update_memory(tx, memory, after, action="tag")


def forget(tx: Tx, memory: Memory) -> Memory:
    """Delete softly: it is silent at once and can be restored for some days."""
    if memory.deleted_at is not None:
        return memory
    tombstones.lay(tx, memory, Grave.FORGOTTEN)
    return memories.update_memory(
        tx, memory, replace(memory, deleted_at=tx.now), action="remove", detail="forgotten"
    )


def restore(tx: Tx, memory: Memory) -> Memory:
    """Bring back what was forgotten, withdrawn or replaced: a person stands behind it from then on.
    What was let go without anybody's word is a candidate again."""
    after = replace(
        memory,
        deleted_at=None,
        status=_restored_status(memory),
        promoted_at=None,
        last_accessed_at=tx.now,
        superseded_by=None,
        retracted_reason=None,
        valid_until=None,
    )
    _refuse_twin(tx, after)
    tombstones.lift(tx, after)
    return memories.update_memory(tx, memory, after, action="restore")


def _restored_status(memory: Memory) -> Status:
    if memory.status is Status.RETRACTED and memory.retracted_reason in LET_GO:
        return Status.CANDIDATE
    replaced = memory.status in (Status.SUPERSEDED, Status.RETRACTED)
    return Status.CONFIRMED if replaced else memory.status


def _is_spoken(tx: Tx, memory: Memory) -> bool:
    """Whether another memory that still speaks says just what `memory` would say again."""
    twin = memories.same_fingerprint(tx.conn, memory) if memory.active else None
    return twin is not None and twin.id != memory.id


def _refuse_twin(tx: Tx, memory: Memory) -> None:
    """Raise where another memory that still speaks says just what `memory` would say again."""
    twin = memories.same_fingerprint(tx.conn, memory) if memory.active else None
    if twin is not None and twin.id != memory.id:
        raise BadInput(
            f"Memory {short_id(twin.id)} says the same and is active; nothing was changed.",
            hint=f"See it with lore show {short_id(twin.id)}.",
        )


RESOLUTIONS = ("first", "second", "both", "neither")


def resolve(tx: Tx, conflict: Conflict, resolution: str) -> None:
    """Settle a conflict: keep the newer (`first`), the older (`second`), both or neither. The
    conflict says from then on which side won."""
    if resolution not in RESOLUTIONS:
        raise BadInput(f"A conflict is resolved by {', '.join(RESOLUTIONS)}, not {resolution!r}.")
    sides = [memories.get(tx.conn, id_) for id_ in (conflict.memory_a, conflict.memory_b)]
    if resolution in ("both", "neither"):
        relations.resolve_conflict(tx, conflict.id, resolution)
        keep(tx, sides[0], "resolve", before=sides[0])
        for memory in sides if resolution == "neither" else ():
            if memory.active:
                retract(tx, memory, reason="conflict")
        return
    winner, loser = sides if resolution == "first" else reversed(sides)
    winner = winner if winner.vouched else confirm(tx, winner)
    if loser.active:
        supersede(tx, loser, winner, reason=conflict.reason, conflict=conflict)
    else:
        relations.resolve_conflict(tx, conflict.id, resolution)


def link(
    tx: Tx, one: Memory, other: Memory, relation: Relation, *, weight: float, by_agent: bool
) -> None:
    """Link two memories: what `one` supersedes no longer speaks, what it contradicts is in
    conflict with it."""
    if relation is Relation.SUPERSEDES and other.active:
        if not one.active or (by_agent and not may_replace(one, other)):
            raise BadInput(
                f"Memory {short_id(one.id)} cannot take the place of {short_id(other.id)}; "
                "nothing was linked.",
                hint="Only a person can replace what a person stated, confirmed or pinned."
                if one.active
                else f"Bring it back first: lore restore {short_id(one.id)}.",
            )
        supersede(tx, other, one, reason=difference(other.content, one.content))
        return
    keep(tx, one, "link", before=one)
    relations.add_link(tx, one.id, other.id, relation, weight=weight)
    if relation is Relation.CONTRADICTS and one.active and other.active:
        newer, older = sorted((one, other), key=lambda each: each.created_at, reverse=True)
        relations.add_conflict(
            tx,
            newer.id,
            older.id,
            ConflictType.CONTRADICTORY,
            difference(older.content, newer.content),
        )


def unlink(tx: Tx, one: Memory, other: Memory, relation: Relation) -> bool:
    """Take a link away, and what it did; whether there was one."""
    if not relations.remove_link(tx, one.id, other.id, relation):
        return False
    keep(tx, one, "unlink", before=one)
    if relation is Relation.SUPERSEDES and other.superseded_by == one.id:
        restore(tx, other)
    if relation is Relation.CONTRADICTS:
        relations.close_between(tx, one.id, other.id, "both")
    return True


def undo(tx: Tx, change_id: str) -> list[Memory]:
    """Take back one change as a whole; what it made is forgotten, what it altered is as before."""
    entries = changes.changes_of(tx.conn, change_id)
    if not entries:
        raise NotFound("There is nothing to undo.")
    oldest = {entry.memory_id: entry for entry in entries}  # entries come newest first
    later = changes.changed_later(tx.conn, change_id)
    if later:
        raise BadInput(
            f"Memory {short_id(later[0])} was changed again since; nothing was undone.",
            hint=f"Undo the later change first: lore undo {short_id(later[0])}.",
        )
    touched: list[Memory] = []
    waiting: list[Ready] = []
    # What the change made goes first, so that what it replaced can take its place again.
    ordered = sorted(oldest.items(), key=lambda item: item[1].before is not None)
    for id_, entry in ordered:
        now = memories.get(tx.conn, id_)
        before = _before(entry, now, tx)
        if _is_spoken(tx, before):
            moves.move_all(tx, waiting)
            waiting.clear()
            _refuse_twin(tx, before)
        back = replace(before, version=now.version, updated_at=now.updated_at)
        if moves.is_move(now, back):
            waiting.append(moves.ready(moves.Move(now, back, "undo"), tx.now))
            touched.append(waiting[-1].after)
        else:
            touched.append(memories.update_memory(tx, now, before, action="undo"))
        if len(waiting) >= MOVED_BACK_AT_ONCE:
            moves.move_all(tx, waiting)
            waiting.clear()
    moves.move_all(tx, waiting)
    changes.mark_undone(tx, change_id)
    made = [id_ for id_, entry in oldest.items() if entry.before is None]
    for conflict in relations.open_conflicts(tx.conn, made) if made else ():
        relations.resolve_conflict(tx, conflict.id, "undone")
    return touched


def _before(entry: Change, now: Memory, tx: Tx) -> Memory:
    """What a memory was before a change, its uses since then kept."""
    if entry.before is None:
        return replace(now, deleted_at=tx.now)
    before = from_record(entry.before)
    if now.uses == before.uses:
        return before
    return replace(before, uses=now.uses, last_accessed_at=now.last_accessed_at)
