"""Where a memory written on a branch may speak: what is not merged waits, or says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from loremap.model.anchor import GOES_EVERYWHERE, Freshness
from loremap.model.kind import RULES, Kind
from loremap.model.memory import Scope

AFTER = ".."
"""Behind a commit: the memory was written after it, in work that had no commit of its own yet."""
UNREACHABLE_KEPT = timedelta(days=30)
"""git keeps what no branch leads to at least this long (gc.reflogExpireUnreachable). A commit this
young that a clone lacks was never there; one older may have been cleared away with its branch."""


@dataclass(frozen=True, slots=True)
class Written:
    """On which branch a memory was written, and at which commit of it (see AFTER)."""

    branch: str | None
    commit_id: str | None = None

    @property
    def commit(self) -> str | None:
        """The commit's name alone."""
        return self.commit_id.removesuffix(AFTER) if self.commit_id else None

    @property
    def ahead(self) -> bool:
        """Whether it speaks of work that came after the commit."""
        return bool(self.commit_id and self.commit_id.endswith(AFTER))


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What git says of branches and commits, as seen from one checkout."""

    branch: str | None
    """The branch that is checked out."""
    trunk: str | None = None
    """The branch that others are merged into."""
    tips: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The newest commits of every branch, here and at remotes."""
    outside: frozenset[str] = frozenset()
    """Commits asked about that are neither in this checkout's history nor in the trunk's."""
    unknown: frozenset[str] = frozenset()
    """Commits asked about that this clone has never had, or has no more."""
    shallow: bool = False
    """Whether the clone's history was cut off, so that what is unknown says nothing."""


class Standing(StrEnum):
    """What became of the work a memory was written in."""

    HERE = "here"
    MERGED = "merged"
    UNMERGED = "unmerged"


def standing(written: Written, seen: Seen, *, age: timedelta) -> Standing:
    """Whether the work a memory was written in is here, merged, or still on its branch.

    What was written on the trunk holds on every branch. A branch that is gone counts as merged:
    squashed and rebased work leaves no other trace.
    """
    if written.branch is None or written.branch in (seen.branch, seen.trunk):
        return Standing.HERE
    commit, tips = written.commit, seen.tips.get(written.branch, frozenset())
    if not tips:
        never_here = commit in seen.unknown and not seen.shallow and age < UNREACHABLE_KEPT
        return Standing.UNMERGED if never_here else Standing.MERGED
    if commit is None or written.ahead:
        merged = bool(tips - {commit} - seen.outside)
    else:
        merged = commit not in seen.outside | seen.unknown
    return Standing.MERGED if merged else Standing.UNMERGED


class Telling(StrEnum):
    """How a memory is told at a checkout."""

    PLAINLY = "plainly"
    WITH_BRANCH = "with its branch"
    NOT = "not"


def telling(
    kind: Kind,
    scope: Scope,
    standing: Standing,
    *,
    anchored: Freshness | None = None,
    pinned: bool = False,
) -> Telling:
    """How a memory is told where it stands so; `anchored` says what became of its code here.

    Until the work is merged, only what does not depend on the branch is told elsewhere: what a
    person wants or has settled, what holds in every project, what is anchored in code that is
    here too. A warning is told as well: one too many costs a line, one too few the mistake.
    """
    if standing is not Standing.UNMERGED or scope is Scope.GLOBAL:
        return Telling.PLAINLY
    if RULES[kind].branch_bound:
        return Telling.NOT
    found = anchored in (Freshness.FRESH, Freshness.DRIFTED)
    free = kind in GOES_EVERYWHERE or kind is Kind.WARNING
    return Telling.WITH_BRANCH if found or free or pinned else Telling.NOT
