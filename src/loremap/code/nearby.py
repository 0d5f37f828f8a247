"""Which files of a project may hold what is gone from another: namesakes and neighbours."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

NAMESAKES = 8
NEIGHBOURS = 24
"""How many files are looked at for what is gone from its own."""


class Nearby:
    """The files of a project by their name and by their place, looked up in a moment."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._by_name: dict[str, list[str]] = {}
        self._by_ending: dict[str, list[str]] = {}
        for path in sorted(paths):
            name = path.rpartition("/")[2]
            self._by_name.setdefault(name, []).append(path)
            self._by_ending.setdefault(_ending(name), []).append(path)

    def ending_in(self, said: str) -> list[str]:
        """The paths that end in a written path."""
        same = self._by_name.get(said.rpartition("/")[2], ())
        return [path for path in same if path == said or path.endswith("/" + said)]

    def near(self, path: str) -> list[str]:
        """Other files: those of the same name, then those of the same ending around its place."""
        name = path.rpartition("/")[2]
        alike = self._by_ending.get(_ending(name), [])
        at = bisect_left(alike, path)
        around = alike[max(at - NEIGHBOURS // 2, 0) :][:NEIGHBOURS]
        namesakes = self._by_name.get(name, ())[:NAMESAKES]
        return [other for other in dict.fromkeys((*namesakes, *around)) if other != path]


def _ending(name: str) -> str:
    return name.rpartition(".")[2] if "." in name else ""
