"""Rows of texts in columns, for lists that must be quick: rich's table renders each cell alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.console import Console
from rich.text import Span, Text

GAP = "  "
LEAST = 10
"""Columns that a text is never broken below."""


def in_columns(
    names: Sequence[str],
    rows: Sequence[Sequence[Text]],
    *,
    broken: Collection[str],
    console: Console,
) -> Text:
    """The rows under their names, within the width of the console: texts of the columns in `broken`
    go on below each other, those of the others are kept whole."""
    head = [Text(name, "dim") for name in names]
    lines = [head, *([*row, *[Text()] * (len(names) - len(row))] for row in rows)]
    needed = [max(row[place].cell_len for row in lines) for place in range(len(names))]
    room = console.width - len(GAP) * (len(names) - 1)
    widths = shared(needed, [name in broken for name in names], room)
    said = _Said()
    for row in lines:
        cells = [_broken(cell, width, console) for cell, width in zip(row, widths, strict=True)]
        for line in range(max(map(len, cells))):
            said.add_line([(each[line : line + 1] or _NOTHING)[0] for each in cells], widths)
    return Text("\n".join(said.lines), spans=said.spans)


def shared(needed: Sequence[int], may_shrink: Sequence[bool], room: int) -> list[int]:
    """How wide each column is: as wide as it needs, and where there is no room for that, those
    that may shrink have the same share of what the others leave."""
    widths = list(needed)
    left = room - sum(need for need, shrinks in zip(needed, may_shrink, strict=True) if not shrinks)
    places = [place for place, shrinks in enumerate(may_shrink) if shrinks]
    for number, place in enumerate(sorted(places, key=lambda place: needed[place])):
        share = max(left // (len(places) - number), LEAST)
        widths[place] = min(needed[place], share)
        left -= widths[place]
    return widths


def _broken(cell: Text, width: int, console: Console) -> list[Text]:
    if cell.cell_len <= width and "\n" not in cell.plain:
        return [cell]
    return list(cell.wrap(console, width, overflow="fold"))


class _Said:
    """Lines and their styles; putting rich's texts together one by one takes several times as
    long."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.spans: list[Span] = []
        self._at = 0

    def add_line(self, cells: Sequence[Text], widths: Sequence[int]) -> None:
        """One line of a row, without spaces at its end."""
        parts, at = list[str](), self._at
        for cell, width in zip(cells, widths, strict=True):
            if cell.style:
                self.spans.append(Span(at, at + len(cell), cell.style))
            self.spans += [span.move(at) for span in cell.spans]
            parts += [cell.plain, " " * (width - cell.cell_len), GAP]
            at += sum(map(len, parts[-3:]))
        line = "".join(parts).rstrip()
        self.lines.append(line)
        self._at += len(line) + 1


_NOTHING = [Text()]
