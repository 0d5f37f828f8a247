"""How many tokens each tier may take: an allocation whose parts never exceed the total.

The rows of the table are fixed; between two of them the numbers are read off a straight line.
Where a row adds up to more than its total, what comes last in the order of priority gives way.
What is told unasked must also fit better than what answers a question (`worth_telling`): silence
costs nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from loremap.model.module import Module
from loremap.model.recall import Hit
from loremap.model.words import words

SHARE_OF_REMAINING = 0.08
CEILING_TOKENS = 5_000
WINDOW_TOKENS = 200_000
"""What a model's context holds where the client does not tell."""
LEAST_REMAINING = 20_000
"""A transcript keeps what compaction took out of the context: its size proves no full one."""
BYTES_PER_TOKEN = 4
TRANSCRIPT_BYTES_PER_TOKEN = 8
"""A transcript repeats names, ids and times beside what was said."""
MAX_RETRIEVAL = 1_500
MAX_SUMMARY = 600

PRIORITY = ("always_on", "bridge", "retrieval", "summary")
ROWS = (
    (0, (0, 0, 0, 0)),
    (640, (200, 500, 300, 200)),
    (1_600, (200, 700, 500, 200)),
    (4_000, (320, 1_840, 1_196, 600)),
    (5_000, (400, 2_300, 1_500, 600)),
)
"""Total, and what each tier is meant to get of it, in the order of priority."""
ALL_OF_IT: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """What may be injected, in tokens."""

    always_on: int
    bridge: int
    retrieval: int
    summary: int
    total: int


def allocation(
    remaining_tokens: int, ceiling: int = CEILING_TOKENS, *, uses: Mapping[str, int] = ALL_OF_IT
) -> Allocation:
    """What each tier gets when so much of the context is left; `uses` says of a tier how many
    tokens it has to say, and what it leaves goes to retrieval as far as that has use for it."""
    total = max(0, min(int(remaining_tokens * SHARE_OF_REMAINING), ceiling))
    rows = dict(zip(PRIORITY, _wanted(total), strict=True))
    wanted = {tier: min(most, uses.get(tier, most)) for tier, most in rows.items()}
    if "retrieval" not in uses:
        spare = sum(rows.values()) - sum(wanted.values())
        wanted["retrieval"] = max(rows["retrieval"], min(MAX_RETRIEVAL, rows["retrieval"] + spare))
    left, given = total, dict.fromkeys(PRIORITY, 0)
    for tier in PRIORITY:
        given[tier] = min(wanted[tier], left)
        left -= given[tier]
    return Allocation(**given, total=total)


def _wanted(total: int) -> tuple[int, ...]:
    """The row for a total, read off between the two rows next to it."""
    if total >= ROWS[-1][0]:
        return tuple(part * total // ROWS[-1][0] for part in ROWS[-1][1])
    below, above = next((low, high) for low, high in pairwise(ROWS) if low[0] <= total < high[0])
    share = (total - below[0]) / (above[0] - below[0])
    return tuple(
        round(low + share * (high - low)) for low, high in zip(below[1], above[1], strict=True)
    )


def ceiling_for(setting_tokens: int, most_bytes: int) -> int:
    """The ceiling of one injection: the user's, and what the client takes at once."""
    return min(setting_tokens, most_bytes // BYTES_PER_TOKEN)


def remaining_for(transcript_bytes: int, window_tokens: int = WINDOW_TOKENS) -> int:
    """About how many tokens of the context are left, by the size of the transcript so far."""
    used = transcript_bytes // TRANSCRIPT_BYTES_PER_TOKEN
    return max(min(LEAST_REMAINING, window_tokens), window_tokens - used)


def remaining_beside(context_tokens: int, window_tokens: int = WINDOW_TOKENS) -> int:
    """What is left beside a context that is so full; where it is fuller than we thought a context
    can be, the model's is a larger one, and how large we cannot know."""
    left = window_tokens - context_tokens
    return left if left > 0 else LEAST_REMAINING


SURELY = 0.7
"""Log-odds by which the gate must believe in an answer that nobody asked for."""
ENOUGH = 2
"""So many words of a prompt must be said of a module, and it is spoken of."""
MAX_FILES = 0.5
"""From this share of the files found for a task they speak for the module they lie in."""


def worth_telling(hits: Sequence[Hit], *, belief: float | None) -> list[Hit]:
    """Of what answers a prompt, what may be told to somebody who did not ask: what is sure by its
    own evidence, and what qualifies it: a newer or older statement on its subject, the other side
    of a conflict."""
    if belief is not None and belief < SURELY:
        return []
    sure = [hit for hit in hits if hit.belief is None or hit.belief >= SURELY]
    told = {hit.memory.id for hit in sure}
    beside = {id_ for hit in sure for id_ in (hit.older, *hit.conflict_with)}
    return [
        hit
        for hit in hits
        if hit.memory.id in told | beside or not told.isdisjoint((hit.older, *hit.conflict_with))
    ]


def modules_worth_telling(
    said: Collection[str],
    modules: Sequence[Module],
    *,
    hits: Sequence[Hit],
    located: Sequence[str],
) -> list[Module]:
    """Of the modules that a prompt names, those that something else speaks for too: a memory that
    is told of one of its files, or most of the files found for a prompt that speaks of it."""
    files = {path for hit in hits for path in hit.memory.files}
    return [
        module
        for module in modules
        if not files.isdisjoint(module.core_files)
        or (spoken_of(said, module) >= ENOUGH and share_of(module, located) >= MAX_FILES)
    ]


def spoken_of(said: Collection[str], module: Module) -> int:
    """How many of these words the project itself says of a module: in its name, what it is for,
    and the names of its files."""
    text = " ".join((module.name, module.description, *module.core_files))
    return len(frozenset(said).intersection(words(text)))


def share_of(module: Module, located: Sequence[str]) -> float:
    """The share of a module in files that were found, best first; the first counts most."""
    weights = {path: 1 / (1 + rank) for rank, path in enumerate(located)}
    inside = sum(weights.get(path, 0.0) for path in module.core_files)
    return inside / sum(weights.values()) if weights else 0.0
