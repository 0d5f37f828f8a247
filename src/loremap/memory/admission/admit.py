"""Admission, the only way in: limits → worth → redaction → taint → summary → anchor → embed →
same? → replaces? → store → audit. What is not surely the same or replaced is kept, and the writer
is told its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from loremap.embedding.chunks import chunked
from loremap.embedding.protocol import Embedder, Vectors
from loremap.errors import ModelError
from loremap.memory.admission.anchor import anchors_of, united
from loremap.memory.admission.compare import Comparison, Verdict, compared
from loremap.memory.admission.graves import taught_again
from loremap.memory.admission.limits import Limits
from loremap.memory.admission.meaning import means_no_good
from loremap.memory.admission.merge import merged
from loremap.memory.admission.near import Batch, Found, found_near
from loremap.memory.admission.prepare import Prepared, prepared
from loremap.memory.admission.quarantine import notice, quarantined
from loremap.memory.admission.statement import difference
from loremap.model.anchor import Anchor
from loremap.model.clock import short_id
from loremap.model.hostile import why_held_back
from loremap.model.kind import RULES
from loremap.model.memory import (
    FROM_USER,
    Actor,
    Candidate,
    Conflict,
    ConflictType,
    Memory,
    Origin,
    Relation,
    Status,
)
from loremap.model.outcome import Neighbour, Outcome, Refused, Stored, Superseded
from loremap.model.text import is_code, opening
from loremap.storage import anchors, memories, relations, tombstones, vectors
from loremap.storage.store import Store
from loremap.storage.transaction import Tx, log
from loremap.storage.warm import Warm

if TYPE_CHECKING:
    from loremap.code.view import CodeView

SHOWN = 3
"""How many neighbours the writer is told of."""
PROSE = (".md", ".mdc", ".rst", ".txt", ".adoc")
"""Files whose sentences stand beside each other; any other holds settings."""
SAID_SO = "the writer said so"


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
class _Compared:
    found: Found
    comparison: Comparison

    @property
    def memory(self) -> Memory:
        return self.found.memory


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
        anchors_of(entry.memory, desk.code, symbols=entry.symbols)
        if isinstance(entry, Prepared)
        else ()
        for entry in ready
    ]
    texts = [entry.memory.content for entry in ready if isinstance(entry, Prepared)]
    made, trouble = vectors_or_trouble(desk.embedder, texts)
    ready = _judged(ready, made, desk.embedder)
    chunks = iter(made)
    outcomes: list[Outcome] = []
    # In this order: whoever asks the arrays never waits for a write.
    with desk.store.write(now=now, actor=desk.actor) as tx, desk.warm.use.alone():
        desk.warm.refresh(tx.conn, seq=tx.seq - 1)
        batch = Batch(desk.warm.words(tx.conn))
        for entry, anchored in zip(ready, taken, strict=True):
            if isinstance(entry, Refused):
                log(tx, "refuse", project_id=project_id)
                outcomes.append(entry)
                continue
            outcome = _placed(desk, tx, entry, next(chunks), batch)
            _anchor(tx, outcome, entry.memory, anchored)
            outcome = _with_notice(outcome)
            if trouble:
                outcome = replace(outcome, warnings=(*outcome.warnings, trouble))
            outcomes.append(outcome)
    return outcomes


def _judged(
    ready: Sequence[Prepared | Refused], made: Sequence[Vectors | None], embedder: Embedder | None
) -> list[Prepared | Refused]:
    """`ready`, those held back whose meaning gives them away."""
    vectors_of = iter(made)
    judged: list[Prepared | Refused] = []
    for entry in ready:
        if isinstance(entry, Refused):
            judged.append(entry)
            continue
        try:
            if means_no_good(entry.memory, next(vectors_of), embedder):
                entry = replace(entry, memory=quarantined(entry.memory))
        except ModelError as fault:
            entry = replace(
                entry, warnings=(*entry.warnings, f"Only its words were judged. {fault}")
            )
        judged.append(entry)
    return judged


def _with_notice(outcome: Outcome) -> Outcome:
    """`outcome`, with what its writer is told where it is held back. The lines of a project's
    files are offered for review together."""
    if isinstance(outcome, Refused) or outcome.memory.origin is Origin.FILE:
        return outcome
    why = why_held_back(outcome.memory)
    told = (notice(outcome.memory, why),) if why else ()
    return replace(outcome, warnings=(*outcome.warnings, *told))


def _anchor(tx: Tx, outcome: Outcome, said: Memory, taken: Sequence[Anchor]) -> None:
    """Anchor what was stored; what was said again is anchored anew to what is named now."""
    if not taken or isinstance(outcome, Refused):
        return
    id_ = outcome.memory.id
    if id_ == said.id:
        anchors.put(tx, id_, taken)
    elif not said.tainted:
        anchors.renew(tx, id_, united(taken, anchors.of(tx.conn, [id_]).get(id_, ())))


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


def _placed(desk: Desk, tx: Tx, entry: Prepared, vector: Vectors | None, batch: Batch) -> Outcome:
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
    refused = _under_tombstone(desk, tx, entry, vector)
    if refused is not None:
        log(tx, "refuse", project_id=memory.project_id, detail="tombstone")
        return refused
    twin = memories.same_fingerprint(tx.conn, memory)
    # What happened once, and source code, are no statements that another could change.
    apart = twin is not None or RULES[memory.kind].episodic or is_code(memory.content)
    near = [] if apart else found_near(desk.warm, tx, memory, vector, batch)
    shown = tuple(
        Neighbour(each.memory, each.similarity)
        for each in near
        if each.closeness >= 1.0 and _may_be_told(memory, each.memory)
    )[:SHOWN]
    beside = [_Compared(each, _comparison(each.memory, memory)) for each in near]
    same = next((each.found for each in beside if each.comparison.verdict is Verdict.SAME), None)
    # What was withdrawn as wrong may be erased by now: its tombstone alone knows it.
    named = next(iter(memories.by_ids(tx.conn, [entry.replaces or ""])), None)
    if named is not None and named.status is Status.RETRACTED:
        named = None  # its place is empty: what corrects it stands beside nothing
    if twin is not None:
        known = merged(tx, twin, entry, similarity=1.0)
    elif same is not None and not (named and named.id == same.memory.id):
        known = merged(tx, same.memory, entry, similarity=same.similarity)
    else:
        model = None if desk.embedder is None else desk.embedder.model
        _store(tx, entry, vector, batch, model=model)
        return replace(_beside(tx, entry, beside, named), neighbours=shown)
    others = tuple(each for each in shown if each.memory.id != known.memory.id)
    known = replace(known, neighbours=others)
    if named is None or named.id == known.memory.id:
        return known
    if not may_replace(known.memory, named):
        _note_conflict(tx, known.memory, named)
        return replace(known, warnings=(*known.warnings, _left_standing(named)))
    gone = supersede(tx, named, known.memory, reason=SAID_SO)
    return Superseded(
        known.memory, (gone,), (*known.warnings, _updated(gone, known.memory)), others
    )


def _under_tombstone(desk: Desk, tx: Tx, entry: Prepared, vector: Vectors | None) -> Refused | None:
    """Why what was forgotten, declined or withdrawn is not learned again; a person who says it
    lifts it, and who says that it corrects what was withdrawn is believed."""
    memory = entry.memory
    grave = tombstones.over(tx.conn, memory)
    if _by_person(memory):
        tombstones.lift(tx, memory)
        again = taught_again(tx.conn, memory, vector, desk.warm)
        tombstones.take_away(tx, again, memory_id=memory.id)
        return None
    if grave is not None:
        return Refused(
            f"This was {grave.why} on {grave.at:%Y-%m-%d} and is not learned again. "
            "Only a person brings it back, by saying it."
        )
    near = taught_again(tx.conn, memory, vector, desk.warm)
    known = [one.known.memory_id for one in near if one.known is not None]
    if not known or entry.replaces in known:  # one of them is enough: they say the same
        return None
    return Refused(
        f"This says in other words what was {near[0].why} on {near[0].at:%Y-%m-%d} and is not "
        "learned again. Only a person brings it back, by saying it. If it says the contrary or "
        f"corrects it, remember it with replaces={short_id(known[0])}."
    )


def _by_person(memory: Memory) -> bool:
    """Whether a person says it, or chose it."""
    return memory.origin in FROM_USER or memory.status is Status.CONFIRMED


def _comparison(old: Memory, new: Memory) -> Comparison:
    file = new.source_file if new.origin is Origin.FILE else None
    settings = file is not None and (old.origin, old.source_file) == (new.origin, file)
    prose = (file or "").endswith(PROSE)
    return compared(old.content, new.content, one_setting=settings and not prose)


def _store(
    tx: Tx, entry: Prepared, vector: Vectors | None, batch: Batch, *, model: str | None
) -> None:
    memory = entry.memory
    memories.insert_memory(tx, memory, [entry.chain])
    batch.stored += 1
    if vector is not None and model is not None:
        vectors.put(tx, memory.id, fingerprint=memory.fingerprint, model=model, chunks=vector)
        batch.vectors[memory.id] = vector


def _beside(
    tx: Tx, entry: Prepared, beside: Sequence[_Compared], named: Memory | None
) -> Stored | Superseded:
    """What a new memory does to those it was compared with: it takes the place of one, or is in
    conflict with some."""
    memory = entry.memory
    beside = [each for each in beside if _may_be_told(memory, each.memory)]
    changed = [each for each in beside if each.comparison.verdict is Verdict.REPLACES]
    gone: tuple[Memory, str] | None = None
    if named is not None and may_replace(memory, named):
        gone = named, SAID_SO
    elif named is None:
        gone = next(
            (
                (each.memory, each.comparison.reason)
                for each in changed[:1]
                if _surely_replaces(memory, each.memory)
            ),
            None,
        )
    clashing = [each.memory for each in beside if _clash(memory, each)]
    if named is not None:
        clashing = [named, *(each for each in clashing if each.id != named.id)]
    conflicts = tuple(
        _note_conflict(tx, memory, old) for old in clashing if gone is None or old.id != gone[0].id
    )
    if gone is None:
        held = (_left_standing(named),) if named is not None else ()
        return Stored(memory, conflicts, (*entry.warnings, *held))
    old = supersede(tx, gone[0], memory, reason=gone[1])
    return Superseded(memory, (old,), (*entry.warnings, _updated(old, memory)))


def _may_be_told(new: Memory, old: Memory) -> bool:
    """Whether the writer of `new` may be told of `old`: of what is held back, an agent is told
    nothing."""
    return new.origin in FROM_USER or not old.held_back


def _note_conflict(tx: Tx, new: Memory, old: Memory) -> Conflict:
    reason = difference(old.content, new.content)
    return relations.add_conflict(tx, new.id, old.id, ConflictType.CONTRADICTORY, reason)


def _updated(old: Memory, new: Memory) -> str:
    said = [
        f"#{short_id(one.id)}" if one.tainted else repr(_short(one.summary)) for one in (old, new)
    ]
    return f"Updated: {said[0]} → {said[1]}"


def _left_standing(named: Memory) -> str:
    return (
        f"{short_id(named.id)} was stated, confirmed or pinned by a person and stays: "
        "only a person can "
        "replace it. Both are kept and marked as a conflict; ask the user, who settles it with "
        "`lore review`."
    )


def _clash(new: Memory, each: _Compared) -> bool:
    """Whether both surely cannot hold. The project's own files are read together, by people."""
    both_files = new.origin is Origin.FILE and each.memory.origin is Origin.FILE
    return each.comparison.verdict in (Verdict.REPLACES, Verdict.OPPOSED) and not both_files


