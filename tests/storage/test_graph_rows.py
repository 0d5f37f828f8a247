"""Which symbols keep their ids when a file is read again."""

from __future__ import annotations

import pytest

from loremap.storage.graph.write import kept_ids

KNOWN = [(1, "", ""), (2, "a", "da"), (3, "b", "db"), (4, "c", "same"), (5, "d", "same")]


@pytest.mark.parametrize(
    ("now", "ids"),
    [
        ([("", ""), ("a", "da"), ("b", "db")], [1, 2, 3]),
        ([("", ""), ("a", "changed")], [1, 2]),  # edited: the name tells
        ([("", ""), ("z", "da")], [1, 2]),  # renamed: the text tells
        ([("", ""), ("b", "da")], [1, 3]),  # the name tells before the text
        ([("", ""), ("a", "da"), ("z", "da")], [1, 2, None]),  # a copy is new
        ([("", ""), ("z", "same")], [1, None]),  # two had that text, so it tells neither
        ([("", ""), ("y", "da"), ("z", "da")], [1, 2, None]),
        ([("", ""), ("z", "")], [1, None]),
    ],
)
def test_kept_ids(now: list[tuple[str, str]], ids: list[int | None]) -> None:
    assert kept_ids(KNOWN, now) == ids
