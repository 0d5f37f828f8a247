"""Rows of texts in columns, for lists that must be quick: rich's table renders each cell alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.console import Console
from rich.text import Text

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
    said = Text()
    for row in lines:
        cells = [_broken(cell, width, console) for cell, width in zip(row, widths, strict=True)]
        for line in range(max(map(len, cells))):
            said.append_text(_line([cell[line : line + 1] for cell in cells], widths))
            said.append("\n")
    said.right_crop(1)
    return said


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


def _line(cells: Sequence[Sequence[Text]], widths: Sequence[int]) -> Text:
    """One line of a row, without spaces at its end."""
    said = Text()
    for (cell, *_), width in zip(([*each, Text()] for each in cells), widths, strict=True):
        said.append_text(cell)
        said.append(" " * (width - cell.cell_len) + GAP)
    said.rstrip()
    return said
