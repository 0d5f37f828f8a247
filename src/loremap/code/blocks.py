"""The blocks of a file that no grammar reads: paragraphs, list items, rules of a Makefile, keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from loremap.code.sketch import Sketch, sketch_of, tokens
from loremap.model.words import words

LONGEST_LINES = 60
"""A block longer than this is no one thing that a memory could speak of."""
_PROSE = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".org", ""})
_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r"(?:[-*+]|\d+[.)]) |\||#{1,6} |={3,}|-{3,}")
"""What starts a block of its own in prose: a list item, a row of a table, a heading."""
_TITLE = re.compile(r"""[ "'\[]*([\w./-]{1,60})["'\]]*\s*(?:::?=?|\?=|\+=|=|(?<=\])$)""")
_CLOSING = re.compile(r"\s*[)\]}]")
_COMMENT = re.compile(r"\s*(?:#|//|;|--|<!--)")
_NESTED = frozenset({".yaml", ".yml", ".json"})
"""Where what is one step in is an entry of its own: a job, a service, a dependency."""
_RULES = frozenset({"makefile", "gnumakefile", "dockerfile", "justfile", "procfile", "rakefile"})

_Starts = Callable[[str, Sequence[str], str], bool]
"""Whether a line begins a new block after those of the run, seeing the line that follows it."""


@dataclass(frozen=True)
class Block:
    """Some lines of a text that belong together."""

    title: str
    """The key, target or section it begins with; empty for a paragraph."""
    text: str
    start_line: int
    end_line: int

    @cached_property
    def sketch(self) -> Sketch:
        """What is kept of it; its title may change as a symbol's name may."""
        return sketch_of(tokens(self.text, names=re.findall(r"\w+", self.title)))

    @cached_property
    def terms(self) -> frozenset[str]:
        """The words it says."""
        return frozenset(words(self.text))


def blocks_of(text: str, path: str) -> list[Block]:
    """The blocks of `text`, in order; comments and headings belong to what follows them."""
    prose = is_prose(path)
    lines_of_all = text.splitlines()
    starts = _starts_prose if prose else _starts_entry(_deepest(lines_of_all, path))
    found: list[Block] = []
    for first, lines in _cut(lines_of_all, starts):
        titled = None if prose else _TITLE.match(_first_said(lines))
        found.append(
            Block(
                titled[1] if titled else "",
                "\n".join(lines),
                first + 1,
                first + len(lines),
            )
        )
    return found


def is_prose(path: str) -> bool:
    """Whether a file holds sentences rather than settings or rules."""
    pure = PurePosixPath(path)
    return pure.suffix.lower() in _PROSE and pure.name.lower() not in _RULES


def _cut(lines: Sequence[str], starts: _Starts) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines, each with the index of its first; fenced lines are never parted."""
    run: list[str] = []
    first, fenced = 0, False
    for place, line in enumerate(lines):
        blank = not line.strip()
        after = lines[place + 1] if place + 1 < len(lines) else ""
        if run and not fenced and (blank or starts(line, run, after)):
            yield first, run
            run = []
        if not blank or (fenced and run):
            if not run:
                first = place
            run.append(line)
        if _FENCE.match(line):
            fenced = not fenced
    if run:
        yield first, run


def _starts_prose(line: str, run: Sequence[str], _after: str) -> bool:
    return _ITEM.match(line) is not None or (_ITEM.match(run[0]) is not None and run[0][:1] == "#")


def _starts_entry(deepest: int) -> _Starts:
    def starts(line: str, run: Sequence[str], after: str) -> bool:
        if _CLOSING.match(line) or all(_COMMENT.match(before) for before in run):
            return False  # a comment belongs to the entry that follows it
        indent = _indent(line)
        if indent == 0 or line.startswith("\t"):
            return not line.startswith("\t")
        # One step in, only what holds something itself is an entry, and what follows such a one.
        return indent <= deepest and (_indent(after) > indent or _indent(run[-1]) > indent)

    return starts


def _deepest(lines: Sequence[str], path: str) -> int:
    """The indent up to which a line begins an entry: the margin, or one step in."""
    if PurePosixPath(path).suffix.lower() not in _NESTED:
        return 0
    return min(
        (_indent(line) for line in lines if line.startswith(" ") and line.strip()), default=0
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _first_said(lines: Sequence[str]) -> str:
    return next((line for line in lines if not _COMMENT.match(line)), lines[0])
