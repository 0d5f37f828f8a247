"""Of several statements that say the same of the same subject, the newest first."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from loremap.model.text import HEAD_CHARS

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
    return _alike(_frame(one), _frame(other))


def newest_first(ranked: Sequence[Said]) -> list[int]:
    """The order of `ranked` with each group of statements in one frame, holding the same words of
    the query, turned so that the newest comes first; what nobody confirmed overtakes nothing."""
    frames = [_frame(said.text) for said in ranked]
    matched = [set(said.matched) for said in ranked]
    order = list(range(len(ranked)))
    for place in range(len(order)):
        lead = order[place]
        group = [
            spot
            for spot in range(place, len(order))
            if spot == place
            or (matched[order[spot]] >= matched[lead] and _alike(frames[lead], frames[order[spot]]))
        ]
        newest = sorted(
            (order[spot] for spot in group),
            key=lambda one: (not ranked[one].confirmed, -ranked[one].at),
        )
        for spot, one in zip(group, newest, strict=True):
            order[spot] = one
    return order


def _frame(text: str) -> list[str]:
    """The words of a statement; a text too long to be one has no frame."""
    return _WORD.findall(text.lower()) if len(text) <= HEAD_CHARS else []


def _alike(left: list[str], right: list[str]) -> bool:
    shorter = min(len(left), len(right))
    shared = next(
        (place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), shorter
    )
    return shared >= 3 and 2 * shared >= shorter
