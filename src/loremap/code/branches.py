"""What git says of branches: which commit this is, what is merged, what is gone."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from loremap.code.git import git_says, shown_text
from loremap.model.branches import AFTER, Seen, Written
from loremap.model.identity import Repository

ASKED_AGAIN_S = 5.0
"""How long an answer of git holds: a recall asks a few of them, a session many recalls."""
TRUNKS = ("main", "master", "trunk")
"""What the trunk is called where no remote says which it is."""
_OBJECT_NAME = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REFS = (
    *("for-each-ref", "--format=%(objectname) %(refname) %(symref)"),
    *("refs/heads", "refs/remotes"),
)


@dataclass(frozen=True, slots=True)
class Heads:
    """What history is read from here."""

    head: str
    """The commit that is checked out."""
    trunk: str | None
    """The branch that others are merged into; the one that is checked out where nothing says."""
    tips: tuple[str, ...]
    """Its newest commits, here and at remotes."""


@dataclass(slots=True)
class _Answers:
    """What git answered at one time."""

    at: float
    trunk: str | None = None
    tips: Mapping[str, frozenset[str]] = field(default_factory=dict)
    local: Mapping[str, str] = field(default_factory=dict)
    inside: dict[str, bool | None] = field(default_factory=dict)
    """Whether a commit is in the history of this checkout or the trunk; None where unknown."""


class Branches:
    """The branches of one checkout; git is asked only where a memory of another one turns up."""

    def __init__(
        self, repository: Repository, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._repository = repository
        self._clock = clock
        self._known: _Answers | None = None

    def commit_now(self) -> str | None:
        """The commit a memory written now belongs to; with AFTER behind it on a branch that has no
        commit of its own yet, because what is written there speaks of what will follow."""
        branch = self._repository.branch
        if self._repository.kind != "repository" or branch is None:
            return self._repository.head
        known = self._answers()
        head = known.local.get(branch)
        if head is None or known.trunk in (None, branch):
            return head
        listed = self._git("rev-list", "--max-count=1", head, "--not", *known.tips[known.trunk])
        return head if listed or listed is None else f"{head}{AFTER}"

    def heads(self) -> Heads | None:
        """Where history begins, read anew; None where there is none."""
        here = self._repository
        if here.kind != "repository":
            return None
        self._known = None
        known = self._answers()
        head = known.local.get(here.branch or "") or here.head
        if head is None:
            return None
        if known.trunk is None:
            return Heads(head, here.branch, (head,))
        return Heads(head, known.trunk, tuple(sorted(known.tips[known.trunk])))

    def seen(self, written: Iterable[Written]) -> Seen:
        """What git says of all that these memories were written in."""
        here = self._repository
        elsewhere = [one for one in written if one.branch not in (None, here.branch)]
        if here.kind != "repository" or not elsewhere:
            return Seen(branch=here.branch)
        known = self._answers()
        unsure = [one for one in elsewhere if one.branch != known.trunk]
        names = {one.branch for one in unsure if one.branch}
        tips = {name: known.tips[name] for name in names if name in known.tips}
        commits = {one.commit for one in unsure if one.commit}
        self._look_up(known, filter(_OBJECT_NAME.fullmatch, commits.union(*tips.values())))
        return Seen(
            branch=here.branch,
            trunk=known.trunk,
            tips=tips,
            outside=frozenset(one for one, inside in known.inside.items() if inside is False),
            unknown=frozenset(one for one, inside in known.inside.items() if inside is None),
            shallow=here.shallow,
        )

    def _look_up(self, known: _Answers, commits: Iterable[str]) -> None:
        """Find out which commits are known, and which of those are merged."""
        missing = sorted(set(commits) - known.inside.keys())
        if not missing:
            return
        answer = self._git("cat-file", "--batch-check", given="\n".join(missing))
        if answer is None:
            return  # git is late: nothing is held against a memory that cannot be judged
        there = {line.split()[0] for line in answer.splitlines() if line.split()[1] == "commit"}
        known.inside.update(dict.fromkeys(missing, None))
        trunk = known.tips.get(known.trunk or "", frozenset())
        listed = self._git("rev-list", *sorted(there), "--not", "HEAD", *trunk) if there else ""
        if listed is None:
            listed = ""
        ahead = set(listed.split())
        known.inside.update({commit: commit not in ahead for commit in there})

    def _answers(self) -> _Answers:
        now = self._clock()
        if self._known is None or now - self._known.at > ASKED_AGAIN_S:
            self._known = self._asked(now)
        return self._known

    def _asked(self, now: float) -> _Answers:
        tips: dict[str, set[str]] = {}
        local: dict[str, str] = {}
        trunk = None
        for line in (self._git(*_REFS) or "").splitlines():
            commit, name, symref = line.split(" ")
            if name.startswith("refs/heads/"):
                branch = name.removeprefix("refs/heads/")
                local[branch] = commit
            else:
                remote, _, branch = name.removeprefix("refs/remotes/").partition("/")
                if branch == "HEAD":
                    if remote == self._repository.remote_name:
                        trunk = symref.removeprefix(f"refs/remotes/{remote}/") or trunk
                    continue
            tips.setdefault(branch, set()).add(commit)
        return _Answers(
            now,
            trunk if trunk in tips else next((name for name in TRUNKS if name in tips), None),
            {name: frozenset(commits) for name, commits in tips.items()},
            local,
        )

    def _git(self, *arguments: str, given: str = "") -> str | None:
        answer = git_says(arguments, at=self._repository.root, given=given.encode())
        return None if answer is None else shown_text(answer)
