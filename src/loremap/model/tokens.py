"""About how many tokens of a language model a text takes."""

from __future__ import annotations

from math import ceil

_LETTERS_PER_TOKEN = 4.0
_OTHER_PER_TOKEN = 1.5
"""Of signs outside ASCII a token holds fewer; of Chinese or Japanese about one."""


def tokens(text: str) -> int:
    """An estimate that errs on the high side for anything but English and code."""
    other = 0 if text.isascii() else len(text) - len(text.encode("ascii", "ignore"))
    return ceil((len(text) - other) / _LETTERS_PER_TOKEN + other / _OTHER_PER_TOKEN)
