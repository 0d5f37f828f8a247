"""Which of the files found for a task an agent is told, and when the task is surely theirs."""

from __future__ import annotations

import pytest

from loremap.code.locate.rank import FoundFile
from loremap.memory.briefing import files_told


def found(path: str, score: float, *reasons: str, said: int = 0, share: float = 0.0) -> FoundFile:
    return FoundFile(path, score, reasons, (), said=said, share=share)


NAMED = "defines Cart"
TWO, ONE = "words: cart, total", "words: cart"


@pytest.mark.parametrize(
    ("located", "told"),
    [
        ([], []),
        ([found("a.py", 2, NAMED)], [("a.py", True)]),
        ([found("a.py", 2, TWO, said=2, share=1.0)], [("a.py", False)]),
        ([found("a.py", 2, TWO, said=3, share=0.39)], [("a.py", False)]),
        ([found("a.py", 2, TWO, said=3, share=0.4)], [("a.py", True)]),
        ([found("a.py", 2, ONE, said=3, share=0.9)], []),
        ([found("a.py", 2, "similar: Cart", said=3, share=0.9)], []),
        (
            [found("a.py", 2, TWO), found("b.py", 2, TWO, said=5, share=0.9)],
            [("a.py", False), ("b.py", False)],
        ),
        ([found("a.py", 2, TWO), found("b.py", 1, NAMED)], [("a.py", False), ("b.py", True)]),
        ([found("a.py", 2, TWO), found("b.py", 0.9, NAMED)], [("a.py", False)]),
    ],
)
def test_a_file_is_told_with_what_speaks_for_it(
    located: list[FoundFile], told: list[tuple[str, bool]]
) -> None:
    assert [(one.path, one.is_sure) for one in files_told(located)] == told
