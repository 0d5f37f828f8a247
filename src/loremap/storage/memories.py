"""Rows of memories: write, read, find, erase. Every write leaves history and audit behind it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    delete,
    func,
    insert,
    inspect,
    or_,
    select,
    text,
    true,
    update,
)
from sqlalchemy.sql.elements import ColumnElement

from loremap.errors import Damaged, NotFound, Stale
from loremap.model.clock import from_ms, optional_ms, optional_time, short_id, to_ms
from loremap.model.kind import RULES, Kind
from loremap.model.life import may_move
from loremap.model.memory import (
    ACTIVE,
    Memory,
    Origin,
    Provenance,
    Scope,
    Status,
    Trigger,
    Visibility,
)
from loremap.model.record import USES, attached, checksum, procedure_from
from loremap.model.text import is_code
from loremap.model.told import is_told, warns
from loremap.storage import (
    events,
    findings,
    gaps,
    injections,
    learning,
    patterns,
    row_history,
    sessions,
    tasks,
)
from loremap.storage.dialect import dialect_of
from loremap.storage.erased_facts import erase_read_from
from loremap.storage.indexed import indexed, places_of
from loremap.storage.sql import contains, is_listed
from loremap.storage.tables import (
    clusters,
    erasures,
    history,
    inferred_tags,
    memories,
    memory_clusters,
    memory_files,
    memory_tags,
    provenance,
    tags,
    triggers,
    vectors,
)
from loremap.storage.tables import events as event_rows
from loremap.storage.tables import gaps as gap_rows
from loremap.storage.transaction import Tx, keep, log, note_told

ALL = 1 << 31
"""More memories than any listing has."""
SHORTEST_ID = 4
"""Letters of an id that may stand for it."""
WITHHELD = "(withheld: not what was written)"
NOTHING_ATTACHED = "[[],[],[]]"
LAST_MS = 253_402_300_800_000
"""The end of the year 9999, beyond which there is no date."""
_TIMES = ("created_at", "updated_at", "last_accessed_at")
_OPTIONAL_TIMES = ("valid_until", "promoted_at", "judged_at", "deleted_at")
_SAME = (
    "id", "tenant_id", "owner_id", "project_id", "created_by", "content", "summary", "pinned",
    "tainted", "confidence", "importance", "trust", "uses", "repetitions", "confirmations",
    "helpful", "unhelpful", "session_id", "message_start", "message_end", "agent", "branch",
    "commit_id", "source_file", "seasonal", "recency_weight", "superseded_by",
    "retracted_reason", "fingerprint", "version",
)  # fmt: skip

_READ = tuple(name for name in _SAME if name not in USES)
_READ_TIMES = tuple(name for name in _TIMES if name not in USES)
_read = itemgetter(*_READ)


_WHOLE = select(memories)
"""All that a `Memory` holds, so that one question is enough for any number of them."""
_NAMES = tuple(memories.c.keys())
_ONE = _WHOLE.where(memories.c.id == bindparam("of_id"))
_UPDATE = (
    update(memories)
    .where(memories.c.id == bindparam("of_id"), memories.c.version == bindparam("of_version"))
    .values({name: bindparam(f"to_{name}") for name in _NAMES if name not in ("row", "tenant_id")})
    .returning(memories.c.row)
)
_IN_ROWS = _WHOLE.where(is_listed(memories.c.row, bindparam("rows")))
"""One text whatever the number of rows, because every recall asks it."""
_INSERT = insert(memories).returning(memories.c.row)
_SAME_TEXT = _WHOLE.where(
    memories.c.tenant_id == bindparam("tenant"),
    memories.c.owner_id == bindparam("owner"),
    text("coalesce(memories.project_id, '') = :project"),
    memories.c.fingerprint == bindparam("fingerprint"),
    text("memories.status IN ('candidate', 'confirmed') AND memories.deleted_at IS NULL"),
)
"""In the words of the index `memories_once`, which is not used otherwise."""
_ADD_PROVENANCE = (
    insert(provenance)
    .values(
        position=select(func.count())
        .where(provenance.c.memory_id == bindparam("of_memory"))
        .scalar_subquery()
    )
    .returning(provenance.c.position)
)


def insert_memory(tx: Tx, memory: Memory, chain: Sequence[Provenance] = ()) -> int:
    """Store a new memory with its words, files, tags and triggers; returns its row number."""
    log(
        tx,
        "add",
        memory_id=memory.id,
        project_id=memory.project_id,
        detail=f"{memory.kind.value} {memory.status.value} {memory.origin.value}",
    )
    row = int(tx.conn.execute(_INSERT, row_values(memory) | {"seq": tx.seq}).scalar_one())
    _write_children(tx, memory)
    dialect_of(tx.conn).index(tx.conn, row, indexed(memory))
    for entry in chain:
        add_provenance(tx, memory.id, entry)
    keep(tx, memory, "add", before=None)
    if warns(memory):
        note_told(tx)
    return row


def update_memory(
    tx: Tx, before: Memory, after: Memory, *, action: str, detail: str = ""
) -> Memory:
    """Write `after` in place of `before`; raises where somebody else changed it meanwhile."""
    if not may_move(before.status, after.status, action):
        raise ValueError(f"no {action!r} makes a {before.status} memory {after.status}")
    log(tx, action, memory_id=before.id, project_id=before.project_id, detail=detail)
    after = replace(after, version=before.version + 1, updated_at=tx.now)
    told = {f"to_{name}": value for name, value in row_values(after).items()}
    at = {"of_id": before.id, "of_version": before.version, "to_seq": tx.seq}
    row = tx.conn.execute(_UPDATE, told | at).scalar()
    if row is None:
        raise Stale(
            f"Memory {short_id(before.id)} was changed by someone else meanwhile; "
            "nothing was written.",
            hint=f"Look at it again: lore show {short_id(before.id)}.",
        )
    if (before.files, before.tags, before.triggers) != (after.files, after.tags, after.triggers):
        _delete_children(tx.conn, [before.id])
        _write_children(tx, after)
        _drop_unused_tags(tx, before)
    if indexed(before) != (terms := indexed(after)):
        dialect_of(tx.conn).unindex(tx.conn, [row])
        dialect_of(tx.conn).index(tx.conn, row, terms)
    if before.fingerprint != after.fingerprint:
        tx.conn.execute(delete(vectors).where(vectors.c.memory_id == before.id))
    keep(tx, after, action, before=before)
    if is_told(before) or is_told(after):
        note_told(tx)
    return after


def touch(tx: Tx, ids: Iterable[str]) -> None:
    """Count one use of each memory."""
    wanted = list(ids)
    if wanted:
        tx.conn.execute(
            update(memories)
            .where(memories.c.id.in_(wanted))
            .values(
                uses=memories.c.uses + 1,
                last_accessed_at=to_ms(tx.now),
                seq=tx.seq,
            )
        )


def reweigh(tx: Tx, memory: Memory, confidence: float) -> None:
    """Let a memory be believed more or less by what a session did with it: like a use, this is no
    act of anybody's, so neither its history nor the audit trail tells of it."""
    after = replace(memory, confidence=min(1.0, max(0.0, confidence)))
    tx.conn.execute(
        update(memories)
        .where(memories.c.id == memory.id, memories.c.version == memory.version)
        .values(confidence=after.confidence, checksum=checksum(row_values(after)), seq=tx.seq)
    )


