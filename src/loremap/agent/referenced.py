"""Whether what an agent said shows that it used a memory it was given."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from loremap.model.memory import Memory
from loremap.model.words import words

LEAST_WORDS = 3
LEAST_SHARE = 0.5
MAX_CHARS = 40_000
_ID = re.compile(r"\b[0-9a-f]{8,32}\b")


def referenced(
    said: str, given: Iterable[Memory], *, spoken_of: Collection[str] = ()
) -> tuple[str, ...]:
    """Ids of the memories that `said` names, or half of whose telling words it uses.

    `spoken_of` are words the person used themselves: that the agent says them too tells nothing.
    """
    said = said[:MAX_CHARS]
    ids = set(_ID.findall(said))
    used = set(words(said)) - set(spoken_of)
    return tuple(
        memory.id
        for memory in given
        if any(memory.id.startswith(one) for one in ids) or _uses(used, memory, spoken_of)
    )


def _uses(used: Collection[str], memory: Memory, spoken_of: Collection[str]) -> bool:
    telling = set(words(memory.summary)) - set(spoken_of)
    shared = len(telling & set(used))
    return shared >= LEAST_WORDS and shared >= LEAST_SHARE * len(telling)
