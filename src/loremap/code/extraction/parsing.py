"""Parses a file; where one statement that the grammar does not know costs the rest, without it.

A parser that cannot go on may give up all that follows, to the end of a class or of the file. The
line it stumbled over is then blanked and the file parsed again, as long as that wins text back.
"""

from __future__ import annotations

import re

from tree_sitter import Node, Parser

_BROKEN_BYTES_MIN = 200
"""What is broken in one piece and is smaller than this costs less than parsing again."""
_AGAIN_BYTES_MAX = 200_000
"""A larger file is parsed once: most of those are generated or hostile."""
_BRANCHES = re.compile(
    rb"(?ms)^[ \t]*#[ \t]*el(?:se|if)\b.*?(?=^[ \t]*#[ \t]*endif\b)"
    rb"|^[ \t]*#[ \t]*(?:if|ifdef|ifndef|endif)\b[^\n]*"
)
"""The lines that make text depend on a condition, and what stands where it does not hold."""
_LETTERS = re.compile(rb"[^\n]")
_ROUNDS_MAX = 8
_SUSPECTS_MAX = 5


def parsed(
    parser: Parser,
    source: bytes,
    *,
    noise: re.Pattern[bytes] | None = None,
    branches: bool = False,
) -> Node:
    """The tree of a file, with as little of it broken as can be had; `noise` is not parsed.

    With `branches` it may be written for a preprocessor: what the grammar cannot read as it stands
    is read as if every condition held.
    """
    if noise is not None:
        source = noise.sub(lambda found: b" " * len(found[0]), source)
    root = parser.parse(source).root_node
    if branches and root.has_error and len(source) <= _AGAIN_BYTES_MAX:
        plain = _BRANCHES.sub(lambda found: _LETTERS.sub(b" ", found[0]), source)
        tried = parser.parse(plain).root_node
        if _errors(tried) < _errors(root):
            root, source = tried, plain
    broken = _broken(root) if len(source) <= _AGAIN_BYTES_MAX else []
    for _ in range(_ROUNDS_MAX):
        if not broken:
            break
        for at in _suspects(source, max(broken, key=_size)):
            without = _blanked(source, at)
            tried = parser.parse(without).root_node
            left = _broken(tried)
            if sum(map(_size, left)) < sum(map(_size, broken)):
                root, broken, source = tried, left, without
                break
        else:
            break
    return root


def _errors(root: Node) -> int:
    """How many bytes the parser could make nothing of, and what it missed."""
    found = 0
    waiting = [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            found += _size(node) + 1
        else:
            waiting += [child for child in node.children if child.has_error or child.is_missing]
    return found


def _broken(root: Node) -> list[Node]:
    """The outermost pieces that the parser could make nothing of, without the small ones."""
    found: list[Node] = []
    waiting = [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        if node.is_error and _size(node) >= _BROKEN_BYTES_MIN:
            found.append(node)
        else:
            waiting += [child for child in node.children if child.has_error]
    return found


def _size(node: Node) -> int:
    return node.end_byte - node.start_byte


def _suspects(source: bytes, broken: Node) -> list[int]:
    """Where a statement may stand that the parser stumbled over: what it skipped, and last read."""
    children = broken.children
    found = [child.start_byte for child in children if child.is_error]
    if children:
        last = children[-1]
        found += [last.start_byte, last.end_byte, _next_line(source, last.end_byte)]
    lines = {source.rfind(b"\n", 0, at): at for at in reversed(found) if at < len(source)}
    return list(reversed(lines.values()))[:_SUSPECTS_MAX]


def _next_line(source: bytes, at: int) -> int:
    """Where the next line after a byte starts that is not blank."""
    while (at := source.find(b"\n", at) + 1) > 0:
        end = source.find(b"\n", at)
        if source[at : end if end >= 0 else len(source)].strip():
            return at
    return len(source)


def _blanked(source: bytes, at: int) -> bytes:
    """`source` with the line that holds the byte `at` made blank; all else stays where it is."""
    start = source.rfind(b"\n", 0, at) + 1
    end = source.find(b"\n", at)
    end = len(source) if end < 0 else end
    return source[:start] + b" " * (end - start) + source[end:]