def erase(tx: Tx, ids: Sequence[str]) -> None:
    """Remove memories for good, with words, vectors, history and links; their ids are kept."""
    found = tx.conn.execute(
        select(memories.c.row, memories.c.id, memories.c.tenant_id, memories.c.project_id).where(
            memories.c.id.in_(ids)
        )
    ).all()
    for row, id_, tenant, project in found:
        log(tx, "erase", memory_id=id_, project_id=project)
        # It may have come back by an import after it was erased before.
        tx.conn.execute(delete(erasures).where(erasures.c.memory_id == id_))
        tx.conn.execute(
            insert(erasures).values(
                memory_id=id_,
                tenant_id=tenant,
                project_id=project,
                row=row,
                at=to_ms(tx.now),
                seq=tx.seq,
            )
        )
    remove_rows(tx.conn, [id_ for _, id_, _, _ in found])
    note_told(tx)


def remove_rows(conn: Connection, ids: Sequence[str]) -> None:
    """Delete the rows of memories and all that hangs on them, in this file or in a backup."""
    texts = _said(conn, ids) if ids else []
    _remove_from_sessions(conn, ids, texts)
    rows = conn.execute(select(memories.c.row).where(memories.c.id.in_(ids))).scalars().all()
    dialect_of(conn).unindex(conn, rows)
    conn.execute(delete(history).where(history.c.memory_id.in_(ids)))
    erase_read_from(conn, ids)
    row_history.forget(conn, ids)
    _unname_clusters(conn, ids, texts)
    conn.execute(delete(memories).where(memories.c.id.in_(ids)))
    unused = tags.c.name.not_in(select(memory_tags.c.tag))
    conn.execute(delete(tags).where(unused, tags.c.description == ""))
    dialect_of(conn).purge_words(conn)


