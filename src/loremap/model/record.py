"""A memory as plain JSON-ready data, and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from operator import itemgetter
from typing import Any

from loremap.model.kind import Kind
from loremap.model.memory import Memory, Origin, Procedure, Scope, Status, Trigger, Visibility

_ENUMS = {
    "kind": Kind,
    "status": Status,
    "scope": Scope,
    "origin": Origin,
    "visibility": Visibility,
}
_TIMES = frozenset(
    {
        "created_at",
        "updated_at",
        "last_accessed_at",
        "valid_until",
        "promoted_at",
        "judged_at",
        "deleted_at",
    },
)
USES = frozenset({"uses", "last_accessed_at"})
"""What every use of a memory changes; a checksum does not cover it."""
_KEPT = tuple(
    sorted({field.name for field in fields(Memory)} - USES - {"files", "tags", "triggers"})
)
_summed = itemgetter(*_KEPT, "attached")
_AS_IT_IS = frozenset({str, float, type(None)})
_FIELDS = tuple(field.name for field in fields(Memory))
_said = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def to_record(memory: Memory) -> dict[str, Any]:
    """`memory` as data that JSON can hold, every field of it."""
    record: dict[str, Any] = {name: getattr(memory, name) for name in _FIELDS}
    record["procedure"] = None if memory.procedure is None else asdict(memory.procedure)
    record["triggers"] = [asdict(trigger) for trigger in memory.triggers]
    for name in _TIMES:
        if record[name] is not None:
            record[name] = record[name].isoformat(timespec="milliseconds")
    for name in _ENUMS:
        record[name] = record[name].value
    record["files"], record["tags"] = list(memory.files), list(memory.tags)
    return record


def from_record(record: Mapping[str, Any]) -> Memory:
    """The memory that `to_record` wrote; fields it does not know are passed over."""
    known = {field.name for field in fields(Memory)}
    values = {name: value for name, value in record.items() if name in known}
    for name, enum in _ENUMS.items():
        values[name] = enum(values[name])
    for name in _TIMES:
        if values.get(name) is not None:
            values[name] = datetime.fromisoformat(values[name])
    values["files"] = tuple(values.get("files") or ())
    values["tags"] = tuple(values.get("tags") or ())
    values["triggers"] = tuple(Trigger(**entry) for entry in values.get("triggers") or ())
    values["procedure"] = procedure_from(values.get("procedure"))
    return Memory(**values)


def procedure_from(data: Mapping[str, Any] | None) -> Procedure | None:
    """A procedure from its plain data."""
    if data is None:
        return None
    return Procedure(
        name=data["name"],
        trigger=data.get("trigger", ""),
        steps=tuple(data.get("steps") or ()),
        prerequisites=tuple(data.get("prerequisites") or ()),
        warnings=tuple(data.get("warnings") or ()),
    )


def attached(memory: Memory) -> str:
    """The files, tags and triggers of a memory, as its row keeps them."""
    triggers = [(each.kind, each.pattern, each.on) for each in memory.triggers]
    return as_attached(sorted(set(memory.files)), sorted(set(memory.tags)), triggers)


def as_attached(
    files: Sequence[str], tags: Sequence[str], triggers: Sequence[Sequence[str]]
) -> str:
    """What is attached to a memory, in order, as its row keeps it."""
    return _said([files, tags, triggers])


def checksum(values: Mapping[str, Any]) -> str:
    """SHA-256 over what the stored row of a memory says, so that a changed byte is noticed when it
    is read."""
    return digest(*_summed(values))


def digest(*values: object) -> str:
    """SHA-256 over the values of a row, each as the database gives it back."""
    said = _said([value if type(value) in _AS_IT_IS else _as_stored(value) for value in values])
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _as_stored(value: object) -> object:
    """A number is one number, whichever type it was given in; bytes stand where damage put them."""
    if isinstance(value, bytes):
        return repr(value)
    return float(value) if isinstance(value, int) else value
