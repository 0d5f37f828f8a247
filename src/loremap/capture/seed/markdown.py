"""A Markdown text as blocks: headings, list items, paragraphs and code, each with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

LONGEST_LINE = 4_000
"""Longer lines are data or generated; they are passed over."""
LONGEST_BLOCK = 4_000

Sort = Literal["item", "paragraph", "code"]


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a document, and what it belongs under."""

    sort: Sort
    text: str
    line: int
    headings: tuple[str, ...] = ()
    parent: int | None = None
    """Index of the item this one is nested in, or of the paragraph that introduces the list."""
    language: str = ""
    """Of code: what the fence says."""


_FENCE = re.compile(r"\s*(`{3,}+|~{3,}+)\s*+([\w+#.-]*+)[^`]*+$")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*)$")
_UNDERLINE = re.compile(r" {0,3}([=\-~^\"*+])\1{2,}\s*$")
_ITEM = re.compile(r"([-*+•]|\d{1,3}[.)]|#\.)\s+(?:\[[ xX]\]\s+)?(.*)$")
_RULE = re.compile(r"\s*(?:[-*_]\s*){3,}$")
_SKIPPED = re.compile(r"\s*(?:\||\+[-=]{2,}|\[[^\]]+\]:\s|\[\^[^\]]+\]:|=+( =+)+\s*$|:?-+:?\s*\|)")
_FRONT_MATTER = re.compile(
    r"---[ \t]*\r?\n(?=\w+[ \t]*:)(?:(?!---[ \t]*\r?$).*\n)*+---[ \t]*\r?$", re.MULTILINE
)
_ALERT = re.compile(r"\[![A-Za-z]+\]\s*")


@dataclass(frozen=True, slots=True)
class _Item:
    """A list item: the indents of its mark and of its content, its index, its list's lead."""

    mark: int
    content: int
    index: int
    parent: int | None


@dataclass(slots=True)
class _Open:
    """The block being read, and where the reader stands."""

    headings: list[tuple[int, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    sort: Sort | None = None
    lines: list[str] = field(default_factory=list)
    line: int = 0
    parent: int | None = None
    items: list[_Item] = field(default_factory=list)
    """The list items that are still open, outermost first."""
    lead: int | None = None
    """The paragraph that may introduce the next list or code."""

    def close(self) -> None:
        """Ends the block being read."""
        text = " ".join(self.lines).strip()[:LONGEST_BLOCK]
        if self.sort is not None and text:
            self._add(Block(self.sort, text, self.line, self._path(), self.parent))
            if self.sort == "paragraph":
                self.lead = len(self.blocks) - 1
        self.sort, self.lines = None, []

    def begin(self, sort: Sort, text: str, line: int, *, parent: int | None) -> None:
        """Ends the block being read and begins another."""
        self.close()
        self.sort, self.lines, self.line, self.parent = sort, [text], line, parent

    def head(self, level: int, text: str) -> None:
        """Notes a heading: it ends every list and every deeper heading."""
        self.close()
        self.items, self.lead = [], None
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.headings.append((level, text))

    def add_code(self, lines: list[str], line: int, language: str) -> None:
        """Keeps a block of code under the paragraph or item before it."""
        last = len(self.blocks) - 1
        parent = last if last >= 0 and self._path() == self.blocks[last].headings else None
        text = "\n".join(lines)[:LONGEST_BLOCK].strip("\n")
        if text.strip():
            self._add(Block("code", text, line, self._path(), parent, language.lower()))

    def _add(self, block: Block) -> None:
        self.blocks.append(block)

    def _path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self.headings if text)


def blocks(text: str) -> list[Block]:
    """The blocks of a Markdown text in order; tables, rules, comments and definitions left out."""
    lines = _readable_lines(text)
    state = _Open()
    at = 0
    while at < len(lines):
        at = _read(lines, at, state)
    state.close()
    return state.blocks


def _read(lines: list[str], at: int, state: _Open) -> int:
    """Reads what begins at line `at` into `state`; the index of the next line to read."""
    line = lines[at]
    fence = _FENCE.match(line)
    if fence is not None:
        return _fenced(lines, at, fence, state)
    if not line.strip():
        state.close()
        return at + 1
    heading = _HEADING.match(line)
    if heading is not None:
        state.head(len(heading[1]), heading[2].rstrip(" #"))
        return at + 1
    if _UNDERLINE.match(line) and (taken := _underlined(lines, at, state)):
        return at + taken
    if _SKIPPED.match(line) or (_RULE.match(line) and state.sort is None):
        state.close()
        return at + 1
    indent = len(line) - len(line.lstrip(" "))
    if state.sort is None and indent >= _code_indent(state, indent):
        return _indented(lines, at, indent, state)
    _prose(line.strip(), indent, at + 1, state)
    return at + 1


def _underlined(lines: list[str], at: int, state: _Open) -> int:
    """Takes a heading written over an underline; how many lines it took, 0 where it is none."""
    sign = lines[at].strip()[0]
    level = '=-~^"*+'.find(sign) + 1
    if state.sort == "paragraph" and len(state.lines) == 1:
        title = state.lines[0]
        state.sort, state.lines = None, []
        state.head(level, title)
        return 1
    over = at + 2 < len(lines) and lines[at + 1].strip() and lines[at + 2].strip()[:1] == sign
    if state.sort is None and over and _UNDERLINE.match(lines[at + 2]):
        state.head(1, lines[at + 1].strip())
        return 3
    return 0


def _fenced(lines: list[str], at: int, fence: re.Match[str], state: _Open) -> int:
    state.close()
    closing = re.compile(rf"\s*{re.escape(fence[1][0])}{{{len(fence[1])},}}\s*$")
    end = next((n for n in range(at + 1, len(lines)) if closing.match(lines[n])), len(lines))
    state.add_code(lines[at + 1 : end], at + 2, fence[2])
    return end + 1


def _code_indent(state: _Open, indent: int) -> int:
    """From which indent on a line after a blank one is code."""
    inside = [item.content for item in state.items if item.content <= indent]
    return (inside[-1] if inside else 0) + 4


def _indented(lines: list[str], at: int, indent: int, state: _Open) -> int:
    end = at
    while end < len(lines) and (
        not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip(" ")) >= indent
    ):
        end += 1
    state.add_code([line[indent:] for line in lines[at:end]], at + 1, "")
    return end


