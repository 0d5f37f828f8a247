"""Which of a numbered list a person names."""

from __future__ import annotations

import pytest

from loremap.errors import BadInput
from loremap.interfaces.cli.start import picked


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("all", [1, 2, 3, 4, 5]),
        ("none", []),
        ("", []),
        ("2", [2]),
        ("1-3,5", [1, 2, 3, 5]),
        ("5 1-2", [1, 2, 5]),
        ("3,3,2-3", [2, 3]),
    ],
)
def test_numbers_and_ranges(answer: str, numbers: list[int]) -> None:
    assert picked(answer, 5) == numbers


@pytest.mark.parametrize("answer", ["6", "0", "3-1", "2-9", "x", "1-", "-2", "1-2-3"])
def test_what_names_nothing_is_refused(answer: str) -> None:
    with pytest.raises(BadInput):
        picked(answer, 5)
