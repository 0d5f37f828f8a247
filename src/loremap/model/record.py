"""A memory as plain JSON-ready data, and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import datetime
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
    {"created_at", "updated_at", "last_accessed_at", "valid_until", "deleted_at"},
)
_CHECKED = (
    "id", "tenant_id", "owner_id", "project_id", "kind", "scope", "content", "summary",
    "origin", "fingerprint", "procedure", "created_at",
)  # fmt: skip
_said = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def to_record(memory: Memory) -> dict[str, Any]:
    """`memory` as data that JSON can hold, every field of it."""
    record = asdict(memory)
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


def checksum(values: Mapping[str, Any]) -> str:
    """SHA-256 over what a stored row says, so that a changed byte is noticed when it is read."""
    said = _said([values[name] for name in _CHECKED])
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
