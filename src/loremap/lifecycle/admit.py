"""Admission, the only way in: limits → redaction → taint → fingerprint → conflict →
near-duplicate → summary → anchor → embed → store → audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from loremap.embedding.chunks import chunked
from loremap.embedding.protocol import Embedder, Vectors
from loremap.errors import ModelError
from loremap.lifecycle.anchor import anchors_of, united
from loremap.lifecycle.compare import Comparison, Likeness, compared
from loremap.lifecycle.limits import Limits
from loremap.lifecycle.prepare import Prepared, prepared
from loremap.model.anchor import Anchor
from loremap.model.kind import RULES
from loremap.model.memory import (
    FROM_USER,
    Actor,
    Candidate,
    Conflict,
    ConflictType,
    Memory,
    Provenance,
    Relation,
    Status,
)
from loremap.model.outcome import Merged, Outcome, Refused, Stored, Superseded
from loremap.model.text import is_code, opening
from loremap.model.words import words
from loremap.storage import anchors, memories, relations, text_index, vectors
from loremap.storage.store import Store
from loremap.storage.transaction import Tx, log
from loremap.storage.warm import STATUS_CODE, Warm

if TYPE_CHECKING:
    from loremap.codegraph.view import CodeView

NEIGHBOURS = 8
"""How many of the most similar memories a new one is compared with, by vector and by words each."""
SIMILAR_ENOUGH = 0.4
"""Below this cosine two statements share no subject."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What admission works with."""

    store: Store
    warm: Warm
    embedder: Embedder | None
    limits: Limits
    actor: Actor
    code: CodeView | None = None
    """The code of this checkout; without it memories are anchored to nothing."""


@dataclass(frozen=True, slots=True)
class _Neighbour:
    memory: Memory
    similarity: float | None
    comparison: Comparison


@dataclass(slots=True)
class _Batch:
    """What this transaction has stored so far; the warm arrays do not know of it yet."""

    memories: list[Memory] = field(default_factory=list)
    vectors: list[Vectors] = field(default_factory=list)


def admit(desk: Desk, candidate: Candidate, *, project_id: str | None, now: datetime) -> Outcome:
    """Remember one thing."""
    return admit_all(desk, [candidate], project_id=project_id, now=now)[0]


def admit_all(
    desk: Desk, candidates: Sequence[Candidate], *, project_id: str | None, now: datetime
) -> list[Outcome]:
    """Remember several things in one transaction, in order."""
    ready = [
        prepared(candidate, project_id=project_id, limits=desk.limits, actor=desk.actor, now=now)
        for candidate in candidates
    ]
    # Before the transaction: files are not read while others wait to write.
    taken = [
        anchors_of(entry.memory, desk.code) if isinstance(entry, Prepared) else ()
        for entry in ready
    ]
    texts = [entry.memory.content for entry in ready if isinstance(entry, Prepared)]
    made, trouble = vectors_or_trouble(desk.embedder, texts)
    chunks = iter(made)
    outcomes: list[Outcome] = []
    batch = _Batch()
    with desk.store.write(now=now, actor=desk.actor) as tx:
        desk.warm.refresh(tx.conn, seq=tx.seq - 1)
        for entry, anchored in zip(ready, taken, strict=True):
            if isinstance(entry, Refused):
                log(tx, "refuse", project_id=project_id)
                outcomes.append(entry)
                continue
            outcome = _placed(desk, tx, entry, next(chunks), batch)
            _anchor(tx, outcome, entry.memory, anchored)
            if trouble:
                outcome = replace(outcome, warnings=(*outcome.warnings, trouble))
            outcomes.append(outcome)
    return outcomes


def _anchor(tx: Tx, outcome: Outcome, said: Memory, taken: Sequence[Anchor]) -> None:
    """Anchor what was stored; what was said again is anchored anew to what is named now."""
    if not taken or isinstance(outcome, Refused):
        return
    id_ = outcome.memory.id
    if id_ == said.id:
        anchors.put(tx, id_, taken)
    elif not said.tainted:
        anchors.put(tx, id_, united(taken, anchors.of(tx.conn, [id_]).get(id_, ())))


def embedded(embedder: Embedder | None, texts: Sequence[str]) -> list[Vectors | None]:
    """The chunks of each text as vectors; raises ModelError. None where there is no embedder."""
    if embedder is None or not texts:
        return [None] * len(texts)
    parts = [_parts(text) for text in texts]
    flat = embedder.embed([chunk for chunks in parts for chunk in chunks])
    bounds = np.cumsum([len(chunks) for chunks in parts])[:-1]
    return list(np.split(flat, bounds))


