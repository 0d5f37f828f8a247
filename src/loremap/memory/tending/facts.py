"""Passes over facts: read memories, settle conflicts, promote what is used, drop what faded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from loremap.memory.facts.learn import RULES_VERSION, Said, learn, superseded
from loremap.memory.facts.names import Known, Names, standing_names
from loremap.memory.facts.read import Reader
from loremap.memory.step import Step
from loremap.memory.tending.known_names import misspelt, names_here, project_entity, shelf_of
from loremap.memory.workspace import Workspace
from loremap.model.clock import short_id
from loremap.model.fact import FADED, Fact, is_faded, is_proven, relevance, replaces
from loremap.model.memory import Memory, Status
from loremap.model.predicate import is_many
from loremap.model.words import names_in
from loremap.storage import entities, known_facts, memories
from loremap.storage.transaction import Tx

T = TypeVar("T")
READ_TOGETHER = 8
"""Memories that are taken in by one write, so that no lock is held for long."""
EMBEDDED_TOGETHER, EMBEDDED_AT_ONCE = 64, 512
ROUNDS = 3
"""So often what waits for a name is read again because others gave it one."""


def read_facts(here: Workspace) -> Sequence[Step]:
    """What is new in memories: the facts they state, the entities they speak of."""
    shelf, most = shelf_of(here), here.settings.whole("facts.read_at_once")
    with here.store.read() as conn:
        fresh = known_facts.unread(conn, shelf, rules=RULES_VERSION, limit=most)
        if not fresh:
            return []
        names = names_here(here, conn)
        otherwise = list(misspelt(here, conn, names))
        waiting = known_facts.waiting(conn, shelf)
        project = project_entity(here, names)
        said = _read_all(fresh, names, project)
        found = {known.key for one in said for known in one.things()}
        again = [id_ for id_, keys in waiting.items() if keys & found]
        late = memories.by_ids(conn, again[:most])
    said += _read_all(late, _with(names, said), project)
    said.sort(key=lambda one: (one.memory.created_at, one.memory.id))  # the first writes the name
    respelt = [
        Step(id_, "respell", f"it is written {name}", partial(entities.respell, id_=id_, name=name))
        for id_, name in otherwise
    ]
    return [*respelt, *(_step(here, some) for some in _some(said, READ_TOGETHER))]


def _read_all(found: Sequence[Memory], names: Names, project: Known | None) -> list[Said]:
    """What memories say; what waits for a name that others give is read again."""
    said: dict[str, Said] = {}
    left = list(found)
    for _ in range(ROUNDS):
        reader = Reader(names, project)
        for memory in left:
            read = reader.read(memory.content)
            said[memory.id] = Said(memory, read, tuple(_speaks_of(memory.content, names)))
        names = _with(names, said.values())
        left = [one.memory for one in said.values() if one.read.waits & names.known.keys()]
        if not left:
            break
    return list(said.values())


def _with(names: Names, said: Iterable[Said]) -> Names:
    """The names, with those that were read; how these are written is told by each text."""
    more: dict[str, Known] = {}
    for one in said:
        for known in one.things():
            more.setdefault(known.key, replace(known, loose=True))
    return replace(names, known=more | dict(names.known))


def _speaks_of(text: str, names: Names) -> Iterator[Known]:
    """What of all that is known a text names."""
    for name in (*names_in(text), *standing_names(text)):
        if (found := names.find(name)) is not None:
            yield found


def _step(here: Workspace, said: Sequence[Said]) -> Step:
    facts = sum(len(one.read.facts) for one in said)
    return Step(
        on=_counted(len(said), "memory", "memories"),
        does="read",
        why=f"not read for facts before; they state {facts}",
        apply=partial(_learn, owner_id=here.actor.owner_id, said=said),
    )


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _learn(tx: Tx, *, owner_id: str, said: Sequence[Said]) -> None:
    learn(tx, owner_id, said)


def promote_facts(here: Workspace) -> Sequence[Step]:
    """Candidates that were used often enough to be believed."""
    threshold = here.settings.whole("facts.promotion_threshold")
    return [
        _changed(one, replace(one, status=Status.CONFIRMED), "promote",
                 f"used {one.access_count} times")
        for one in _told(here)
        if is_proven(one, threshold=threshold)
    ]  # fmt: skip


def fade_facts(here: Workspace) -> Sequence[Step]:
    """Facts that are worth so little by now that they are let go."""
    now = here.now()
    return [
        _changed(
            one,
            replace(one, status=Status.RETRACTED, retracted_reason=FADED, valid_until=now),
            "retract",
            f"relevance {relevance(one, now):.2f}",
        )
        for one in _told(here)
        if is_faded(one, now)
    ]


def settle_facts(here: Workspace) -> Sequence[Step]:
    """Facts in whose place a newer and surer one has come, and those that hold again because what
    replaced them no longer does."""
    facts = _told(here)
    by_subject: dict[tuple[str, str], list[Fact]] = {}
    for one in facts:
        by_subject.setdefault((one.subject_id, one.predicate), []).append(one)
    steps = []
    for (_, predicate), several in by_subject.items():
        for old in several:
            new = next((x for x in several if replaces(x, old, many=is_many(predicate))), None)
            if new is not None:
                after = superseded(old, by=new, now=here.now())
                steps.append(_changed(old, after, "supersede", f"{short_id(new.id)} is newer"))
    return [*steps, *_restored(here, {one.id for one in facts})]


def _restored(here: Workspace, standing: set[str]) -> Iterator[Step]:
    with here.store.read() as conn:
        replaced = known_facts.told(conn, shelf_of(here), statuses=(Status.SUPERSEDED,))
        heirs = {one.id: known_facts.get(conn, one.superseded_by or "") for one in replaced}
    for one in replaced:
        heir = heirs[one.id]
        if heir is None or (heir.status is not Status.SUPERSEDED and heir.id not in standing):
            after = replace(one, status=Status.CANDIDATE, superseded_by=None, valid_until=None)
            yield _changed(one, after, "restore", "what replaced it no longer holds")


def embed_entities(here: Workspace) -> Sequence[Step]:
    """Entities whose names have no vector yet."""
    embedder = here.embedder()
    if embedder is None:
        return []
    with here.store.read() as conn:
        waiting = entities.unembedded(conn, embedder.model, limit=EMBEDDED_AT_ONCE)
    steps = []
    for some in _some(waiting, EMBEDDED_TOGETHER):
        # Made here and not where it is stored: no lock waits for a model.
        made = embedder.embed([one.name for one in some])
        ids = [one.id for one in some]
        put = partial(entities.put_vectors, model=embedder.model, ids=ids, made=made)
        steps.append(
            Step(_counted(len(ids), "name", "names"), "embed", "they have no vector yet", put)
        )
    return steps


def _some(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _told(here: Workspace) -> list[Fact]:
    with here.store.read() as conn:
        return known_facts.told(conn, shelf_of(here))


def _changed(before: Fact, after: Fact, does: str, why: str) -> Step:
    def apply(tx: Tx) -> None:
        now = known_facts.get(tx.conn, before.id)
        if now is not None and now.version == before.version:  # else somebody was quicker
            known_facts.change(tx, before, after, action=does)

    return Step(before.id, does, why, apply)


PASSES = (read_facts, settle_facts, promote_facts, fade_facts, embed_entities)
"""In the order in which they are done."""
