"""Whether something is settled otherwise than before: another figure, or a no for a yes."""

from __future__ import annotations

import re
from functools import lru_cache

from loremap.sessions.learning.framed import settled, unframed
from loremap.sessions.learning.function_words import Sign, signs_in
from loremap.sessions.learning.sentences import telling

_CLAUSE = re.compile(r"[,;:.!?。、“”]\s*")
_FIGURE = re.compile(r"(\d+(?:\.\d+)?)[\s-]*([^\W\d_]\w{0,4}|%)")
_TIME = re.compile(r"(?:ms|s|sec\w*|m|min\w*|h|hr|hour\w*|d|days?|weeks?)")
_MAX_CACHED = 8_192
"""What was settled is compared with all that is said."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")


def denies(new: str, old: str) -> bool:
    """Whether one denies a word that the other affirms, what a person said of it each time."""
    (no, yes), (no_before, yes_before) = _sides(new), _sides(old)
    return bool(no & (yes_before - no_before) or (yes - no) & no_before)


@lru_cache(maxsize=_MAX_CACHED)
def _sides(text: str) -> tuple[set[str], set[str]]:
    denied, affirmed = set[str](), set[str]()
    for clause in _CLAUSE.split(unframed(text)):
        side = denied if signs_in(clause)[Sign.NEGATION] else affirmed
        side.update(telling(clause))
    return denied, affirmed


def other_figure(new: str, old: str) -> bool:
    """Whether both give a figure of the same unit, and not the same; or the new one names the old
    figure beside another."""
    said = unframed(settled(old))
    now, before = _figures(new), _figures(said)
    if any(unit in before and not before[unit] & now[unit] for unit in now):
        return True
    numbers, numbers_before = set(_NUMBER.findall(new)), set(_NUMBER.findall(said))
    return bool(numbers & numbers_before and numbers - numbers_before)


@lru_cache(maxsize=_MAX_CACHED)
def _figures(text: str) -> dict[str, set[str]]:
    found = dict[str, set[str]]()
    for figure, unit in _FIGURE.findall(text.casefold()):
        is_time = _TIME.fullmatch(unit)
        found.setdefault("time" if is_time else unit, set()).add(
            figure + (unit[0] if is_time else "")
        )
    return found
