"""The simple part of YAML: block mappings, block lists and one-line values, with their lines.

Anchors, aliases, tags and flow mappings are not followed: what is needed of the few files read here
is a handful of keys, and a file that writes them otherwise yields nothing rather than a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_KEY = re.compile(
    r"""("[^"]*"|'[^']*'|[^\s#:{}\[\],&*!|>'"-][^#:{}\[\]]*|-[^\s#:{}\[\]]+)\s*:(?:\s+(.*))?$"""
)
_BLOCK_TEXT = re.compile(r"[|>][+-]?\d?[+-]?$")
_LONGEST_LINE = 1_000
_DEEPEST = 24


@dataclass(frozen=True, slots=True)
class Entry:
    """One value, the keys and list positions that lead to it, and its line."""

    path: tuple[str, ...]
    value: str
    line: int


def entries(text: str) -> list[Entry]:
    """Every plain value in `text`, in order."""
    return [entry for entry in _entries(text) if len(entry.path) <= _DEEPEST]


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


def _entries(text: str) -> Iterator[Entry]:
    above = list[tuple[float, str]]()
    counts = dict[tuple[str, ...], int]()
    block_indent: float | None = None
    for number, raw in enumerate(text.split("\n"), start=1):
        line = _without_comment(raw.rstrip())
        indent: float = len(line) - len(line.lstrip(" "))
        content = line.strip()
        if block_indent is not None and (not content or indent > block_indent):
            continue
        block_indent = None
        if not content or content in ("---", "...") or "\t" in line or len(line) > _LONGEST_LINE:
            continue
        while content == "-" or content.startswith("- "):
            _leave(above, indent + 0.5)
            path = tuple(part for _, part in above)
            counts[path] = counts.get(path, -1) + 1
            above.append((indent + 0.5, str(counts[path])))
            rest = content[1:].lstrip(" ")
            indent += len(content) - len(rest)
            content = rest
        key = _KEY.match(content)
        if key is not None:
            _leave(above, indent)
            above.append((indent, _unquoted(key[1].strip())))
            content = (key[2] or "").strip()
        if _BLOCK_TEXT.fullmatch(content):
            block_indent = indent if key is not None else indent - 1
        elif content:
            yield from _values(tuple(part for _, part in above), content, number)


def _leave(above: list[tuple[float, str]], indent: float) -> None:
    while above and above[-1][0] >= indent:
        above.pop()


def _values(path: tuple[str, ...], content: str, line: int) -> Iterator[Entry]:
    if content.startswith("[") and content.endswith("]"):
        for index, item in enumerate(content[1:-1].split(",")):
            if item.strip():
                yield Entry((*path, str(index)), _unquoted(item.strip()), line)
    else:
        yield Entry(path, _unquoted(content), line)


def _without_comment(line: str) -> str:
    if "#" not in line or len(line) > _LONGEST_LINE:
        return line
    quote = ""
    for at, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'" and (at == 0 or line[at - 1] in " [,:"):
            quote = sign
        elif sign == "#" and (at == 0 or line[at - 1] == " "):
            return line[:at].rstrip()
    return line


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def _scalar(value: str) -> object:
    if value in ("true", "True", "false", "False"):
        return value.lower() == "true"
    return int(value) if re.fullmatch(r"-?\d{1,9}", value) else value