def _unname_clusters(conn: Connection, ids: Sequence[str], texts: Sequence[str]) -> None:
    """Take the names from clusters that hold memories, and from those that are called by a word
    of theirs: they may have held them once. They are named anew when clusters are next found."""
    if not inspect(conn).has_table(clusters.name):
        return
    said = {word for text in texts for word in _NAMED.findall(text.lower())}
    held = select(memory_clusters.c.cluster_id).where(memory_clusters.c.memory_id.in_(ids))
    gone = set(conn.execute(held).scalars())
    for id_, name in conn.execute(select(clusters.c.id, clusters.c.name)):
        if said & set(_NAMED.findall(name)):
            gone.add(id_)
    if gone:
        conn.execute(update(clusters).where(clusters.c.id.in_(gone)).values(name=""))


_NAMED = re.compile(r"\w+")


def _remove_from_sessions(conn: Connection, ids: Sequence[str], texts: Sequence[str]) -> None:
    """Delete what sessions say of memories: the events that tell them, the blocks, the notes of
    what was given, the prompts that nothing answered. A backup of before a migration may lack what
    to ask by; there all of it goes."""
    if not ids or not inspect(conn).has_table(event_rows.name):
        return
    columns = {column["name"] for column in inspect(conn).get_columns(event_rows.name)}
    if columns.issuperset(event_rows.c.keys()):
        events.erase_saying(conn, texts)
    else:
        conn.execute(delete(event_rows))
    sessions.erase_blocks(conn, ids, texts)
    injections.erase(conn, ids)
    if inspect(conn).has_table(gap_rows.name):
        gaps.erase_saying(conn, texts)
        findings.erase_of(conn, ids)
        findings.erase_saying(conn, texts)
        learning.erase_saying(conn, texts)
        patterns.erase_of(conn, ids)
        patterns.erase_saying(conn, texts)
        tasks.erase_saying(conn, texts)


def _said(conn: Connection, ids: Sequence[str]) -> list[str]:
    """What memories say, in short and in full, and what they said before they were edited."""
    now = select(memories.c.content, memories.c.summary).where(memories.c.id.in_(ids))
    texts = [text for row in conn.execute(now) for text in row]
    before = select(history.c.before).where(
        history.c.memory_id.in_(ids), history.c.before.is_not(None)
    )
    for record in conn.execute(before).scalars():
        held = json.loads(record)
        texts += [held.get("content", ""), held.get("summary", "")]
    return [text for text in dict.fromkeys(texts) if text]


def get(conn: Connection, id_: str) -> Memory:
    """The memory with that whole id."""
    found = _checked(conn.execute(_ONE, {"of_id": id_}))
    if not found:
        raise NotFound(
            f"There is no memory {short_id(id_)}.", hint="`lore list` shows what there is."
        )
    return found[0]


