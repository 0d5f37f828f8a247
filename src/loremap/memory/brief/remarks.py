"""What is said of memories beside their words: an unmerged branch, a conflict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from loremap.memory.brief.said import Remark, Remarks
from loremap.model.memory import Conflict
from loremap.model.recall import Alert, Hit


def remarks_of(found: Iterable[Hit | Alert], conflicts: Sequence[Conflict]) -> Remarks:
    """By memory: the branch it is from where that is not merged, and its open conflicts."""
    sides: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for one in conflicts:
        sides[one.memory_a].append((one.memory_b, one.reason))
        sides[one.memory_b].append((one.memory_a, one.reason))
    branches = {each.memory.id: each.unmerged or "" for each in found}
    return {
        id_: Remark(branch=branch, conflicts=tuple(sides.get(id_, ())))
        for id_, branch in branches.items()
        if branch or id_ in sides
    }
