"""Reads JSON with comments and trailing commas, and keeps where in the text each value lies."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

MAX_DEPTH = 200
"""Nesting no settings file has; beyond it the text is refused instead of exhausting the stack."""

_SPACE = re.compile(r"[ \t\r\n]+")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\r\n]|\\.)*"')
_BARE = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")


class Malformed(Exception):
    """The text is not JSON; `line` counts from one."""

    def __init__(self, text: str, at: int, expected: str) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.expected = expected
        super().__init__(f"line {self.line}: expected {expected}")


@dataclass(frozen=True, slots=True)
class Gap:
    """The place behind the last thing before a value, comments included."""

    at: int
    in_line_comment: bool
    """Whether that thing is a comment that ends with its line."""


@dataclass(slots=True)
class Node:
    """A value and its place: `start` is its first character, `end` the one behind its last."""

    start: int
    end: int
    value: Any
    members: list[Member] = field(default_factory=list)
    tail: Gap = Gap(0, in_line_comment=False)
    """Of an object or array: what comes before its end."""

    @property
    def holds(self) -> bool:
        """Whether it is an object or an array."""
        return isinstance(self.value, dict | list)


@dataclass(slots=True)
class Member:
    """A value in an object or array, with the key it is under."""

    key: str | int
    start: int
    """Where its key, or in an array the value, begins."""
    node: Node
    lead: Gap
    comma: int | None = None
    """Where the comma behind it is."""


def tree(text: str) -> Node | None:
    """The value of a text and all within it; None where there is nothing but space and comments."""
    at = _past(text, 1 if text.startswith("\ufeff") else 0)
    if at == len(text):
        return None
    node = _value(text, at, 0)
    end = _past(text, node.end)
    if end < len(text):
        raise Malformed(text, end, "the end of the file")
    return node


def _past(text: str, at: int) -> int:
    """The place of the next thing that is neither space nor comment."""
    return _past_space(text, _gap(text, at).at)


def _past_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _gap(text: str, at: int) -> Gap:
    """The end of the last comment from `at` on, or `at` where none follows."""
    line = False
    while comment := _COMMENT.match(text, _past_space(text, at)):
        at, line = comment.end(), comment[0].startswith("//")
    return Gap(at, line)


def _value(text: str, at: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise Malformed(text, at, f"at most {MAX_DEPTH} levels")
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth)
    if text[at : at + 1] == '"':
        return _string(text, at)
    bare = _BARE.match(text, at)
    if bare is None:
        raise Malformed(text, at, "a value")
    return Node(at, bare.end(), _bare(bare[0]))


def _bare(text: str) -> Any:
    """A number or a word; an integer of more digits than Python reads is one nobody asks for."""
    try:
        return json.loads(text)
    except ValueError:
        return float(text)


def _string(text: str, at: int) -> Node:
    found = _STRING.match(text, at)
    if found is None:
        raise Malformed(text, at, "a string with both its quotes")
    try:
        return Node(at, found.end(), json.loads(found[0], strict=False))
    except ValueError as fault:
        raise Malformed(text, at, "a string without unknown escapes") from fault


def _container(text: str, at: int, depth: int) -> Node:
    keyed = text[at] == "{"
    node = Node(at, at, {} if keyed else [])
    close, behind = "}" if keyed else "]", at + 1
    while True:
        lead = _gap(text, behind)
        here = _past_space(text, lead.at)
        if text[here : here + 1] == close:
            node.tail, node.end = lead, here + 1
            return node
        if node.members and node.members[-1].comma is None:
            raise Malformed(text, here, f"a comma or {close}")
        place = None if keyed else len(node.members)
        member = _member(text, here, lead=lead, place=place, depth=depth)
        node.members.append(member)
        _keep(node.value, member)
        behind = member.node.end
        comma = _past(text, behind)
        if text[comma : comma + 1] == ",":
            member.comma, behind = comma, comma + 1


def _member(text: str, at: int, *, lead: Gap, place: int | None, depth: int) -> Member:
    if place is not None:
        return Member(place, at, _value(text, at, depth + 1), lead)
    if text[at : at + 1] != '"':
        raise Malformed(text, at, "a key in quotes")
    key = _string(text, at)
    colon = _past(text, key.end)
    if text[colon : colon + 1] != ":":
        raise Malformed(text, colon, "a colon")
    return Member(key.value, at, _value(text, _past(text, colon + 1), depth + 1), lead)


def _keep(into: dict[str, Any] | list[Any], member: Member) -> None:
    if isinstance(into, dict):
        into[str(member.key)] = member.node.value
    else:
        into.append(member.node.value)
