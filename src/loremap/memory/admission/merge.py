"""Merges what was said again into the memory that says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loremap.memory.admission.prepare import Prepared
from loremap.model.memory import FROM_USER, Memory, Provenance, Status
from loremap.model.outcome import Merged
from loremap.storage import memories
from loremap.storage.transaction import Tx, log


def merged(tx: Tx, old: Memory, entry: Prepared, *, similarity: float) -> Merged:
    """`old`, strengthened by what was said again; an agent that repeats itself strengthens
    nothing."""
    new = entry.memory
    chain = memories.provenance_of(tx.conn, old.id)
    counts = counts_again(entry.chain, chain)
    # What is held back adds nothing to a memory that speaks but that it was said again.
    after = old if new.tainted and not old.tainted else _joined(old, new)
    if counts:
        after = _strengthened(after, new, tx)
    known = after
    if after != old:
        known = memories.update_memory(tx, old, after, action="update", detail="merged")
    if counts or all(_who(one) != _who(entry.chain) for one in chain):
        if after == old:
            log(tx, "update", memory_id=old.id, project_id=old.project_id, detail="merged")
        said_otherwise = new.content if new.fingerprint != old.fingerprint else entry.chain.snippet
        memories.add_source(tx, old.id, _again(entry.chain, said_otherwise))
    return Merged(known, similarity, entry.warnings, counted=counts)


def dropped_into(tx: Tx, new: Memory, old: Memory) -> Memory:
    """`old`, strengthened by `new`, which a person says is the same thing and is forgotten."""
    after = _strengthened(_joined(old, new), new, tx)
    kept = memories.update_memory(tx, old, after, action="update", detail="merged")
    for entry in memories.provenance_of(tx.conn, new.id):
        memories.add_source(tx, old.id, _again(entry, new.content))
    gone = replace(new, deleted_at=tx.now)
    memories.update_memory(tx, new, gone, action="remove", detail="merged")
    return kept


def counts_again(said: Provenance, chain: Sequence[Provenance]) -> bool:
    """Whether a repetition tells anything: a person's word does, what was read off what they typed
    or what was done once a session, an agent's only the first time."""
    if said.was_read:
        return all(one.session_id != said.session_id for one in chain)
    return said.source in FROM_USER or all(one.actor != said.actor for one in chain)


def _joined(old: Memory, new: Memory) -> Memory:
    """`old` with the files, tags and triggers of both."""
    return replace(
        old,
        pinned=old.pinned or new.pinned,
        files=_union(old.files, new.files),
        tags=_union(old.tags, new.tags),
        triggers=tuple(dict.fromkeys((*old.triggers, *new.triggers))),
    )


def _strengthened(old: Memory, new: Memory, tx: Tx) -> Memory:
    from_user = new.origin in FROM_USER
    confirms = new.status is Status.CONFIRMED and old.status is Status.CANDIDATE
    return replace(
        old,
        importance=min(1.0, old.importance + 0.1),
        confidence=max(old.confidence, new.confidence),
        trust=max(old.trust, new.trust),
        repetitions=old.repetitions + 1,
        last_accessed_at=tx.now,
        status=Status.CONFIRMED if confirms else old.status,
        promoted_at=None if new.vouched else old.promoted_at,
        # An agent repeats what it read; only a person can vouch for what came from outside.
        tainted=old.tainted and (new.tainted or not from_user),
    )


def _who(chain: Provenance) -> tuple[str, str | None]:
    return chain.actor, chain.session_id


def _again(chain: Provenance, snippet: str) -> Provenance:
    return replace(
        chain, snippet=snippet, confidence_reason=f"said again: {chain.confidence_reason}"
    )


def _union(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*left, *right)))