def _prose(text: str, indent: int, line: int, state: _Open) -> None:
    item = _ITEM.match(text)
    if item is None and state.sort is not None:
        state.lines.append(text)
        return
    state.close()
    left = _leave(state.items, indent)
    if item is None:
        parent = state.items[-1].index if state.items else None
        state.begin("paragraph", text, line, parent=parent)
        return
    if left is not None and abs(left.mark - indent) <= 1:
        parent = left.parent  # the next item of the same list
    elif state.items:
        parent = state.items[-1].index
    else:
        parent = state.lead if state.lead == len(state.blocks) - 1 else None
    content = indent + len(text) - len(item[2])
    state.items.append(_Item(indent, content, len(state.blocks), parent))
    state.begin("item", item[2], line, parent=parent)


def _leave(items: list[_Item], indent: int) -> _Item | None:
    """Closes the items that a line at `indent` is no part of; the outermost one closed."""
    left = None
    while items and items[-1].content > indent + 1:
        left = items.pop()
    return left


def _readable_lines(text: str) -> list[str]:
    """The lines of `text`: tabs spread, quotes unmarked, front matter and HTML comments blank."""
    return [
        "" if len(line) > LONGEST_LINE else _ALERT.sub("", _unquoted(line.expandtabs(4).rstrip()))
        for line in _without_comments(_without_front_matter(text)).split("\n")
    ]


def _unquoted(line: str) -> str:
    bare = line.lstrip(" ")
    return re.sub(r"^(?:> ?)+", "", bare) if bare.startswith(">") else line


def _without_front_matter(text: str) -> str:
    found = _FRONT_MATTER.match(text)
    return "\n" * found.group().count("\n") + text[found.end() :] if found else text


def _without_comments(text: str) -> str:
    return "".join(_outside_comments(text))


def _outside_comments(text: str) -> Iterator[str]:
    at = 0
    while (begin := text.find("<!--", at)) >= 0:
        yield text[at:begin]
        end = text.find("-->", begin)
        end = len(text) if end < 0 else end + 3
        yield "\n" * text.count("\n", begin, end)
        at = end
    yield text[at:]
