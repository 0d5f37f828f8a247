"""YAML as its plain values, each with the path that leads to it and its line; never constructed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_ENTRIES = 20_000
_DEEPEST = 24


@dataclass(frozen=True, slots=True)
class Entry:
    """One value, the keys and list positions that lead to it, and its line."""

    path: tuple[str, ...]
    value: str
    line: int
    block: bool = False
    """It is written as a block of lines; `line` is the one before the first."""


def entries(text: str) -> list[Entry]:
    """Every plain value in `text`, in order; none where it is not YAML."""
    import yaml

    found = list[Entry]()
    try:
        root = yaml.compose(text.replace("\t", "  "), Loader=yaml.SafeLoader)
        for entry in _entries(root, ()):
            found.append(entry)
            if len(found) >= MAX_ENTRIES:  # aliases may repeat without end
                break
    except (yaml.YAMLError, RecursionError, ValueError):
        return []
    return found


def _entries(node: object, path: tuple[str, ...]) -> Iterator[Entry]:
    import yaml

    if len(path) > _DEEPEST:
        return
    match node:
        case yaml.MappingNode():
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode):
                    yield from _entries(value, (*path, key.value))
        case yaml.SequenceNode():
            for position, value in enumerate(node.value):
                yield from _entries(value, (*path, str(position)))
        case yaml.ScalarNode():
            line = node.start_mark.line + 1
            yield Entry(path, node.value, line, block=node.style in ("|", ">"))
        case _:
            pass


def matching(found: list[Entry], *pattern: str) -> list[Entry]:
    """The entries whose path is `pattern`, in which `*` stands for any one part."""
    return [
        entry
        for entry in found
        if len(entry.path) == len(pattern)
        and all(part in ("*", own) for part, own in zip(pattern, entry.path, strict=True))
    ]


def yaml_data(text: str) -> dict[str, object]:
    """`text` as nested mappings, in which a list is a mapping from its positions."""
    data = dict[str, object]()
    for entry in entries(text):
        node = data
        for part in entry.path[:-1]:
            inner = node.setdefault(part, {})
            if not isinstance(inner, dict):
                inner = node[part] = {}
            node = inner
        if entry.path:
            node[entry.path[-1]] = _scalar(entry.value)
    return data


def _scalar(value: str) -> object:
    if value in ("true", "True", "false", "False"):
        return value.lower() == "true"
    return int(value) if re.fullmatch(r"-?\d{1,9}", value) else value