def by_ids(conn: Connection, ids: Sequence[str]) -> list[Memory]:
    """The memories with those ids, in that order; ids that are gone are left out."""
    found = _checked(conn.execute(_WHOLE.where(memories.c.id.in_(ids)))) if ids else []
    loaded = {memory.id: memory for memory in found}
    return [loaded[id_] for id_ in ids if id_ in loaded]


def by_rows(conn: Connection, rows: Sequence[int]) -> dict[int, Memory]:
    """The memories in those rows, in that order; rows that are gone or damaged are left out."""
    if not rows:
        return {}
    intact = _intact_of(conn.execute(_IN_ROWS, {"rows": json.dumps(rows)}))
    loaded = {held["row"]: _memory(held) for held in intact}
    return {row: loaded[row] for row in rows if row in loaded}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories are wanted."""

    tenant_id: str = "local"
    project_id: str | None = None
    everywhere: bool = False
    """Of every project, not only this one and the global ones."""
    kinds: tuple[Kind, ...] = ()
    statuses: tuple[Status, ...] = ACTIVE
    tag: str | None = None
    file: str | None = None
    pinned: bool | None = None
    session_id: str | None = None
    ids: tuple[str, ...] | None = None
    fingerprint: str | None = None
    written_by: tuple[str, ...] = ()
    """How the names of the writers begin."""
    deleted: bool = False


def listing(conn: Connection, wanted: Filter, *, limit: int, offset: int = 0) -> list[Memory]:
    """The memories that fit, newest first; damaged ones are left out."""
    return page(conn, wanted, limit=limit, offset=offset)[0]


def page(
    conn: Connection, wanted: Filter, *, limit: int, offset: int = 0
) -> tuple[list[Memory], list[str]]:
    """The memories that fit, newest first, and the ids of damaged ones that were left out."""
    query = (
        _WHOLE.where(_where(wanted))
        .order_by(memories.c.created_at.desc(), memories.c.row.desc())
        .limit(limit)
        .offset(offset)
    )
    intact: list[Memory] = []
    hurt: list[str] = []
    for row in conn.execute(query):
        held = _named(row)
        if _intact(held):
            intact.append(_memory(held))
        else:
            hurt.append(str(held["id"]))
    return intact, hurt


def count(conn: Connection, wanted: Filter) -> int:
    """How many memories fit."""
    query = select(func.count()).select_from(memories).where(_where(wanted))
    return int(conn.execute(query).scalar_one())


def counts_by_kind(conn: Connection, wanted: Filter) -> dict[str, int]:
    """How many memories of each kind fit."""
    query = select(memories.c.kind, func.count()).where(_where(wanted)).group_by(memories.c.kind)
    return {kind: number for kind, number in conn.execute(query)}


def ending_with(conn: Connection, reference: str, *, limit: int = 10) -> list[tuple[str, str]]:
    """Ids that end with `reference`, each with its summary; none where it is no id."""
    end = reference.strip().lower()
    if len(end) < SHORTEST_ID or not set(end) <= set("0123456789abcdef"):
        return []
    ids = select(memories.c.id).where(memories.c.id.endswith(end)).order_by(memories.c.id)
    fitting = list(conn.execute(ids.limit(limit)).scalars())
    query = _WHOLE.where(memories.c.id.in_(fitting)).order_by(memories.c.id)
    found = [_named(row) for row in conn.execute(query)] if fitting else []
    return [(held["id"], held["summary"] if _intact(held) else WITHHELD) for held in found]


def same_fingerprint(conn: Connection, memory: Memory) -> Memory | None:
    """The active memory that says just this to the same owner in the same place."""
    asked = {
        "tenant": memory.tenant_id,
        "owner": memory.owner_id,
        "project": memory.project_id or "",
        "fingerprint": memory.fingerprint,
    }
    found = _checked(conn.execute(_SAME_TEXT, asked))
    return found[0] if found else None


def written_in_session(conn: Connection, session_id: str) -> int:
    """How many memories a session has written."""
    query = select(func.count()).where(memories.c.session_id == session_id)
    return int(conn.execute(query).scalar_one())


def rows_of_session(conn: Connection, session_id: str) -> list[int]:
    """The rows of what a session has written, in that order."""
    query = (
        select(memories.c.row)
        .where(memories.c.session_id == session_id)
        .order_by(memories.c.created_at, memories.c.row)
    )
    return list(conn.execute(query).scalars())


def rows_with_tag(conn: Connection, tag: str) -> list[int]:
    """The rows of memories that have a tag, inferred ones too."""
    return list(conn.execute(select(memories.c.row).where(_tagged(tag))).scalars())


def sharing(
    conn: Connection, terms: Sequence[str], project_id: str | None, *, after: int, limit: int
) -> list[int]:
    """The rows with a higher number than `after`, of a project and of what holds everywhere, that
    say some of the terms, the best first."""
    places = places_of(project_id)
    return dialect_of(conn).sharing(conn, terms, places, after=after, limit=limit)


def rows_naming(
    conn: Connection, *, files: Sequence[str], folders: Collection[str]
) -> list[tuple[int, str]]:
    """The rows of memories that name one of `files` or a file right in one of `folders`, each with
    the path it names."""
    named = select(memories.c.row, memory_files.c.path).where(
        memory_files.c.memory_id == memories.c.id,
        or_(
            memory_files.c.path.in_(files),
            *(memory_files.c.path.startswith(f"{folder}/", autoescape=True) for folder in folders),
        ),
    )
    return [
        (row, path)
        for row, path in conn.execute(named)
        if path in files or path.rpartition("/")[0] in folders
    ]


def expired(conn: Connection, *, deleted_before_ms: int) -> list[str]:
    """Ids whose days of grace are over."""
    query = select(memories.c.id).where(memories.c.deleted_at < deleted_before_ms)
    return list(conn.execute(query).scalars())


def provenance_of(conn: Connection, id_: str) -> list[Provenance]:
    """The chain of a memory's sources, oldest first."""
    query = select(provenance).where(provenance.c.memory_id == id_).order_by(provenance.c.position)
    return [
        Provenance(
            source=Origin(row.source),
            at=from_ms(row.at),
            session_id=row.session_id,
            snippet=row.snippet,
            confidence_reason=row.confidence_reason,
            file=row.file,
            line=row.line,
            actor=row.actor,
            agent=row.agent,
            branch=row.branch,
            commit_id=row.commit_id,
        )
        for row in conn.execute(query)
    ]