def _parts(text: str) -> tuple[str, ...]:
    """What of a text is embedded: all of it, or its opening and then every chunk."""
    chunks = chunked(text)
    return (opening(text)[0], *chunks) if len(chunks) > 1 else (text,)


def vectors_or_trouble(
    embedder: Embedder | None, texts: Sequence[str]
) -> tuple[list[Vectors | None], str]:
    """Vectors, or none and what went wrong: a text is stored even when its vector must wait."""
    try:
        return embedded(embedder, texts), ""
    except ModelError as fault:
        return [None] * len(texts), f"Stored without a vector; words find it. {fault}"


def _placed(desk: Desk, tx: Tx, entry: Prepared, vector: Vectors | None, batch: _Batch) -> Outcome:
    """Where a prepared memory goes: merged, in place of another, beside it, or refused."""
    memory = entry.memory
    if entry.redacted_types:
        log(tx, "redact", project_id=memory.project_id, detail=" ".join(entry.redacted_types))
    if memory.origin not in FROM_USER and memory.session_id is not None:
        written = memories.written_in_session(tx.conn, memory.session_id)
        if written >= desk.limits.per_session:
            log(tx, "refuse", project_id=memory.project_id, detail="session limit")
            return Refused(
                f"This session has written {written} memories, its limit. "
                "Keep what matters most and drop the rest."
            )
    twin = memories.same_fingerprint(tx.conn, memory)
    if twin is not None:
        return _merge(tx, twin, entry, similarity=1.0)
    # What happened once, and source code, are no statements that another could change.
    apart = RULES[memory.kind].episodic or is_code(memory.content)
    near = [] if apart else _neighbours(desk, tx, memory, vector, batch)
    changed = [each for each in near if each.comparison.likeness is Likeness.CHANGED]
    same = [each for each in near if each.comparison.likeness is Likeness.SAME]
    if same:
        best = max(same, key=lambda each: each.similarity or 0.0)
        return _merge(tx, best.memory, entry, similarity=best.similarity or 0.0)
    model = None if desk.embedder is None else desk.embedder.model
    return _store(tx, entry, vector, changed, batch, model=model)


def _store(
    tx: Tx,
    entry: Prepared,
    vector: Vectors | None,
    changed: Sequence[_Neighbour],
    batch: _Batch,
    *,
    model: str | None,
) -> Outcome:
    memory = entry.memory
    memories.insert_memory(tx, memory, [entry.chain])
    if vector is not None and model is not None:
        vectors.put(tx, memory.id, fingerprint=memory.fingerprint, model=model, chunks=vector)
        batch.vectors.append(vector)
        batch.memories.append(memory)
    replaced: list[Memory] = []
    conflicts: list[Conflict] = []
    for each in changed:
        if _replaces(memory, each):
            replaced.append(supersede(tx, each.memory, memory, reason=each.comparison.reason))
        else:
            type_ = (
                ConflictType.CONTRADICTORY if each.comparison.specific else ConflictType.AMBIGUOUS
            )
            conflicts.append(
                relations.add_conflict(tx, memory.id, each.memory.id, type_, each.comparison.reason)
            )
    if replaced:
        shown = tuple(
            f"Updated: {_short(old.summary)!r} → {_short(memory.summary)!r}" for old in replaced
        )
        return Superseded(memory, tuple(replaced), (*entry.warnings, *shown))
    return Stored(memory, tuple(conflicts), entry.warnings)


def supersede(tx: Tx, old: Memory, new: Memory, *, reason: str) -> Memory:
    """Let `new` stand in the place of `old`, which is kept as its history."""
    after = memories.update_memory(
        tx,
        old,
        replace(old, status=Status.SUPERSEDED, superseded_by=new.id, valid_until=tx.now),
        action="update",
        detail="superseded",
    )
    relations.add_link(tx, new.id, old.id, Relation.SUPERSEDES)
    conflict = relations.add_conflict(tx, new.id, old.id, ConflictType.SUPERSEDED, reason)
    relations.resolve_conflict(tx, conflict.id, "newer")
    return after


def _replaces(new: Memory, each: _Neighbour) -> bool:
    """Whether the newer statement stands without asking: specific, later, and trusted as much."""
    old = each.memory
    return (
        each.comparison.specific
        and new.trust >= old.trust
        and new.created_at >= old.created_at
        and not new.tainted
        and not old.pinned
        and (new.status is Status.CONFIRMED or old.status is Status.CANDIDATE)
    )


