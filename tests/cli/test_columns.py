"""Columns of a list: as rich's own table has them, without spaces at the ends of lines."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from loremap.interfaces.cli.present import in_columns, shared

NAMES = ("id", "kind", "memory", "age")
ROWS = [
    ("1a2b", "fact", "The build takes nine minutes on a slow machine, and three elsewhere.", "2d"),
    ("3c4d", "decision", "短い文も長い文もここに書くことができる。長い文でも大丈夫です。", "now"),
    ("5e6f", "warning", f"{'x' * 90} ends here", "11m"),
]  # fmt: skip


def printed(what: Text | Table, width: int) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False)
    console.print(what, soft_wrap=isinstance(what, Text))
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("width", [60, 80, 200])
def test_it_looks_as_the_table_did(width: int) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in NAMES:
        table.add_column(name, no_wrap=name != "memory", overflow="fold")
    for row in ROWS:
        table.add_row(*row)
    rows = [[Text(cell) for cell in row] for row in ROWS]
    console = Console(width=width, file=io.StringIO())
    made = in_columns(NAMES, rows, broken=("memory",), console=console)
    assert printed(made, width) == printed(table, width)


def test_a_row_may_end_early_and_keeps_its_styles() -> None:
    rows = [[Text("a", "red"), Text("b")], [Text("c")]]
    made = in_columns(("one", "two"), rows, broken=(), console=Console(width=40))
    assert made.plain == "one  two\na    b\nc"
    assert [span.style for span in made.spans if made.plain[span.start] == "a"] == ["red"]


@pytest.mark.parametrize(
    ("needed", "may_shrink", "room", "widths"),
    [
        ([8, 4, 30], [False, False, True], 60, [8, 4, 30]),  # there is room
        ([8, 4, 90], [False, False, True], 60, [8, 4, 48]),
        ([8, 90, 90], [False, True, True], 68, [8, 30, 30]),
        ([8, 20, 90], [False, True, True], 68, [8, 20, 40]),  # what one leaves the other has
        ([50, 90], [False, True], 40, [50, 10]),  # never less than a word
    ],
)
def test_room_is_shared(
    needed: list[int], may_shrink: list[bool], room: int, widths: list[int]
) -> None:
    assert shared(needed, may_shrink, room) == widths
