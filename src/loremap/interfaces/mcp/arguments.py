"""What a tool takes: one table of fields that makes its schema and reads what was given."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from loremap.errors import BadInput

Type = Literal["string", "integer", "number", "boolean", "strings", "object"]
ID_OF_DIGITS = range(10**7, 10**32)
LONGEST_GIVEN = 40
"""Letters of a wrong value that are said again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One argument of a tool."""

    name: str
    type: Type = "string"
    says: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


def schema(fields: Sequence[Field]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    made: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: _property(field) for field in fields},
    }
    required = [field.name for field in fields if field.required]
    return made | {"required": required} if required else made


def _property(field: Field) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "array" if field.type == "strings" else field.type}
    if field.type == "strings":
        made["items"] = {"type": "string"}
    if field.choices:
        made["enum"] = list(field.choices)
    if field.low is not None:
        made["minimum"] = field.low
    if field.high is not None:
        made["maximum"] = field.high
    if field.says:
        made["description"] = field.says
    return made


def read(fields: Sequence[Field], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as their types; raises BadInput in one line where they do not fit.

    A name nobody knows is left out, unless it looks like one of ours: clients add their own.
    """
    known = {field.name: field for field in fields}
    for name in given:
        passed = name in known or len(name) > LONGEST_GIVEN
        near = [] if passed else difflib.get_close_matches(name, known, n=1, cutoff=0.7)
        if near and near[0] not in given:
            raise BadInput(f"There is no argument {name!r}.", hint=f"Did you mean {near[0]!r}?")
    found = {name: value for name, value in given.items() if name in known and value is not None}
    for field in fields:
        value = found.get(field.name)
        if field.required and (value is None or (isinstance(value, str) and not value.strip())):
            raise BadInput(f"{field.name!r} is missing.", hint=f"Give {field.says or field.name}.")
    return {name: _checked(known[name], value) for name, value in found.items()}


def _checked(field: Field, value: Any) -> Any:
    taken = _taken(field, value)
    if taken is None:
        kind = "a list of texts" if field.type == "strings" else f"a {field.type}"
        raise BadInput(f"{field.name!r} takes {kind}, not {_shown(value)}.")
    if field.choices and taken not in field.choices:
        raise BadInput(
            f"{field.name!r} cannot be {_shown(value)}.",
            hint=f"Say one of: {', '.join(field.choices)}.",
        )
    low, high = field.low, field.high
    if (low is not None and taken < low) or (high is not None and taken > high):
        raise BadInput(f"{field.name!r} takes a number from {low:g} to {high:g}, not {taken:g}.")
    return taken


def _shown(value: Any) -> str:
    """A wrong value as it is said again."""
    try:
        return repr(str(value)[:LONGEST_GIVEN])
    except ValueError:  # Python writes no number of more than 4,300 digits
        return "a number that long"


def _taken(field: Field, value: Any) -> Any:
    """`value` as the field's type, or None where it is no such thing.

    Models write a number or a flag as text now and then, one text for a list of one, and an id that
    happens to be made of digits as a number.
    """
    if field.type == "strings":
        items = [value] if isinstance(value, str) else value
        fits = isinstance(items, list) and all(isinstance(item, str) for item in items)
        return tuple(item for item in items if item.strip()) if fits else None
    if field.type == "boolean":
        said = {"true": True, "false": False}
        given = value.lower() if isinstance(value, str) else ""
        return value if isinstance(value, bool) else said.get(given)
    if field.type in ("integer", "number"):
        return _number(field, value)
    if field.type == "string" and type(value) is int and value in ID_OF_DIGITS:
        return str(value)
    return value if isinstance(value, str if field.type == "string" else Mapping) else None


def _number(field: Field, value: Any) -> float | int | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(number):
        return None
    if field.type == "number":
        return number
    return int(number) if number.is_integer() else None