def add_source(tx: Tx, id_: str, entry: Provenance) -> None:
    """Add one link to the chain of the sources of a memory that was there before."""
    key = {"tenant_id": tx.actor.tenant_id, "memory_id": id_}
    position = add_provenance(tx, id_, entry)
    row_history.made(tx, provenance, key | {"position": position}, memory_id=id_)


def add_provenance(tx: Tx, id_: str, entry: Provenance) -> int:
    """Add one link to the chain of a new memory's sources; returns its place."""
    position = tx.conn.execute(
        _ADD_PROVENANCE,
        {
            "of_memory": id_,
            "memory_id": id_,
            "source": entry.source.value,
            "session_id": entry.session_id,
            "at": to_ms(entry.at),
            "snippet": entry.snippet,
            "confidence_reason": entry.confidence_reason,
            "file": entry.file,
            "line": entry.line,
            "actor": entry.actor,
            "agent": entry.agent,
            "branch": entry.branch,
            "commit_id": entry.commit_id,
        },
    ).scalar_one()
    return int(position)


def with_triggers(conn: Connection) -> list[Memory]:
    """Every active memory that may speak up by itself: it has triggers, or warns about files.
    A damaged one is left out."""
    speaking = [kind.value for kind, rule in RULES.items() if rule.may_trigger]
    has_trigger = select(triggers.c.memory_id).where(triggers.c.memory_id == memories.c.id)
    has_file = select(memory_files.c.memory_id).where(memory_files.c.memory_id == memories.c.id)
    query = _WHOLE.where(
        memories.c.kind.in_(speaking),
        memories.c.status.in_(ACTIVE),
        memories.c.deleted_at.is_(None),
        or_(has_trigger.exists(), has_file.exists()),
    )
    return [_memory(held) for held in _intact_of(conn.execute(query))]


