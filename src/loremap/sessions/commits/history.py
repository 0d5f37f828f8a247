"""Learns from the history of a repository: once when it becomes known, then as commits arrive.

How far it was read is kept, so that whoever comes next goes on there; to read a commit twice
changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime

from loremap.code.branches import Heads
from loremap.code.commits import (
    ahead_of,
    authors,
    commits_between,
    known_here,
    made_here,
    read_commits,
    user_email,
)
from loremap.errors import BadInput
from loremap.memory import changing, remembering
from loremap.memory.workspace import Workspace
from loremap.memory.writing import settled_project
from loremap.model.life import REVERTED
from loremap.model.memory import BY_GIT, Actor, Candidate, Memory, Origin, Status
from loremap.model.outcome import Outcome, Stored, Superseded
from loremap.model.text import cut, one_line
from loremap.sessions.commits.evidence import content_of
from loremap.sessions.commits.found import CommitFinding, Stretch, found_in
from loremap.sessions.commits.message import Message, parsed
from loremap.sessions.commits.trust import ESTABLISHED, Trust
from loremap.storage import memories, projects
from loremap.storage.learning import LEARNING
from loremap.storage.projects import GitRead

MAX_COMMITS = 2_000
"""So much of the newest history is looked at."""
MAX_TIPS = 16
AT_ONCE = 20
MAX_KNOWN = 3_000
SUBJECT_CHARACTERS = 200
SHORT_ID = 12
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Taught:
    """One finding, and what became of it."""

    finding: CommitFinding
    may_speak: bool
    """Whether it is told before a person has kept it."""
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class HistoryRead:
    """What a reading of history came to."""

    commits: int = 0
    taught: tuple[Taught, ...] = ()
    withdrawn: tuple[Memory, ...] = ()
    """What commits had taught that others took back."""
    is_done: bool = True
    """Whether all was read in time."""

    @property
    def new(self) -> tuple[Memory, ...]:
        """What was not known before."""
        outcomes = (one.outcome for one in self.taught)
        return tuple(one.memory for one in outcomes if isinstance(one, Stored | Superseded))


@dataclass(frozen=True, slots=True)
class _Place:
    """From where history is read."""

    heads: Heads
    trust: Trust
    ahead: frozenset[str]
    """The commits that are not on the trunk."""

    def may_speak(self, finding: CommitFinding) -> bool:
        return self.trust.in_commit(finding.commit, on_trunk=finding.commit.id not in self.ahead)


class History:
    """What the commits of this folder's repository teach."""

    def __init__(self, here: Workspace) -> None:
        self._here = here
        self._root = here.repository.root

    @property
    def is_on(self) -> bool:
        """Whether commits here are learned from by themselves."""
        here = self._here
        if not here.settings.flag("learn.git") or here.repository.kind != "repository":
            return False
        if here.project_id is None:
            return True
        with here.store.read() as conn:
            enabled = projects.is_enabled(conn, here.project_id)
            return enabled and projects.learns(conn, here.project_id)

    @property
    def is_due(self) -> bool:
        """Whether there are commits that were not read."""
        heads, read = self._here.branches.heads(), self._read()
        return heads is not None and (bool(read.target) or not _tips(heads) <= set(read.known))

    def preview(self, *, since: datetime | None = None) -> HistoryRead:
        """What would be learned now; nothing is kept."""
        heads = self._heads()
        if heads is None:
            return HistoryRead()
        ids = self._ids(_tips(heads), () if since else self._read().known, since=since) or []
        stretch, place = self._found(ids), self._place(heads)
        taught = (Taught(one, place.may_speak(one)) for one in stretch.findings)
        return HistoryRead(len(ids), tuple(taught))

    def learn(
        self,
        *,
        since: datetime | None = None,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> HistoryRead:
        """Learn from the commits that were not read, or from all `since` then; what is not done
        within so many `seconds` is left to whoever comes next."""
        heads, until = self._heads(), None if seconds is None else time.monotonic() + seconds
        project = settled_project(self._here)
        if project is None or heads is None:
            return HistoryRead()
        if since is not None:
            ids = self._ids(_tips(heads), (), since=since)
            return self._kept(heads, ids, GitRead(), until=until, progress=progress)
        read = self._begun(heads)
        if not read.target:
            return HistoryRead()
        ids = self._ids(read.target, read.known)
        return self._kept(heads, ids, read, until=until, progress=progress)

    def _kept(
        self,
        heads: Heads,
        ids: Sequence[str] | None,
        read: GitRead,
        *,
        until: float | None,
        progress: Progress | None,
    ) -> HistoryRead:
        if ids is None:
            return HistoryRead(is_done=False)
        stretch, place = self._found(ids), self._place(heads)
        waiting = _after(read.read, stretch.findings, ids)
        taught, done = list[Taught](), 0
        withdrawn = self._withdrawn(stretch, place)
        for at in range(0, len(waiting), AT_ONCE):
            if until is not None and at and time.monotonic() >= until:
                break
            part = waiting[at : at + AT_ONCE]
            taught += self._remembered(part, place)
            done += len(part)
            self._note(replace(read, read=part[-1].commit.id))
            if progress is not None:
                progress("commits", done, len(waiting))
        is_done = done == len(waiting)
        if is_done and read.target:
            known = dict.fromkeys((*read.target, *read.known))
            self._note(GitRead(known=tuple(known)[:MAX_TIPS]))
        return HistoryRead(len(ids), tuple(taught), withdrawn, is_done)

    # What is there to read

    def _heads(self) -> Heads | None:
        """Where history begins; None where nothing was committed yet."""
        if self._here.repository.kind != "repository":
            raise BadInput(
                "There is no history here to learn from.", hint="Run this in a git repository."
            )
        return self._here.branches.heads()

    def _read(self) -> GitRead:
        if self._here.project_id is None:
            return GitRead()
        with self._here.store.read() as conn:
            return projects.git_read(conn, self._here.project_id)

    def _note(self, read: GitRead) -> None:
        if read.target or read.known:
            with self._here.store.append() as conn:
                projects.note_git_read(conn, self._here.project_id or "", read)

    def _begun(self, heads: Heads) -> GitRead:
        """The reading that is to be gone on with, or a new one; without a target there is none."""
        read = self._read()
        if read.target and len(known_here(self._root, read.target)) == len(set(read.target)):
            return read
        tips = _tips(heads)
        if tips <= set(read.known):
            return GitRead(known=read.known)
        return GitRead(known=read.known, target=tuple(sorted(tips)))

    def _ids(
        self,
        tips: Sequence[str] | frozenset[str],
        known: Sequence[str],
        *,
        since: datetime | None = None,
    ) -> list[str] | None:
        """The commits to be read, the oldest first; None where git does not say in time."""
        here = known_here(self._root, known)
        return commits_between(self._root, sorted(tips), here, limit=MAX_COMMITS, since=since)

    def _found(self, ids: Sequence[str]) -> Stretch:
        code = self._here.checkout.look()
        return Stretch() if code is None else found_in(self._root, ids, exists=code.exists)

    def _place(self, heads: Heads) -> _Place:
        counts = authors(self._root, heads.tips, limit=MAX_COMMITS)
        trust = Trust(
            made_here=made_here(self._here.repository.common_dir),
            user=user_email(self._root),
            established=frozenset(one for one, count in counts.items() if count >= ESTABLISHED),
        )
        ahead = ahead_of(self._root, heads.head, heads.tips, limit=MAX_COMMITS)
        return _Place(heads, trust, ahead)

    # What becomes of it

    def _remembered(self, part: Sequence[CommitFinding], place: _Place) -> list[Taught]:
        """What findings become, as candidates in the name of the rule that read them."""
        speaker = copy(self._here)
        speaker.session_id = speaker.agent = None
        speaker.actor = Actor(speaker.actor.tenant_id, speaker.actor.owner_id, LEARNING)
        ready = [self._candidate(one, place) for one in part]
        outcomes = remembering.admit_all(speaker, ready, limits=remembering.desk(speaker).limits)
        return [
            Taught(one, place.may_speak(one), outcome)
            for one, outcome in zip(part, outcomes, strict=True)
        ]

    def _candidate(self, one: CommitFinding, place: _Place) -> Candidate:
        commit = one.commit
        branch = self._here.repository.branch if commit.id in place.ahead else place.heads.trunk
        subject = cut(one_line(one.message.subject), SUBJECT_CHARACTERS)
        return Candidate(
            content=one.content,
            kind=one.kind,
            origin=Origin.OBSERVED if place.may_speak(one) else Origin.FILE,
            created_by=BY_GIT,
            confidence=round(max(0.5, min(0.9, one.belief)), 2),
            branch=branch,
            commit_id=commit.id,
            snippet=f"commit {commit.id[:SHORT_ID]} by {one_line(commit.author)}: {subject}",
            confidence_reason=one.because,
            files=one.files,
            symbols=one.symbols(self._root),
            created_at=min(commit.at, self._here.now()),
        )

    def _withdrawn(self, stretch: Stretch, place: _Place) -> tuple[Memory, ...]:
        """Withdraw what commits had taught that others took back since."""
        if not stretch.reverts:
            return ()
        known = [one for one in self._of_commits() if not one.vouched and not one.pinned]
        gone = {
            memory.id: memory
            for commit, message in stretch.reverts
            if place.trust.in_commit(commit, on_trunk=commit.id not in place.ahead)
            for memory in self._taught_by_reverted(
                message, [one for one in known if one.created_at <= commit.at]
            )
        }
        return tuple(changing.withdraw(self._here, id_, reason=REVERTED) for id_ in gone)

    def _taught_by_reverted(self, message: Message, known: Sequence[Memory]) -> list[Memory]:
        """Of what commits had taught, what came from those that a message takes back: by their
        names, under which they may have been rebased since; else by the last of that subject."""
        if message.reverts:
            named = read_commits(self._root, message.reverts)
            said = {content_of(parsed(one.message)) for one in named}
            return [
                one
                for one in known
                if (one.commit_id or "").startswith(message.reverts) or one.content in said
            ]
        same = [one for one in known if _begins_with(one.content, message.reverted_subject)]
        return sorted(same, key=lambda one: one.created_at)[-1:]

    def _of_commits(self) -> list[Memory]:
        wanted = memories.Filter(
            tenant_id=self._here.actor.tenant_id,
            project_id=self._here.project_id,
            statuses=(Status.CANDIDATE, Status.CONFIRMED),
        )
        with self._here.store.read() as conn:
            found = memories.listing(conn, wanted, limit=MAX_KNOWN)
        return [one for one in found if one.created_by == BY_GIT]


def _tips(heads: Heads) -> frozenset[str]:
    return frozenset({heads.head, *heads.tips})


def _after(
    last: str, findings: Sequence[CommitFinding], ids: Sequence[str]
) -> Sequence[CommitFinding]:
    """The findings that come after a commit, whether or not that still teaches anything."""
    places = {id_: place for place, id_ in enumerate(ids)}
    begin = places.get(last, -1)
    return [one for one in findings if places[one.commit.id] > begin]


def _begins_with(content: str, subject: str) -> bool:
    """Whether what a commit taught has this subject, all of it and no more."""
    ended = subject if subject[-1] in ".!?" else f"{subject}."
    return content == subject or content.startswith(f"{ended} ")
