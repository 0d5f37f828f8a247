"""An answer in the shape that a client takes it in: the resident's, and that of a hook which stands
in for it. Imports nothing, because an agent waits for it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def parts_of(
    forms: Mapping[str, Mapping[str, Any]],
    name: str,
    *,
    context: str = "",
    notice: str = "",
    hold: str = "",
) -> dict[str, Any]:
    """What is said at the event that a client calls `name`, as the object it reads by its forms
    (`clients/replies.py`); empty where nothing is said."""
    said = {"@event": name, "@context": context, "@notice": notice, "@hold": hold}
    parts: dict[str, Any] = {}
    for mark, form in forms.items():
        if said[mark]:
            _fill(parts, form, said)
    return parts


def _fill(parts: dict[str, Any], form: Mapping[str, Any], said: Mapping[str, str]) -> None:
    """Put into the object what a form adds to it."""
    for field, value in form.items():
        if isinstance(value, str):
            parts[field] = said.get(value, value)
        elif isinstance(value, bool):
            parts[field] = value
        else:
            _fill(parts.setdefault(field, {}), value, said)
