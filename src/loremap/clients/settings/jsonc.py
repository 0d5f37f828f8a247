"""Puts values into a JSON text and takes them out again; every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Set
from typing import Any, Final

from loremap.clients.settings.jsonc_tree import Member, Node, tree
from loremap.errors import BadInput

END: Final = -1
"""As the last step of a path: behind the last item of an array."""
ANY: Final = None
"""As a step of a path to what is removed: whatever is there."""

Path = tuple[str | int, ...]
Pattern = tuple[str | None, ...]


def parsed(text: str) -> Any:
    """The value of a text, comments left out; None for a text that holds none."""
    node = tree(text)
    return None if node is None else node.value


def inserted(text: str, path: Path, value: Any) -> str:
    """The text with `value` at `path`; objects and arrays on the way are made where missing."""
    root = tree(text)
    if root is None:
        return _begun(text, _nested(path, value))
    holder = root
    for depth, step in enumerate(path):
        _refuse_other_shape(holder, path[:depth], array=step == END)
        found = _member(holder, step)
        if found is None:
            return _added(
                text, root, holder=holder, key=step, value=_nested(path[depth + 1 :], value)
            )
        if depth + 1 == len(path):
            return _replaced(text, root, found.node, value)
        holder = found.node
    raise ValueError("a path has at least one step")


def removed(
    text: str,
    pattern: Pattern,
    is_ours: Callable[[Any], bool],
    *,
    kept: Set[Path] = frozenset(),
) -> str:
    """The text without the values at `pattern` that are ours.

    What they leave empty goes with them, but for the objects and arrays at `kept`.
    """
    while True:
        root = tree(text)
        chain = None if root is None else next(_chains(root, pattern, is_ours), None)
        if chain is None:
            return text
        text = _without(text, chain, kept)


def containers(text: str) -> frozenset[Path]:
    """The paths of all objects and arrays that are reached by keys alone."""
    root = tree(text)
    return frozenset(_containers(root, ())) if root is not None else frozenset()


def _containers(node: Node, path: Path) -> Iterator[Path]:
    if node.holds:
        yield path
    if isinstance(node.value, dict):
        for member in node.members:
            yield from _containers(member.node, (*path, member.key))


def _nested(path: Path, value: Any) -> Any:
    for step in reversed(path):
        value = [value] if step == END else {str(step): value}
    return value


def _member(holder: Node, key: str | int) -> Member | None:
    """The member under a key: the last one, as every reader of JSON has it."""
    found = [member for member in holder.members if member.key == key]
    return found[-1] if found else None


def _refuse_other_shape(node: Node, path: Path, *, array: bool) -> None:
    if not isinstance(node.value, list if array else dict):
        where = ".".join(map(str, path)) or "the whole"
        raise BadInput(f"{where} is not {'an array' if array else 'an object'}")


def _begun(text: str, value: Any) -> str:
    """A text of nothing but comments, with a value at its end."""
    line = _newline(text)
    between = line if text.strip("\ufeff \t\r\n") and not text.endswith("\n") else ""
    return text + between + _shown(value, indent="", unit="  ", line=line) + line


def _replaced(text: str, root: Node, node: Node, value: Any) -> str:
    """The text with another value in the place of one, on one line where that was."""
    if node.members and "\n" not in text[node.start : node.end]:
        shown = _inline(value)
    else:
        indent = _indent_at(text, node.start)
        shown = _shown(value, indent=indent, unit=_unit(text, root), line=_newline(text))
    return text[: node.start] + shown + text[node.end :]


def _added(text: str, root: Node, *, holder: Node, key: str | int, value: Any) -> str:
    """The text with a member more in `holder`, in the manner of those that are there."""
    line, unit, tail = _newline(text), _unit(text, root), holder.tail.at
    last = holder.members[-1] if holder.members else None
    broken = _is_broken(text, holder, root)
    own = _indent_at(text, holder.start)
    indent = _indent_at(text, holder.members[0].start) if last else own + unit
    entry = _shown(value, indent=indent, unit=unit, line=line) if broken else _inline(value)
    if key != END:
        entry = f"{_inline(str(key))}: {entry}"
    if last is not None and last.comma is not None:
        entry += ","
    if broken:
        entry = line + indent + entry
    elif last is not None:
        entry = " " + entry
    rest = text[tail:]
    if broken and last is None and "\n" not in text[tail : holder.end]:
        rest = line + own + rest.lstrip(" \t")
    if last is None or last.comma is not None:
        return text[:tail] + entry + rest
    return text[: last.node.end] + "," + text[last.node.end : tail] + entry + rest


def _is_broken(text: str, holder: Node, root: Node) -> bool:
    """Whether the members of `holder` stand on lines of their own."""
    if holder.tail.in_line_comment:
        return True
    if holder.members:
        return "\n" in text[holder.start : holder.members[0].start]
    if holder is root or not root.members:
        return True
    return "\n" in text[root.start : root.end] or "\n" in text[holder.start : holder.end]


def _without(text: str, chain: list[tuple[Node, Member]], kept: Set[Path]) -> str:
    """The text without the last member of a chain, or the container it leaves empty."""
    depth = len(chain) - 1
    while depth > 0 and _holds_nothing_else(text, *chain[depth]):
        if tuple(member.key for _, member in chain[:depth]) in kept:
            break
        depth -= 1
    holder, member = chain[depth]
    end = member.node.end if member.comma is None else member.comma + 1
    shorter = _cut(text, member, end)
    if len(holder.members) == 1:
        return _closed_up(shorter, holder, holder.end - (len(text) - len(shorter)))
    if member is holder.members[0] and holder.members[1].lead.at == end:
        return text[: member.start] + text[holder.members[1].start :]
    if member.comma is not None:
        return shorter
    before = holder.members[-2].comma
    assert before is not None  # a member follows it
    return shorter[:before] + shorter[before + 1 :]


def _holds_nothing_else(text: str, holder: Node, member: Member) -> bool:
    """Whether a container has but this member, and no comment."""
    around = text[holder.start + 1 : member.start] + text[member.node.end : holder.end - 1]
    return len(holder.members) == 1 and not around.strip(", \t\r\n")


def _closed_up(text: str, holder: Node, end: int) -> str:
    """The text with an empty container closed up, if no comment is left in it."""
    start = holder.start + 1
    return text if text[start : end - 1].strip() else text[:start] + text[end - 1 :]


def _cut(text: str, member: Member, end: int) -> str:
    """The text without a member; what follows a comment of one line stays off that line."""
    start = member.lead.at
    if member.lead.in_line_comment and not text[end:].lstrip(" \t").startswith(("\r", "\n")):
        start = text.index("\n", start) + 1
    return text[:start] + text[end:]


def _chains(
    node: Node, pattern: Pattern, is_ours: Callable[[Any], bool]
) -> Iterator[list[tuple[Node, Member]]]:
    """The ways from `node` to each value that is ours: pairs of a container and its member."""
    if not pattern or not node.holds:
        return
    for member in node.members:
        if pattern[0] is not ANY and member.key != pattern[0]:
            continue
        if len(pattern) == 1:
            if is_ours(member.node.value):
                yield [(node, member)]
            continue
        for rest in _chains(member.node, pattern[1:], is_ours):
            yield [(node, member), *rest]


def _newline(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _indent_at(text: str, at: int) -> str:
    """The space in front of the line that holds a place."""
    begin = text.rfind("\n", 0, at) + 1
    space = re.compile(r"[ \t]*").match(text, begin)
    return space[0] if space else ""


def _unit(text: str, root: Node) -> str:
    """What one level is indented by, as the outermost members show it."""
    for member in root.members:
        before = text[member.lead.at : member.start]
        if "\n" in before and (unit := before.rpartition("\n")[2]):
            return unit
    return "  "


def _inline(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _shown(value: Any, *, indent: str, unit: str, line: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return (line + indent).join(lines)
