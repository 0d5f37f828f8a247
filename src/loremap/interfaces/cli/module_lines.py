"""The modules of a map as lines that fit a terminal: names whole, what they are beside them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping

LONGEST_NAME = 26
"""A longer name has a line of its own."""
_COUNT = 6
_WIDEST = 100


def module_lines(
    told: Mapping[str, str], counts: Mapping[str, int], *, width: int
) -> Iterator[str]:
    """A line or more for each module: its name, its files, what is `told` of it; modules of one
    group below the name they share."""
    names = _with_groups(told)
    column = min(LONGEST_NAME, max((len(_shown(name, names)) for name in names), default=0))
    room = max(20, min(width, _WIDEST) - column - _COUNT - 4)
    for name in names:
        inside = [one for one in told if one == name or (name not in told and _is_in(one, name))]
        number = sum(counts.get(one, 0) for one in inside)
        count = f"{number:>{_COUNT},}" if number else " " * _COUNT
        lines = textwrap.wrap(told.get(name, ""), room)
        shown = _shown(name, names)
        if len(shown) > column:
            yield f"{shown}  {count.strip()}".rstrip()
        else:
            first = lines.pop(0) if lines else ""
            yield f"{shown:<{column}}{count}  {first}".rstrip()
        yield from (" " * (column + _COUNT + 2) + line for line in lines)


def _with_groups(names: Iterable[str]) -> list[str]:
    """The names in order, each beginning that several share before them."""
    told = set(names)
    above = [name.rpartition(".")[0] for name in told]
    groups = {one for one in above if one and above.count(one) > 1 and one not in told}
    return sorted(told | groups, key=lambda name: name.lower().split("."))


def _shown(name: str, names: Iterable[str]) -> str:
    return f"  {name}" if any(_is_in(name, other) for other in names) else name


def _is_in(name: str, group: str) -> bool:
    return name.startswith(f"{group}.")
