"""Links what one session used together, a little stronger each time it happens."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from loremap.storage import relations
from loremap.storage.transaction import Tx

FIRST_WEIGHT, STRONGER = 0.3, 0.1
"""The weight of a link that is made, and how much one gains each further time, up to 1."""
MAX_TOGETHER = 8
"""With so many of those it used before a memory is linked: of a session that uses everything it
tells nothing."""


def link(tx: Tx, used: Sequence[str], *, before: Collection[str]) -> None:
    """Link what a session has used now with one another and with what it has used `before`."""
    for one, other in pairs(used, before):
        relations.relate(tx, one, other, first=FIRST_WEIGHT, more=STRONGER)


def pairs(used: Sequence[str], before: Collection[str]) -> Iterator[tuple[str, str]]:
    """The pairs that are used together for the first time in a session."""
    now = list(dict.fromkeys(used))[:MAX_TOGETHER]
    earlier = sorted(set(before) - set(now))[-MAX_TOGETHER:]
    yield from combinations(sorted(now), 2)
    for one in now:
        for other in earlier:
            yield min(one, other), max(one, other)
