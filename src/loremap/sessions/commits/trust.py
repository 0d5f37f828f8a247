"""Whose commits may speak without a person's word: those of the people who write this project.

Anybody may write any name into a commit. What a clone cannot be given is its own log of what was
committed in it; names count only where they are established on the trunk, and only for a user who
takes part (docs/decisions/0021-whose-commits-speak.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from loremap.code.commits import Commit

ESTABLISHED = 3
"""Commits on the trunk after which an author belongs to the project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What is known of who writes this project."""

    made_here: frozenset[str]
    """Commits that were made in this clone."""
    user: str
    """The address its user commits under."""
    established: frozenset[str]
    """The addresses of the authors who belong to the project."""

    @property
    def takes_part(self) -> bool:
        """Whether the user of this clone is one of those who write the project."""
        return bool(self.made_here) or self.user in self.established

    def in_commit(self, commit: Commit, *, on_trunk: bool) -> bool:
        """Whether a commit's message may speak: it was made here, or it is on the trunk and by the
        user, or by an established author of a project that the user takes part in."""
        if commit.id in self.made_here:
            return True
        is_users = bool(self.user) and commit.email == self.user
        return on_trunk and (is_users or (self.takes_part and commit.email in self.established))
