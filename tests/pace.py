"""How quick this machine is now, so that a bound on time holds on a slower one too."""

from __future__ import annotations

import time
from collections.abc import Callable

WORDS = [f"word{number % 997}" for number in range(10_000)]


def least_s(work: Callable[[], object], times: int = 50) -> float:
    """The shortest of several runs: what the work takes where nothing comes between."""
    return min(_seconds(work) for _ in range(times))


def yardstick_s() -> float:
    """What ten thousand words take to be counted: about a millisecond."""
    return least_s(_count)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _count() -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in WORDS:
        counts[word] = counts.get(word, 0) + 1
    return counts
