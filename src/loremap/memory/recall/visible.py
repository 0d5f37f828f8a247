"""Who sees what: the rule by which a memory may answer a query at all."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from loremap.model.kind import RULES, Kind
from loremap.model.memory import ACTIVE, Scope, Status, Visibility
from loremap.model.recall import Query
from loremap.storage.warm import (
    ERASED,
    KIND_CODE,
    SCOPE_CODE,
    STATUS_CODE,
    VISIBILITY_CODE,
    Warm,
)

Mask = NDArray[np.bool_]

LEAST_CONFIDENCE = 0.25
"""Below it a memory is given to nobody unasked: it did not help often enough, each time 0.1 less.
Nothing starts as low, unless whoever states it says so."""

_ACTIVE = [STATUS_CODE[status.value] for status in ACTIVE]
_BRANCH_BOUND = [KIND_CODE[kind.value] for kind, rule in RULES.items() if rule.branch_bound]


workspace = attrgetter(
    "tenant_id", "owner_id", "project_id", "session_id", "branch", "kinds", "user_search",
    "include_inactive",
)  # fmt: skip
"""All of a query that decides what it may see."""


def visible(warm: Warm, query: Query) -> Mask:
    """Which slots may answer `query` (DESIGN.md, "Who sees what" and "Branches"); not to be
    written to, because the next query from the same place is given the same mask."""
    return warm.derived(("visible", workspace(query)), lambda: _mask(warm, query))


def _mask(warm: Warm, query: Query) -> Mask:
    status, scope, kind = warm["status"], warm["scope"], warm["kind"]
    mask: Mask = status != ERASED if query.include_inactive else np.isin(status, _ACTIVE)
    mask &= warm["tenant_id"] == warm.code("tenant_id", query.tenant_id)
    mask &= _in_scope(warm, query, scope)
    own = warm["owner_id"] == warm.code("owner_id", query.owner_id)
    mask &= own | (warm["visibility"] != VISIBILITY_CODE[Visibility.PRIVATE.value])
    here = warm["branch"] == warm.code("branch", query.branch)
    mask &= here | ~np.isin(kind, _BRANCH_BOUND)
    if not query.user_search:
        candidate = status == STATUS_CODE[Status.CANDIDATE.value]
        mask &= ~(warm["tainted"] & candidate)
        mask &= warm["pinned"] | (warm["confidence"] >= LEAST_CONFIDENCE)
    if query.kinds:
        mask &= np.isin(kind, [KIND_CODE[Kind(wanted).value] for wanted in query.kinds])
    mask.flags.writeable = False
    return mask


def _in_scope(warm: Warm, query: Query, scope: NDArray[np.int8]) -> Mask:
    here = warm["project_id"] == warm.code("project_id", query.project_id)
    if query.project_id is None:
        here = np.zeros(warm.size, np.bool_)
    mine = warm["session_id"] == warm.code("session_id", query.session_id)
    if query.session_id is None:
        mine = np.zeros(warm.size, np.bool_)
    mask: Mask = (
        (scope == SCOPE_CODE[Scope.GLOBAL.value])
        | (here & (scope == SCOPE_CODE[Scope.PROJECT.value]))
        | (mine & (scope == SCOPE_CODE[Scope.SESSION.value]))
    )
    return mask
