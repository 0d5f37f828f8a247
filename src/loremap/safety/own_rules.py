"""What a user calls secret besides what is known to be, and what the user says is none."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from loremap.errors import BadInput
from loremap.safety.linear import Hit
from loremap.safety.pattern_regexes import regex_finder

_SECONDS = 0.5
"""For all of a user's patterns on one text."""


class OwnRules(NamedTuple):
    """Regular expressions of the user: of secrets, and of whole values that are none."""

    patterns: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()

    def found(self, text: str, clock: Callable[[], float] = time.thread_time) -> Iterator[Hit]:
        """What the user's patterns find in `text`; where time runs out, all of it is withheld."""
        if not self.patterns:
            return
        data, until = text.encode("utf-8", "replace"), clock() + _SECONDS
        for pattern in self.patterns:
            byte, at = 0, 0
            for match in _compiled(pattern).finditer(data):
                if clock() > until:
                    yield Hit("own-pattern", 0, len(text))
                    return
                start = at + len(data[byte : match.start()].decode(errors="replace"))
                byte, at = match.end(), start + len(match.group().decode(errors="replace"))
                if at > start:
                    yield Hit("own-pattern", start, at)

    def allows(self, value: str) -> bool:
        """Whether the user says that `value` is no secret."""
        data = value.encode("utf-8", "replace")
        return any(_compiled(pattern).fullmatch(data) for pattern in self.allow)


def checked_rules(name: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """`patterns` of setting `name` if each can be searched for; raises BadInput if one cannot."""
    for pattern in patterns:
        try:
            _compiled(pattern)
        except BadInput as fault:
            raise BadInput(f"{name}: {pattern!r}: {fault.message}", hint=fault.hint) from fault
    return patterns


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Any:
    return regex_finder(pattern).regex
