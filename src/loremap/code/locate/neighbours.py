"""Files one step away in the code graph from those that a task most likely means."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from loremap.code.locate.index import Floats, Ints

Uses = Callable[[int], Iterable[int]]
"""The files that a file calls, imports, includes or inherits from, both by their index."""

_BEST_FILES = 3
_RAISED_BY = 2.0
"""What being used by the best file adds; it weighs like one strong signal."""
_BELOW = 0.9
"""What is used comes behind what uses it: as a share of the user's score."""


def no_uses(_: int) -> Iterable[int]:
    """What is known of a project without a graph."""
    return ()


def raised(scores: Floats, uses: Uses) -> tuple[Floats, Ints]:
    """Scores in which files that the best ones use count more, and which user raised each (or -1).

    None passes the file that uses it, so the best file stays the best.
    """
    best = np.argsort(-scores, kind="stable")[:_BEST_FILES]
    found, by = scores.copy(), np.full(len(scores), -1, np.int64)
    for user in best:
        if scores[user] <= 0:
            break
        used = np.array(sorted(set(uses(int(user))) - {int(user)}), np.int64)
        gain = _RAISED_BY * scores[user] / scores[best[0]]
        lifted = np.minimum(scores[used] + gain, _BELOW * scores[user])
        more = lifted > found[used]
        found[used[more]], by[used[more]] = lifted[more], user
    return found, by