def damaged(conn: Connection, ids: Sequence[str] | None = None) -> list[str]:
    """Ids of rows that are not what was written; of all, or of those with `ids`."""
    wanted = _WHOLE if ids is None else _WHOLE.where(memories.c.id.in_(ids))
    return _damaged_of(conn.execute(wanted))


def damaged_after(conn: Connection, row: int, *, limit: int) -> tuple[list[str], int]:
    """Ids of rows that are not what was written, among the next after a row; and the last of
    these, or 0 where there are no more."""
    query = _WHOLE.where(memories.c.row > row).order_by(memories.c.row).limit(limit)
    found = conn.execute(query).all()
    return _damaged_of(found), found[-1].row if len(found) == limit else 0


def _damaged_of(rows: Iterable[Row[Any]]) -> list[str]:
    return [str(held["id"]) for row in rows if not _intact(held := _named(row))]


def astray(conn: Connection) -> list[str]:
    """Ids of intact memories that are looked up by other files, tags or triggers than they have."""
    filed, tagged, triggered = _looked_up(conn)
    found = []
    for held in _intact_of(conn.execute(_WHOLE)):
        id_, own = held["id"], json.loads(held["attached"])
        files, names = sorted(filed.get(id_, [])), sorted(tagged.get(id_, []))
        own[:2] = [[path] for path in own[0]], [[tag] for tag in own[1]]
        if [files, names, triggered.get(id_, [])] != own:
            found.append(id_)
    return found


def _looked_up(conn: Connection) -> list[dict[str, list[list[Any]]]]:
    """The files, tags and triggers that memories are looked up by, each by the memory's id."""
    queries: tuple[Select[Any], ...] = (
        select(memory_files.c.memory_id, memory_files.c.path),
        select(memory_tags.c.memory_id, memory_tags.c.tag),
        select(
            triggers.c.memory_id, triggers.c.kind, triggers.c.pattern, triggers.c.target
        ).order_by(triggers.c.position),
    )
    found: list[dict[str, list[list[Any]]]] = []
    for query in queries:
        held: dict[str, list[list[Any]]] = {}
        for id_, *said in conn.execute(query):
            held.setdefault(id_, []).append(said)
        found.append(held)
    return found


def attach_again(tx: Tx, ids: Sequence[str]) -> None:
    """Write anew what intact memories are looked up by."""
    for memory in by_ids(tx.conn, ids):
        _delete_children(tx.conn, [memory.id])
        _write_children(tx, memory)
    note_told(tx)


def _checked(rows: Iterable[Row[Any]]) -> list[Memory]:
    """Memories from their rows; raises where one is not what was written."""
    found = [_named(row) for row in rows]
    for held in found:
        if not _intact(held):
            raise Damaged(
                f"Memory {short_id(held['id'])} is not what was written: "
                "its checksum does not fit.",
                hint="`lore backup restore` brings it back from a backup, if one holds it.",
            )
    return [_memory(held) for held in found]


def _intact_of(rows: Iterable[Row[Any]]) -> list[dict[str, Any]]:
    return [held for row in rows if _intact(held := _named(row))]


def _intact(held: dict[str, Any]) -> bool:
    return checksum(held) == str(held["checksum"])


def _named(row: Row[Any]) -> dict[str, Any]:
    """A row of `_WHOLE` by its columns; several times faster than asking the row for each."""
    return dict(zip(_NAMES, row, strict=True))


