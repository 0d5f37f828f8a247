"""Numbers, units, times and dates in one spelling."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loremap.lifecycle import lexicon

_QUANTITY = re.compile(r"([+-]?\d+(?:\.\d+)*)([^\W\d_]*%?|%)")
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_DETERMINERS = frozenset("the a an this that".split())
_ONE_LETTER_UNITS = frozenset("sh%")


def date_at(lowered: Sequence[str], position: int) -> str | None:
    """The day that two words from `position` name: `July 1`, `1 July` or `1st July`."""
    pair = [_ORDINAL.sub(r"\1", word) for word in lowered[position : position + 2]]
    for month, day in (pair, pair[::-1]) if len(pair) > 1 else ():
        if month in lexicon.MONTHS and re.fullmatch(r"\d{1,2}", day):
            return f"{month[:3]} {int(day)}"
    return None


def quantity_at(lowered: Sequence[str], position: int) -> tuple[int, str] | None:
    """How many words from `position` spell a quantity, and its value with its unit."""
    width, value, unit = _value(lowered, position)
    if value is None:
        return None
    following = "".join(lowered[position + width : position + width + 1])
    if unit is None and _is_unit(following):
        unit = lexicon.UNITS[following]
        width += 1
    return width, _said(value, unit)


def _is_unit(word: str) -> bool:
    letters = len(word) > 1 or not word.isascii() or word in _ONE_LETTER_UNITS
    return word in lexicon.UNITS and letters


def _value(lowered: Sequence[str], position: int) -> tuple[int, str | None, str | None]:
    text = lowered[position]
    if clock := _CLOCK.fullmatch(text):
        return 1, f"{int(clock[1]):02d}:{clock[2]}", None
    if match := _QUANTITY.fullmatch(text):
        digits, tail = match[1].removeprefix("+"), match[2]
        if not tail or tail in lexicon.ORDINAL:
            return 1, digits, None
        return (1, digits, lexicon.UNITS[tail]) if tail in lexicon.UNITS else (1, None, None)
    return _spelt(lowered, position)


def _spelt(lowered: Sequence[str], position: int) -> tuple[int, str | None, str | None]:
    """`twenty five` and `two hundred` as digits; `one` only where it counts something."""
    total = width = 0
    for word in lowered[position:]:
        if word in lexicon.NUMBERS:
            total += lexicon.NUMBERS[word]
        elif word in lexicon.TENS:
            total += lexicon.TENS[word]
        elif word in lexicon.SCALES and width:
            total *= lexicon.SCALES[word]
        else:
            break
        width += 1
    if not width or (width == 1 and lowered[position] == "one" and not _counts(lowered, position)):
        return 1, None, None
    return width, str(total), None


def _counts(lowered: Sequence[str], position: int) -> bool:
    """Whether `one` is a number here and no pronoun, as in `the JSON one is`."""
    if position + 1 >= len(lowered):
        return False
    following = lowered[position + 1]
    determined = position >= 2 and lowered[position - 2] in _DETERMINERS
    return (
        not determined
        and following[0].isalnum()
        and following not in lexicon.FUNCTION["en"]
        and (following,) not in lexicon.REWRITES
    )


def _said(value: str, unit: str | None) -> str:
    if unit in lexicon.SECONDS and value.isdecimal():
        return f"{int(value) * lexicon.SECONDS[unit]} seconds"
    return value if unit is None else f"{value} {unit}"
