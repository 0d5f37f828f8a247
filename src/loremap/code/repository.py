"""Reads what git says of a folder, in two short calls, and what the files say where git cannot.

A plain folder costs no call at all, a repository with a remote two, one without a third that walks
the main line of its history. Nothing here runs a hook, asks for a password or touches the network.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from loremap.code.git import git_says, is_refused, shown_text
from loremap.code.remotes import chosen_remote
from loremap.errors import BadInput
from loremap.model.identity import Repository, readable, remote_title

_HISTORY_SECONDS = 2.0
_SMALL_BYTES = 8192
_MARK = "--loremap-mark"
"""rev-parse repeats a flag it does not know, which parts one path from the next: both may hold
newlines."""
_FACTS = (
    *("rev-parse", "--is-inside-work-tree", "--is-shallow-repository"),
    *(_MARK, "--absolute-git-dir", _MARK, "--git-common-dir", _MARK, "--show-prefix"),
    # Last, because everything after the HEAD of a repository without commits is dropped.
    *(_MARK, "--revs-only", "HEAD", "--symbolic-full-name", "HEAD"),
)
_OBJECT_NAME = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BRANCHES = "refs/heads/"


def repository_at(folder: Path) -> Repository:
    """The repository `folder` lies in, else the folder itself; a lost folder is no error.

    Root commits are read only where there is no remote: `rooted` reads them on demand.
    """
    folder = _real(folder)
    if _is_file(folder):
        folder = folder.parent
    marker = _marker(folder)
    if marker is None:
        return _plain(folder)
    place = _nearest(folder)
    facts = _facts(place)
    if facts is None:
        return replace(_by_files(folder, marker), refused=is_refused(place))
    repository = _described(folder, place, marker, facts)
    if repository.root != _holder(marker):
        return _by_files(folder, marker)  # its settings claim other folders than it lies in
    return repository if repository.remote else rooted(repository)


def shared_folder(folder: Path) -> Path | None:
    """The git folder of the repository that a folder lies in, the same for all its worktrees, as
    the files tell: git is not asked, and the folder may have gone. None where there is none."""
    marker = _marker(_real(folder))
    if marker is None or not _is_git_dir(git_dir := _git_dir(marker)):
        return None
    return _real(git_dir / (_read(git_dir / "commondir") or "."))


def rooted(repository: Repository) -> Repository:
    """`repository` with its root commits, as far as they are found in time."""
    if repository.kind != "repository" or repository.shallow:
        return repository  # the first commits of a shallow clone are where it was cut off
    tips = ("--branches", *([repository.head] if repository.head else []))
    # The main line only: shorter by far, and blind to histories merged in from other projects.
    walk = ("rev-list", "--first-parent", "--max-parents=0", "--timestamp", *tips)
    listed = git_says(walk, at=_nearest(repository.root), seconds=_HISTORY_SECONDS)
    commits = [line.split() for line in shown_text(listed or b"").splitlines()]
    oldest_first = sorted((int(seconds), commit) for seconds, commit in commits)
    return replace(repository, roots=tuple(commit for _, commit in oldest_first))


@dataclass(frozen=True, kw_only=True)
class _Facts:
    """What `git rev-parse` answers, before it is put together."""

    in_worktree: bool
    shallow: bool
    git_dir: Path
    common_dir: Path
    prefix: str
    head: str | None
    ref: str | None


def _described(folder: Path, place: Path, marker: Path, facts: _Facts) -> Repository:
    branch = facts.ref if facts.head else _head_file(facts.git_dir)
    branch = branch.removeprefix(_BRANCHES) if branch and branch.startswith(_BRANCHES) else None
    remote_name, remote = chosen_remote(place, branch)
    depth = len(PurePosixPath(facts.prefix).parts)
    root = (place, *place.parents)[depth] if facts.in_worktree else _holder(marker)
    return Repository(
        root=root,
        kind="repository",
        name=remote_title(remote) if remote else _title(facts.common_dir),
        folder=_inside(folder, root) if facts.in_worktree else "",
        common_dir=facts.common_dir,
        remote=remote,
        remote_name=remote_name,
        branch=branch,
        head=facts.head,
        shallow=facts.shallow,
        worktree=facts.git_dir != facts.common_dir,
        submodule=_is_submodule(facts.common_dir),
    )


def _plain(folder: Path) -> Repository:
    if folder in _global_places():
        return Repository(root=folder, kind="global", name="global")
    return Repository(root=folder, kind="folder", name=_title(folder))


def _by_files(folder: Path, marker: Path) -> Repository:
    """What can be told when git is missing, slow or refuses: the place, not the remote.

    The place is enough: it is the same key that git gives, and the remote joins it later. A `.git`
    that leads nowhere still says where the project begins.
    """
    root, git_dir = _holder(marker), _git_dir(marker)
    inside = "" if folder.is_relative_to(marker) else _inside(folder, root)
    if not _is_git_dir(git_dir):
        return Repository(root=root, kind="folder", name=_title(root), folder=inside)
    common_dir = _real(git_dir / (_read(git_dir / "commondir") or "."))
    head = _head_file(git_dir)
    return Repository(
        root=root,
        kind="repository",
        name=_title(common_dir),
        folder=inside,
        common_dir=common_dir,
        branch=head.removeprefix(_BRANCHES) if head.startswith(_BRANCHES) else None,
        head=head if _OBJECT_NAME.fullmatch(head) else None,
        shallow=_exists(common_dir / "shallow"),
        worktree=git_dir != common_dir,
        submodule=_is_submodule(common_dir),
    )


def _facts(place: Path) -> _Facts | None:
    answer = git_says(_FACTS, at=place)
    if answer is None:
        return None
    parts = answer.split(f"\n{_MARK}\n".encode())
    if len(parts) != 5:
        return None  # a folder bears the mark as its name
    flags, git_dir, common_dir, prefix, head = parts
    in_worktree, shallow = (flag == b"true" for flag in flags.split(b"\n"))
    commit, _, ref = shown_text(head).strip().partition("\n")
    return _Facts(
        in_worktree=in_worktree,
        shallow=shallow,
        git_dir=_real(Path(os.fsdecode(git_dir))),
        common_dir=_real(place / os.fsdecode(common_dir)),
        prefix=os.fsdecode(prefix),
        head=commit or None,
        ref=ref or None,
    )


def _marker(folder: Path) -> Path | None:
    """The `.git`, or bare repository, that git would find from `folder`; None if there is none."""
    everything = _global_places()
    for place in (folder, *folder.parents):
        if place != folder and place in everything:
            return None  # a home under git is a repository of settings, not of all that lies in it
        entry = place / ".git"
        if _is_git_dir(entry) or _read(entry).startswith("gitdir:"):
            return entry
        if _is_git_dir(place):
            return place
    return None


def _global_places() -> tuple[Path, ...]:
    """The folders that hold everything, and so are no project."""
    try:
        home = _real(Path.home())
    except RuntimeError:  # neither HOME nor an entry of the user
        return (Path(os.sep),)
    return home, Path(home.anchor)


def _holder(marker: Path) -> Path:
    return marker.parent if marker.name == ".git" else marker


def _git_dir(marker: Path) -> Path:
    """The git folder a marker means; a file names it, from where the file lies."""
    written = _read(marker)
    return _real(marker.parent / written.removeprefix("gitdir:").strip()) if written else marker


def _is_git_dir(folder: Path) -> bool:
    return _exists(folder / "HEAD") and (
        _exists(folder / "objects") or _exists(folder / "commondir")
    )


def _is_submodule(common_dir: Path) -> bool:
    """Whether the git folder lies among the modules of another one.

    git can tell as well, but it starts one more process and reads the other's whole index.
    """
    return any(
        parent.name == "modules" and _is_git_dir(parent.parent) for parent in common_dir.parents
    )


def _head_file(git_dir: Path) -> str:
    """The ref that HEAD names, even one without commits, or the commit it is detached at."""
    return _read(git_dir / "HEAD").removeprefix("ref:").strip()


def _title(folder: Path) -> str:
    """A readable name for a folder, or for the repository whose git folder it is."""
    named = folder.parent if folder.name in (".git", ".bare") else folder
    return readable(shown_text(os.fsencode(named.name.removesuffix(".git")))) or named.anchor


def _inside(folder: Path, root: Path) -> str:
    """Where `folder` lies in `root`, as text any database takes."""
    relative = folder.relative_to(root).as_posix()
    return "" if relative == "." else shown_text(os.fsencode(relative))


def _nearest(folder: Path) -> Path:
    """`folder`, or what is left of its parents where it was deleted or may not be entered."""
    return next((place for place in (folder, *folder.parents) if _exists(place / "..")), folder)


def _real(folder: Path) -> Path:
    """`folder` in full, links resolved, whether or not it is there."""
    try:
        return Path(os.path.realpath(folder))
    except ValueError as error:  # a zero byte, or half of a surrogate pair
        raise BadInput(
            "That is not the name of a folder.", hint="Name a project's folder."
        ) from error
    except FileNotFoundError as error:
        raise BadInput(
            "The current folder was deleted.", hint="Change to one that exists."
        ) from error


def _exists(path: Path) -> bool:
    """Whether `path` can be reached; what may not be seen is not there."""
    try:
        return path.exists()
    except OSError:
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _read(path: Path) -> str:
    """What one of git's small files says; empty if it is no readable file."""
    if not _is_file(path):
        return ""  # opening a pipe would wait for a writer
    try:
        with path.open("rb") as file:
            return os.fsdecode(file.read(_SMALL_BYTES).rstrip(b"\r\n"))
    except OSError:
        return ""
