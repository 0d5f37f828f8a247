"""Of several statements that say the same of the same subject, the newest first."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

DEPTH = 10
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Said:
    """A ranked statement: its text, when it was said, the words of the query it holds, and
    whether a person stands behind it."""

    text: str
    at: float
    matched: Collection[str]
    confirmed: bool = True


def same_frame(one: str, other: str) -> bool:
    """Whether both open alike for half the shorter one: the same subject and predicate."""
    left, right = _WORD.findall(one.lower()), _WORD.findall(other.lower())
    shared = next(
        (place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
        min(len(left), len(right)),
    )
    return shared >= 3 and 2 * shared >= min(len(left), len(right))


def newest_first(ranked: Sequence[Said]) -> list[int]:
    """The order of `ranked` with each group of statements in one frame, holding the same words of
    the query, turned so that the newest comes first; what nobody confirmed overtakes nothing."""
    order = list(range(len(ranked)))
    for place in range(len(order)):
        lead = ranked[order[place]]
        group = [
            spot
            for spot in range(place, len(order))
            if spot == place or _rivals(lead, ranked[order[spot]])
        ]
        newest = sorted(
            (order[spot] for spot in group),
            key=lambda one: (not ranked[one].confirmed, -ranked[one].at),
        )
        for spot, one in zip(group, newest, strict=True):
            order[spot] = one
    return order


def _rivals(lead: Said, other: Said) -> bool:
    return set(other.matched) >= set(lead.matched) and same_frame(lead.text, other.text)