def _memory(held: dict[str, Any]) -> Memory:
    values: dict[str, Any] = dict(zip(_READ, _read(held), strict=True))
    values |= {name: from_ms(held[name]) for name in _READ_TIMES}
    values |= {name: optional_time(held[name]) for name in _OPTIONAL_TIMES} | _plausible(held)
    procedure = held["procedure"]
    return Memory(
        **values,
        kind=Kind(held["kind"]),
        status=Status(held["status"]),
        scope=Scope(held["scope"]),
        origin=Origin(held["origin"]),
        visibility=Visibility(held["visibility"]),
        procedure=procedure_from(json.loads(procedure)) if procedure else None,
        **_attached(held["attached"]),
    )


def _attached(held: str) -> dict[str, Any]:
    """The files, tags and triggers of a row; most have none."""
    if held == NOTHING_ATTACHED:
        return {}
    files, tagged, triggered = json.loads(held)
    return {
        "files": tuple(files),
        "tags": tuple(tagged),
        "triggers": tuple(Trigger(*said) for said in triggered),
    }


def _plausible(held: dict[str, Any]) -> dict[str, Any]:
    """How often and when a memory was last used, which no checksum covers: as it is stored, or as
    if it had not been used where that cannot be."""
    count, at = held["uses"], held["last_accessed_at"]
    counted = isinstance(count, int) and count >= 0
    dated = isinstance(at, int) and 0 <= at < LAST_MS
    return {
        "uses": count if counted else 0,
        "last_accessed_at": from_ms(at if dated else held["created_at"]),
    }


def row_values(memory: Memory) -> dict[str, Any]:
    """The columns of a memory's row as they are stored, with their checksum."""
    procedure = memory.procedure
    values: dict[str, Any] = {name: getattr(memory, name) for name in _SAME}
    values |= {name: to_ms(getattr(memory, name)) for name in _TIMES}
    values |= {name: optional_ms(getattr(memory, name)) for name in _OPTIONAL_TIMES}
    values |= {
        "kind": memory.kind.value,
        "is_code": is_code(memory.content),
        "status": memory.status.value,
        "scope": memory.scope.value,
        "origin": memory.origin.value,
        "visibility": memory.visibility.value,
        "procedure": None
        if procedure is None
        else json.dumps(
            {
                "name": procedure.name,
                "trigger": procedure.trigger,
                "steps": procedure.steps,
                "prerequisites": procedure.prerequisites,
                "warnings": procedure.warnings,
            },
            ensure_ascii=False,
        ),
        "attached": attached(memory),
    }
    return values | {"checksum": checksum(values)}


def _write_children(tx: Tx, memory: Memory) -> None:
    conn, id_ = tx.conn, memory.id
    if memory.files:
        rows = [{"memory_id": id_, "path": path} for path in dict.fromkeys(memory.files)]
        conn.execute(insert(memory_files), rows)
    for tag in dict.fromkeys(memory.tags):
        known = select(tags.c.name).where(tags.c.tenant_id == memory.tenant_id, tags.c.name == tag)
        if conn.execute(known).first() is None:
            conn.execute(
                insert(tags).values(tenant_id=memory.tenant_id, name=tag, created_at=to_ms(tx.now))
            )
        conn.execute(insert(memory_tags).values(memory_id=id_, tag=tag))
    if memory.triggers:
        conn.execute(
            insert(triggers),
            [
                {
                    "memory_id": id_,
                    "position": position,
                    "kind": trigger.kind,
                    "pattern": trigger.pattern,
                    "target": trigger.on,
                }
                for position, trigger in enumerate(memory.triggers)
            ],
        )


def _delete_children(conn: Connection, ids: Sequence[str]) -> None:
    for table in (memory_files, memory_tags, triggers):
        conn.execute(delete(table).where(table.c.memory_id.in_(ids)))


