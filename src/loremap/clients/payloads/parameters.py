"""A tool's input as it is kept: in JSON, secrets taken out, long values cut, little of what is
nested.

A value alone may not show that it is a secret: its name does, or the word before it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loremap.clients.payloads.cleaned import clean
from loremap.model.text import visible
from loremap.safety.echoes import Secrets
from loremap.safety.private_parts import without_private
from loremap.safety.redaction import redacted

VALUE_CHARACTERS = 500
PARAMETERS_BYTES = 4_096
_PROGRAMS = ("command", "cmd", "program", "executable", "file")
_NAMES, _VALUES = ("name", "key", "variable", "header"), ("value", "val")


def parameters(given: Mapping[str, Any]) -> tuple[str, Secrets]:
    """What is kept of a tool's input, and the secrets that it gave away."""
    shown = {
        visible(str(name))[:100]: _value(value, depth=3, most=4 * VALUE_CHARACTERS)
        for name, value in list(given.items())[:50]
    }
    spoken = redacted("\n".join(_spoken(shown)))
    if spoken.findings:
        shown = _bare(_without_secrets(shown), spoken.secrets)
    return _fitted(_cut(shown)), spoken.secrets


def _bare(value: Any, known: Secrets) -> Any:
    """A value without the secrets that another one gave away."""
    if isinstance(value, str):
        return redacted(value, known).text
    if isinstance(value, Mapping):
        return {redacted(name, known).text: _bare(item, known) for name, item in value.items()}
    return [_bare(item, known) for item in value] if isinstance(value, list) else value


def _value(value: Any, *, depth: int, most: int) -> Any:
    """A value with little of what is nested in it."""
    if isinstance(value, str):
        value = without_private(value)
        return visible(value[:most].rsplit(maxsplit=1)[0] if len(value) > most else value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such number, and databases refuse it
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth and isinstance(value, Mapping):
        first = list(value.items())[:20]
        return {
            visible(str(name))[:100]: _value(item, depth=depth - 1, most=most)
            for name, item in first
        }
    if depth and isinstance(value, list):
        return [_value(item, depth=depth - 1, most=most) for item in value[:20]]
    return "…"


def _spoken(value: Any, name: str = "") -> Iterator[str]:
    """Every text in a value, each after its name, and what several of them say together."""
    if isinstance(value, Mapping):
        yield from filter(None, (_called(value), _line(value)))
        for inner, item in value.items():
            yield from _spoken(item, str(inner))
    elif isinstance(value, list):
        yield _joined(value)
        for item in value:
            yield from _spoken(item, name)
    elif value is not None and not isinstance(value, bool):
        yield f"{name}: {value}" if name else str(value)


def _joined(words: Sequence[Any]) -> str:
    """The words of a command line that is given as a list."""
    return " ".join(str(word) for word in words if isinstance(word, str | int | float))


def _line(given: Mapping[str, Any]) -> str:
    """The command line of a program that is given apart from its arguments."""
    program = next((given[name] for name in _PROGRAMS if isinstance(given.get(name), str)), "")
    lists = [_joined(value) for value in given.values() if isinstance(value, list)]
    return " ".join((program, *lists)) if program and lists else ""


def _called(given: Mapping[str, Any]) -> str:
    """`NAME: value` where both are values of their own."""
    name = next((given[field] for field in _NAMES if isinstance(given.get(field), str)), "")
    value = next((given[field] for field in _VALUES if isinstance(given.get(field), str)), "")
    return f"{name}: {value}" if name and value else ""


def _without_secrets(given: Mapping[str, Any]) -> dict[str, Any]:
    """Fields without secrets; those that are one only together go together."""
    kept = {clean(name): _hidden(name, value) for name, value in given.items()}
    if _tells(_called(kept)):
        kept |= {field: "[REDACTED]" for field in _VALUES if field in kept}
    if _tells(line := _line(kept)):
        lists = [field for field, value in kept.items() if isinstance(value, list)]
        kept |= dict.fromkeys(lists, "[REDACTED]")
        kept |= {field: clean(line) for field in _PROGRAMS if isinstance(kept.get(field), str)}
    return kept


def _tells(text: str) -> bool:
    return bool(text) and redacted(text).text != text


def _hidden(name: str, value: Any) -> Any:
    """A value without its secrets, and without what its name shows to be one."""
    if isinstance(value, Mapping):
        return _without_secrets(value)
    if isinstance(value, list):
        kept = [_hidden(name, item) for item in value]
        return clean(_joined(kept)) if _tells(_joined(kept)) else kept
    if value is None or isinstance(value, bool):
        return value
    told = f"{name}: {value}"
    kept_text = redacted(told).text
    if kept_text == told and not redacted(str(value)).findings:
        return value
    named = f"{name}: "
    return kept_text.removeprefix(named) if kept_text.startswith(named) else clean(str(value))


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value[:VALUE_CHARACTERS]
    if isinstance(value, Mapping):
        return {name: _cut(item) for name, item in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list) else value


def _fitted(shown: Mapping[str, Any]) -> str:
    """As many of the fields as there is room for."""
    kept: dict[str, Any] = {}
    room = PARAMETERS_BYTES
    for name, value in shown.items():
        room -= len(json.dumps({name: value}, ensure_ascii=False).encode("utf-8", "replace"))
        if room < 64:
            kept["…"] = len(shown) - len(kept)
            break
        kept[name] = value
    return json.dumps(kept, ensure_ascii=False)
