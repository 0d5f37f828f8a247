"""A date that a query names, and what a memory gains for being of that time."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SAME_MONTH, SAME_DAY = 0.3, 0.3

MONTHS = (
    "january february march april may june july august september october november december".split()
)
_ALSO_WORDS = frozenset({"may", "march", "mar", "dec", "jan", "jun", "sep", "august"})
_NAMES = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS) + "|sept"
_DATE = re.compile(
    rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b({_NAMES})\b\.?"
    r"(?:\s+(\d{1,2})(?:st|nd|rd|th)?(?!\d))?(?:,?\s+((?:19|20)\d\d))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class When:
    """A month, with its year and day where they are named."""

    month: int
    year: int | None = None
    day: int | None = None


def named_time(query: str) -> When | None:
    """The first date in `query` that names a month; a month's name that is also a word needs a
    number beside it."""
    for before, month, after, year in _DATE.findall(query):
        if not (before or after or year) and month.lower() in _ALSO_WORDS:
            continue
        day = int(before or after or 0)
        return When(
            month=next(
                number
                for number, name in enumerate(MONTHS, 1)
                if name.startswith(month.lower()[:3])
            ),
            year=int(year) if year else None,
            day=day if 1 <= day <= 31 else None,
        )
    return None


def time_bonus(at_ms: NDArray[np.int64], when: When) -> NDArray[np.float64]:
    """What each memory gains for being of the time asked for (UTC)."""
    at = at_ms.astype("datetime64[ms]")
    months = at.astype("datetime64[M]")
    same = months.astype(np.int64) % 12 + 1 == when.month
    if when.year is not None:
        same &= at.astype("datetime64[Y]").astype(np.int64) + 1970 == when.year
    bonus = SAME_MONTH * same
    if when.day is not None:
        days = (at.astype("datetime64[D]") - months).astype(np.int64) + 1
        bonus = bonus + SAME_DAY * (same & (days == when.day))
    gained: NDArray[np.float64] = bonus
    return gained
