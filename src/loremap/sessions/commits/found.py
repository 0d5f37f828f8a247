"""What a stretch of history teaches, one finding to a commit, and what of it was taken back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from loremap.code.commits import Changed, Commit, changes_of, files_of, read_commits, symbols_of
from loremap.model.kind import Kind
from loremap.sessions.commits.evidence import (
    MAX_FILES,
    content_of,
    features,
    fitted,
    may_teach,
    product_files,
)
from loremap.sessions.commits.message import Message, parsed

MAX_FINDINGS = 200
"""Of one stretch so many are kept, the surest."""
COMPARED_AT_ONCE = 50
MAX_NAMED_FILES, MAX_SYMBOLS = 3, 4
_BOT = ("[bot]", "dependabot", "renovate", "github-actions")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitFinding:
    """What one commit teaches."""

    commit: Commit
    message: Message
    belief: float
    files: tuple[str, ...]
    """The files of the product that it changed and that still stand, the most changed first."""
    changed: Changed

    @property
    def content(self) -> str:
        """What is remembered."""
        return content_of(self.message)

    @property
    def kind(self) -> Kind:
        """What kind of thing it teaches."""
        if self.message.is_revert:
            return Kind.DEAD_END
        return Kind.GOTCHA if self.message.is_fix else Kind.DECISION

    @property
    def because(self) -> str:
        """What it was found by, in a few words."""
        if self.message.is_revert:
            return "a commit took another one back and says why"
        return "a commit says what breaks" if self.message.breaking else "a commit says why"

    def symbols(self, root: Path) -> tuple[str, ...]:
        """What of the code in its files it changed."""
        files = [one for one in self.changed.files if one.path in self.files]
        return symbols_of(root, self.commit.id, files)[:MAX_SYMBOLS]


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a stretch of history teaches, the oldest first."""

    findings: tuple[CommitFinding, ...] = ()
    reverts: tuple[tuple[Commit, Message], ...] = ()
    """The commits that took others back, and what they say of it."""


def found_in(root: Path, ids: Sequence[str], *, exists: Callable[[str], bool]) -> Stretch:
    """What commits teach about files that still stand."""
    every = [(one, parsed(one.message)) for one in read_commits(root, ids) if not _is_bot(one)]
    gone = _taken_back(every)
    reverts = tuple(one for one in every if one[1].is_revert and one[0].id not in gone)
    telling = [(one, said) for one, said in every if one.id not in gone and may_teach(said)]
    files = files_of(root, [one.id for one, _ in telling])
    standing = {
        one.id: [path for path in product_files(files.get(one.id, ())) if exists(path)]
        for one, _ in telling
        if len(files.get(one.id, ())) <= MAX_FILES
    }
    wanted = [(one, said) for one, said in telling if standing.get(one.id)]
    changes = _changes(root, [one.id for one, _ in wanted])
    made = [
        _finding(commit, message, changes[commit.id], standing[commit.id])
        for commit, message in wanted
        if commit.id in changes
    ]
    return Stretch(_surest([one for one in made if _is_sure(one)]), reverts)


def _is_sure(one: CommitFinding) -> bool:
    """Whether it teaches: by its form where that says so, else by what speaks for it."""
    return one.message.is_revert or bool(one.message.breaking) or one.belief >= fitted().threshold


def _surest(found: Sequence[CommitFinding]) -> tuple[CommitFinding, ...]:
    bar = sorted((one.belief for one in found), reverse=True)[:MAX_FINDINGS][-1:]
    return tuple(one for one in found if not bar or one.belief >= bar[0])


def _is_bot(commit: Commit) -> bool:
    """Whether a program wrote it."""
    return any(sign in f"{commit.author} {commit.email}".casefold() for sign in _BOT)


def _taken_back(every: Sequence[tuple[Commit, Message]]) -> set[str]:
    """The commits that a later one took back, unless that was taken back in turn."""
    gone = set[str]()
    for place in range(len(every) - 1, -1, -1):
        commit, message = every[place]
        if commit.id not in gone and message.is_revert:
            gone |= _named_by(message, every[:place])
    return gone


def _named_by(message: Message, before: Sequence[tuple[Commit, Message]]) -> set[str]:
    """The commits that a message takes back: those it names, else the last of that subject."""
    if message.reverts:
        return {one.id for one, _ in before if one.id.startswith(message.reverts)}
    same = [one.id for one, said in before if said.subject == message.reverted_subject]
    return set(same[-1:])


def _changes(root: Path, ids: Sequence[str]) -> Mapping[str, Changed]:
    parts = (ids[at : at + COMPARED_AT_ONCE] for at in range(0, len(ids), COMPARED_AT_ONCE))
    return {id_: changed for part in parts for id_, changed in changes_of(root, part).items()}


def _finding(
    commit: Commit, message: Message, changed: Changed, standing: Sequence[str]
) -> CommitFinding:
    sizes = {one.path: one.changed for one in changed.files}
    files = sorted(standing, key=lambda path: -sizes.get(path, 0))[:MAX_NAMED_FILES]
    return CommitFinding(
        commit=commit,
        message=message,
        belief=fitted().belief(features(message, changed)),
        files=tuple(files),
        changed=changed,
    )