def _merge(tx: Tx, old: Memory, entry: Prepared, *, similarity: float) -> Merged:
    """Strengthen what is known by what was said again (seed-004 §12)."""
    new = entry.memory
    confirms = new.status is Status.CONFIRMED and old.status is Status.CANDIDATE
    after = replace(
        old,
        importance=min(1.0, old.importance + 0.1),
        confidence=max(old.confidence, new.confidence),
        trust=max(old.trust, new.trust),
        strength=old.strength + 1,
        access_count=old.access_count + 1,
        last_accessed_at=tx.now,
        status=Status.CONFIRMED if confirms else old.status,
        tainted=old.tainted and new.tainted,
        pinned=old.pinned or new.pinned,
        files=_union(old.files, new.files),
        tags=_union(old.tags, new.tags),
        triggers=tuple(dict.fromkeys((*old.triggers, *new.triggers))),
    )
    merged = memories.update_memory(tx, old, after, action="update", detail="merged")
    said_otherwise = new.content if new.fingerprint != old.fingerprint else entry.chain.snippet
    memories.add_provenance(tx, old.id, _again(entry.chain, said_otherwise))
    return Merged(merged, similarity, entry.warnings)


def _again(chain: Provenance, snippet: str) -> Provenance:
    return replace(
        chain, snippet=snippet, confidence_reason=f"said again: {chain.confidence_reason}"
    )


def _neighbours(
    desk: Desk, tx: Tx, memory: Memory, vector: Vectors | None, batch: _Batch
) -> list[_Neighbour]:
    """Statements near to `memory` in the same place, each compared with it."""
    found = _by_vector(desk.warm, memory, vector)
    for row in _by_words(desk.warm, tx, memory):
        found.setdefault(row, None)
    loaded = memories.by_rows(tx.conn, list(found))
    pairs = [(other, found[row]) for row, other in loaded.items()]
    if vector is not None:
        for other, chunks in zip(batch.memories, batch.vectors, strict=True):
            similarity = float(chunks[0] @ vector[0])
            if similarity >= SIMILAR_ENOUGH and other.project_id == memory.project_id:
                pairs.append((memories.get(tx.conn, other.id), similarity))
    return [
        _Neighbour(
            other,
            similarity,
            compared(
                other.content,
                memory.content,
                similarity=similarity,
                same_kind=other.kind is memory.kind,
                shared_files=bool(set(other.files) & set(memory.files)),
                threshold=desk.limits.duplicate_cosine,
            ),
        )
        for other, similarity in pairs
        if other.active and not RULES[other.kind].episodic
    ]


def _by_vector(warm: Warm, memory: Memory, vector: Vectors | None) -> dict[int, float | None]:
    """Rows of the most similar memories in the same place, most similar first."""
    if vector is None or not warm.size:
        return {}
    similar = np.where(_same_place(warm, memory), warm.similarity(vector[0]), -1.0)
    count = min(NEIGHBOURS, len(similar))
    best = np.argpartition(-similar, count - 1)[:count]
    best = best[np.argsort(-similar[best])]
    rows = warm["row"]
    return {
        int(rows[slot]): float(similar[slot]) for slot in best if similar[slot] >= SIMILAR_ENOUGH
    }


def _by_words(warm: Warm, tx: Tx, memory: Memory) -> list[int]:
    """Rows of the memories in the same place that share most words."""
    terms = list(dict.fromkeys(words(memory.content)))[:24]
    if not terms or not warm.size:
        return []
    match = text_index.within(text_index.any_of(terms, columns=("head", "rest")), memory.project_id)
    rows = np.asarray(
        [hit.row for hit in text_index.search(tx.conn, match, limit=4 * NEIGHBOURS)], np.int64
    )
    if not len(rows):
        return []
    slots = warm.slots_of(rows)
    place = _same_place(warm, memory)
    return [int(row) for row, slot in zip(rows, slots, strict=True) if slot >= 0 and place[slot]][
        :NEIGHBOURS
    ]


def _same_place(warm: Warm, memory: Memory) -> np.typing.NDArray[np.bool_]:
    """Which slots hold active memories of the same owner and project."""
    active = warm["status"] <= max(STATUS_CODE["candidate"], STATUS_CODE["confirmed"])
    mask: np.typing.NDArray[np.bool_] = (
        active
        & (warm["tenant_id"] == warm.code("tenant_id", memory.tenant_id))
        & (warm["owner_id"] == warm.code("owner_id", memory.owner_id))
        & (warm["project_id"] == warm.code("project_id", memory.project_id))
    )
    return mask


def _union(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*left, *right)))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