def supersede(
    tx: Tx, old: Memory, new: Memory, *, reason: str, conflict: Conflict | None = None
) -> Memory:
    """Let `new` stand in the place of `old`, which is kept as its history. Settles `conflict`
    where there is one, else notes one that is settled."""
    after = memories.update_memory(
        tx,
        old,
        replace(old, status=Status.SUPERSEDED, superseded_by=new.id, valid_until=tx.now),
        action="update",
        detail="superseded",
    )
    relations.add_link(tx, new.id, old.id, Relation.SUPERSEDES)
    if conflict is None:
        conflict = relations.add_conflict(tx, new.id, old.id, ConflictType.SUPERSEDED, reason)
    won = "first" if conflict.memory_a == new.id else "second"
    relations.resolve_conflict(tx, conflict.id, won)
    return after


def may_replace(new: Memory, old: Memory) -> bool:
    """Whether the writer of `new` may put it in the place of `old`: a person may always, an agent
    only where no person stated, confirmed or pinned it."""
    if not old.active or new.tainted:
        return False
    if new.origin in FROM_USER:
        return True
    return not old.pinned and not old.vouched and new.trust >= old.trust


def _surely_replaces(new: Memory, old: Memory) -> bool:
    """Whether a statement that changes `old` stands without asking: later, and trusted as much."""
    return (
        new.trust >= old.trust
        and new.created_at >= old.created_at
        and not new.tainted
        and not old.pinned
        and (new.vouched or not old.vouched)
        and not _of_other_files(new, old)
    )


def _of_other_files(new: Memory, old: Memory) -> bool:
    """Whether both are about files, and about different ones."""
    if new.origin is Origin.FILE and old.origin is Origin.FILE:
        return new.source_file != old.source_file
    return bool(new.files and old.files and not set(new.files) & set(old.files))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
