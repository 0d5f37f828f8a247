"""A Markdown text as blocks: list items, paragraphs, table rows and code, each with its line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST_LINE = 4_000
"""Longer lines are data or generated; they are passed over."""
LONGEST_BLOCK = 4_000
MAX_LINES = 10_000
"""What a text of more lines says after them is not read."""

Sort = Literal["item", "paragraph", "code", "row"]


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
    cells: tuple[str, ...] = ()
    """Of a table's row: its cells."""
    box: bool = False
    """Of an item: it is one of a checklist."""
    quoted: bool = False
    """It stands in a quotation."""


_FRONT_MATTER = re.compile(
    r"---[ \t]*\r?\n(?=\w+[ \t]*:)(?:(?!---[ \t]*\r?$).*\n)*+---[ \t]*\r?$", re.MULTILINE
)
_ALERT = re.compile(r"\[![A-Za-z]+\]\s*")
_BOX = re.compile(r"\[[ xX]\]\s+")
_BULLET = re.compile(r"^(\s*)•(?=\s)", re.MULTILINE)
_CONTAINER = re.compile(r"^:::.*$", re.MULTILINE)
"""The fences of admonitions in VitePress and Docusaurus."""


@dataclass(slots=True)
class _Item:
    """An open list item: the block its list hangs on, and its own once it is read."""

    lead: int | None
    index: int | None = None


@dataclass(slots=True)
class _Reading:
    """Where the reader of a token stream stands."""

    headings: list[tuple[int, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    leads: list[int | None] = field(default_factory=list)
    """Of each open list: the block it hangs on."""
    items: list[_Item] = field(default_factory=list)
    cells: list[str] | None = None
    row_line: int = 0
    quotes: int = 0
    loose: bool = False
    """Whether the last block was a paragraph that may introduce a list."""

    def head(self, level: int, text: str) -> None:
        """Notes a heading: it ends every deeper one."""
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.headings.append((level, text))
        self.loose = False

    def open_list(self) -> None:
        """Notes a list and what introduces it: the paragraph before it, or the item around it."""
        around = self.items[-1].index if self.items else None
        last = len(self.blocks) - 1
        introduced = self.loose and last >= 0 and self.blocks[last].headings == self.path()
        self.leads.append(around if around is not None else last if introduced else None)

    def add_text(self, text: str, line: int) -> None:
        """Keeps a paragraph, the first of an item as the item."""
        text = " ".join(_ALERT.sub("", text).split("\n")).strip()[:LONGEST_BLOCK]
        if not text:
            return
        item = self.items[-1] if self.items else None
        if item is not None and item.index is None:
            item.index = len(self.blocks)
            box = _BOX.match(text)
            bare = text[box.end() :] if box else text
            self._add(Block("item", bare, line, self.path(), item.lead, box=box is not None))
            self.loose = False
        else:
            parent = item.index if item is not None else None
            quoted = self.quotes > 0
            self._add(Block("paragraph", text, line, self.path(), parent, quoted=quoted))
            self.loose = True

    def add_code(self, text: str, line: int, language: str) -> None:
        """Keeps a block of code under the paragraph or item before it."""
        last = len(self.blocks) - 1
        parent = last if last >= 0 and self.path() == self.blocks[last].headings else None
        text = text[:LONGEST_BLOCK].strip("\n")
        if text.strip():
            self._add(Block("code", text, line, self.path(), parent, language.lower()))
        self.loose = False

    def add_row(self) -> None:
        """Keeps a table's row."""
        cells = tuple(cell.strip() for cell in self.cells or ())
        self._add(Block("row", " | ".join(cells), self.row_line, self.path(), cells=cells))
        self.cells, self.loose = None, False

    def _add(self, block: Block) -> None:
        self.blocks.append(block)

    def path(self) -> tuple[str, ...]:
        """The headings above."""
        return tuple(text for _, text in self.headings if text)


def blocks(text: str) -> list[Block]:
    """The blocks of a Markdown text in order; rules, comments and definitions left out."""
    reading = _Reading()
    tokens = _parser().parse(_readable(text))
    for at, token in enumerate(tokens):
        _read(tokens, at, token, reading)
    return reading.blocks


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # what stands inside a line is read by `prose`, so its tokens are never made
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


def _read(tokens: Sequence[Token], at: int, token: Token, reading: _Reading) -> None:
    line = token.map[0] + 1 if token.map else 0
    match token.type:
        case "heading_open":
            reading.head(int(token.tag[1:]), " ".join(tokens[at + 1].content.split()))
        case "inline" if reading.cells is not None:
            reading.cells.append(token.content)
        case "inline" if tokens[at - 1].type == "paragraph_open":
            reading.add_text(token.content, line)
        case "fence":
            language = re.match(r"[\w+#.-]*", token.info.strip().lstrip("{"))
            reading.add_code(token.content, line + 1, language[0] if language else "")
        case "code_block":
            reading.add_code(token.content, line, "")
        case "bullet_list_open" | "ordered_list_open":
            reading.open_list()
        case "bullet_list_close" | "ordered_list_close":
            reading.leads.pop()
        case "list_item_open":
            reading.items.append(_Item(reading.leads[-1]))
        case "list_item_close":
            reading.items.pop()
        case "blockquote_open":
            reading.quotes += 1
        case "blockquote_close":
            reading.quotes -= 1
        case "tr_open":
            reading.cells, reading.row_line = [], line
        case "tr_close":
            reading.add_row()
        case _:
            pass


def _readable(text: str) -> str:
    """`text` with its front matter, its HTML comments and its endless lines left blank."""
    text = text.replace("\r\n", "\n").replace("\r", " ")
    bare = _without_comments(_without_front_matter(text))
    lines = ["" if len(line) > LONGEST_LINE else line for line in bare.split("\n")[:MAX_LINES]]
    return _CONTAINER.sub("", _BULLET.sub(r"\1*", "\n".join(lines)))


def _without_front_matter(text: str) -> str:
    found = _FRONT_MATTER.match(text)
    return "\n" * found.group().count("\n") + text[found.end() :] if found else text


def _without_comments(text: str) -> str:
    pieces, at = list[str](), 0
    while (begin := text.find("<!--", at)) >= 0:
        end = text.find("-->", begin)
        end = len(text) if end < 0 else end + 3
        pieces += [text[at:begin], "\n" * text.count("\n", begin, end)]
        at = end
    return "".join([*pieces, text[at:]])