def _drop_unused_tags(tx: Tx, before: Memory) -> None:
    for name in before.tags:
        used = select(memory_tags.c.tag).where(memory_tags.c.tag == name)
        if tx.conn.execute(used).first() is None:
            one = and_(tags.c.name == name, tags.c.description == "")
            with row_history.kept(tx, tags, one, memory_id=before.id):
                tx.conn.execute(delete(tags).where(one))


def _where(wanted: Filter) -> ColumnElement[bool]:
    terms: list[ColumnElement[bool]] = [memories.c.tenant_id == wanted.tenant_id]
    terms.append(
        memories.c.deleted_at.is_not(None) if wanted.deleted else memories.c.deleted_at.is_(None)
    )
    if not wanted.everywhere:
        here = memories.c.project_id == wanted.project_id
        terms.append(or_(here, memories.c.scope == Scope.GLOBAL.value))
    if wanted.statuses:
        terms.append(memories.c.status.in_([status.value for status in wanted.statuses]))
    if wanted.ids is not None:
        terms.append(memories.c.id.in_(wanted.ids))
    if wanted.written_by:
        begins = (memories.c.created_by.startswith(one) for one in wanted.written_by)
        terms.append(or_(*begins))
    if wanted.kinds:
        terms.append(memories.c.kind.in_([kind.value for kind in wanted.kinds]))
    if wanted.pinned is not None:
        terms.append(memories.c.pinned.is_(wanted.pinned))
    if wanted.session_id is not None:
        terms.append(memories.c.session_id == wanted.session_id)
    if wanted.fingerprint is not None:
        terms.append(memories.c.fingerprint == wanted.fingerprint)
    if wanted.tag is not None:
        terms.append(_tagged(wanted.tag))
    if wanted.file is not None:
        terms.append(_has(memory_files.c.path, wanted.file))
    return and_(true(), *terms)


def _tagged(tag: str) -> ColumnElement[bool]:
    """Whether somebody gave a memory that tag, or it was inferred and nobody took it away."""
    inferred = select(inferred_tags.c.memory_id).where(
        inferred_tags.c.tag == tag, inferred_tags.c.refused.is_(False)
    )
    return or_(_has(memory_tags.c.tag, tag), memories.c.id.in_(inferred))


def _has(column: Column[Any], value: str) -> ColumnElement[bool]:
    """Whether a memory is looked up by that file or tag, and its own row says so too."""
    found = select(column.table.c.memory_id).where(column == value)
    said = contains(memories.c.attached, json.dumps(value, ensure_ascii=False))
    return and_(memories.c.id.in_(found), said)


def fingerprints(conn: Connection, project_id: str) -> set[str]:
    """The fingerprints of all memories of a project, whatever became of them."""
    query = select(memories.c.fingerprint).where(memories.c.project_id == project_id)
    return set(conn.execute(query).scalars())


def snippets(conn: Connection, project_id: str, origin: Origin) -> set[str]:
    """What memories of a project were made from, as their sources of that origin have it."""
    query = (
        select(provenance.c.snippet)
        .join(memories, memories.c.id == provenance.c.memory_id)
        .where(memories.c.project_id == project_id, provenance.c.source == origin.value)
    )
    return set(conn.execute(query).scalars())


def about(conn: Connection, project_id: str, paths: Iterable[str]) -> list[Memory]:
    """The confirmed memories of a project that name any of `paths`, the most important first."""
    wanted = list(paths)
    ids: dict[str, None] = {}
    for start in range(0, len(wanted), _PATHS_AT_ONCE):
        query = (
            select(memories.c.id)
            .join(memory_files, memory_files.c.memory_id == memories.c.id)
            .where(
                memories.c.project_id == project_id,
                memories.c.status == Status.CONFIRMED.value,
                memories.c.deleted_at.is_(None),
                memory_files.c.path.in_(wanted[start : start + _PATHS_AT_ONCE]),
            )
        )
        ids.update(dict.fromkeys(conn.execute(query).scalars()))
    found = by_ids(conn, list(ids))
    return sorted(found, key=lambda memory: (-memory.importance, -to_ms(memory.created_at)))


_PATHS_AT_ONCE = 500
