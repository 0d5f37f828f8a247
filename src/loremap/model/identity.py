"""Which project a folder belongs to: the keys it is known by, and the rule that matches them.

A memory belongs to a repository, so worktrees, second clones, renamed remotes and moved folders
mean the project that was there before, while forks and histories begun anew do not. Reading the
facts is `code.repository`'s job; the storage looks keys up and writes what is decided:

    repository = repository_at(folder)
    if wants_root(identity_keys(repository), known):
        repository = rooted(repository)
    decision = resolved(identity_keys(repository), known)
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote, unquote

Place = Literal["repository", "folder", "global"]
Sameness = Literal["same remote", "same place", "same history"]
Newness = Literal["first seen", "fork", "begun anew"]


@dataclass(frozen=True, kw_only=True)
class Repository:
    """What git says of a folder; where git says nothing, the folder itself."""

    root: Path
    """The top of this worktree, links resolved; of a bare repository, its own folder."""
    kind: Place
    name: str
    """What to call it: the last part of the remote, else the folder's name."""
    folder: str = ""
    """Where inside `root` the caller stands, as a posix path; empty at the top."""
    common_dir: Path | None = None
    """The git folder that all worktrees share."""
    remote: str | None = None
    """The normalised remote; it never holds credentials."""
    remote_name: str | None = None
    roots: tuple[str, ...] = ()
    """First commits of the branches' main lines, oldest first; empty when none was read."""
    branch: str | None = None
    head: str | None = None
    shallow: bool = False
    worktree: bool = False
    """Whether this is a linked worktree, not the main one."""
    submodule: bool = False
    refused: bool = False
    """Whether git refuses to read it, because it belongs to somebody else."""

    @property
    def root_commit(self) -> str | None:
        """The oldest first commit; None if shallow, empty or not read."""
        return self.roots[0] if self.roots else None

    @property
    def trouble(self) -> str:
        """Why git is not asked here, and what to do about it; empty where it is."""
        if not self.refused:
            return ""
        return (
            f"git refuses to read {self.root}: it belongs to another user. Its files are read "
            "without git. If you trust it: git config --global --add safe.directory "
            f"{shlex.quote(str(self.root))}"
        )


@dataclass(frozen=True, kw_only=True)
class Known:
    """What the storage knows of the project that holds a key."""

    project_id: str
    has_remote: bool
    """Whether any `remote:` key is its own."""
    root_commit: str | None


@dataclass(frozen=True, kw_only=True)
class Claims:
    """What to write down for the project that was decided on."""

    add: tuple[str, ...] = ()
    """Keys nobody holds yet."""
    move: tuple[str, ...] = ()
    """Keys to take from the project that holds them now."""
    root_commit: str | None = None
    """The root commit to record; None leaves what is recorded."""


@dataclass(frozen=True, kw_only=True)
class SameProject:
    """The keys mean a project that exists."""

    project_id: str
    why: Sameness
    claims: Claims


@dataclass(frozen=True, kw_only=True)
class NewProject:
    """The keys mean a project that does not exist yet."""

    why: Newness
    claims: Claims


@dataclass(frozen=True)
class NoProject:
    """There is no project here: only what is global applies."""


Decision = SameProject | NewProject | NoProject


def identity_keys(repository: Repository) -> tuple[str, ...]:
    """The keys `repository` is known by, the most telling first; none for the global place.

    Later `root:` keys are there to be compared with: see `resolved`.
    """
    if repository.kind == "global":
        return ()
    remote = (f"remote:{repository.remote}",) if repository.remote else ()
    roots = tuple(f"root:{commit}" for commit in repository.roots)
    return (*remote, *roots, f"path:{_storable(_home(repository))}")


def wants_root(keys: tuple[str, ...], known: Callable[[str], Known | None]) -> bool:
    """Whether the root commits must be read before `resolved` may judge a remote it never met."""
    remote, roots = _first(keys, "remote:"), _all(keys, "root:")
    return remote is not None and not roots and known(remote) is None


def resolved(keys: tuple[str, ...], known: Callable[[str], Known | None]) -> Decision:
    """The project that `keys` mean, and which keys it gains.

    The remote decides where it is known. Else the place does, unless another history lies there
    now. Else the history does, unless both sides have a remote: then one is a fork of the other.
    """
    remote, path, roots = _first(keys, "remote:"), _first(keys, "path:"), _all(keys, "root:")
    if path is None:
        return NoProject()
    # Only the oldest root is looked up and claimed: a later one may be the history of another
    # project, merged in or kept on a branch of its own.
    holders = {key: known(key) for key in (remote, *roots[:1], path) if key is not None}
    by_remote = holders[remote] if remote else None
    by_place = holders[path]
    by_root = holders[roots[0]] if roots else None
    found: Known | None = None
    same: Sameness = "same remote"
    if by_remote:
        found = by_remote
    elif by_place and _agree(by_place, roots):
        found, same = by_place, "same place"
    elif by_root and not (remote and by_root.has_remote):
        found, same = by_root, "same history"
    claims = _claims(found, holders, roots=roots)
    if found:
        return SameProject(project_id=found.project_id, why=same, claims=claims)
    new: Newness = "fork" if by_root else "begun anew" if by_place else "first seen"
    return NewProject(why=new, claims=claims)


def _claims(
    found: Known | None, holders: dict[str, Known | None], *, roots: tuple[str, ...]
) -> Claims:
    """Keys nobody holds are added; a place follows who lives there; a history stays put."""
    elsewhere = [
        key
        for key, holder in holders.items()
        if holder and (found is None or holder.project_id != found.project_id)
    ]
    unrecorded = bool(roots) and (found is None or f"root:{found.root_commit}" not in roots)
    return Claims(
        add=tuple(key for key, holder in holders.items() if holder is None),
        move=tuple(key for key in elsewhere if key.startswith("path:")),
        root_commit=roots[0].removeprefix("root:") if unrecorded else None,
    )


def _agree(project: Known, roots: tuple[str, ...]) -> bool:
    """Whether nothing speaks against `project` having these roots."""
    return project.root_commit is None or not roots or f"root:{project.root_commit}" in roots


def _first(keys: tuple[str, ...], prefix: str) -> str | None:
    return next((key for key in keys if key.startswith(prefix)), None)


def _all(keys: tuple[str, ...], prefix: str) -> tuple[str, ...]:
    return tuple(key for key in keys if key.startswith(prefix))


def _home(repository: Repository) -> Path:
    """The one folder all worktrees have in common.

    A main worktree stands for its `.git`, so a plain folder keeps its key when git comes or goes.
    """
    shared = repository.common_dir or repository.root
    return shared.parent if shared.name == ".git" else shared


def _storable(path: Path) -> str:
    """`path` as text any database takes: bytes that are no UTF-8 are spelt out."""
    return path.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


_URL = re.compile(r"([a-z][a-z0-9+.-]*)://([^/?#]*)(.*)", re.IGNORECASE)
_QUERY = re.compile(r"[?#].*")
_SCP = re.compile(r"((?:[^/\[\]]*@)?(?:\[[^\]/]*\]|[^/:@\[\]]{2,})):(?!:)(.*)")
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]+)(?::([0-9]*))?")
_DEFAULT_PORTS = {
    "ssh": "22",
    "git+ssh": "22",
    "ssh+git": "22",
    "https": "443",
    "http": "80",
    "git": "9418",
    "ftps": "990",
    "ftp": "21",
}
_SSH_OVER_443 = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
# `Host github.com-work` in an ssh configuration is how people keep two accounts apart.
_ACCOUNT_ALIAS = re.compile(r"(github\.com|gitlab\.com|bitbucket\.org)-[\w.-]+")
# GitHub takes any case for the same repository. Elsewhere a server may hold two repositories that
# differ by case only, and mixing two memories is worse than splitting one.
_CASELESS_HOSTS = frozenset({"github.com", "gist.github.com"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_TOKEN = re.compile(
    r"(?:gh[oprsu]_|github_pat_|glpat-|atbb|atctt|xox[abp]-|bbdc-)[\w-]{16,}", re.IGNORECASE
)


def normalised_remote(url: str) -> str | None:
    """`host/path` of a remote, the same for every way to write it; None for a local path.

    A local path names a place on one machine: the root commit and the folder say more. What cannot
    be read for certain is None too, so that no part of a password is taken for a path.
    """
    parts = _authority_and_path(url.strip())
    if parts is None:
        return None
    scheme, authority, path = parts
    host = _host(authority, default_port=_DEFAULT_PORTS[scheme])
    steps = [step for step in unquote(path).split("/") if step not in ("", ".")]
    if host is None or ".." in steps or any("@" in step for step in steps):
        return None
    host, steps = _azure(host, _trimmed(steps))
    if not steps:
        return None
    joined = "/".join(steps)
    remote = f"{host}/{quote(joined.lower() if host in _CASELESS_HOSTS else joined, safe='/+~')}"
    return None if _TOKEN.search(remote) else remote


def remote_title(remote: str) -> str:
    """The last part of a normalised remote, to be read."""
    return readable(unquote(remote.rpartition("/")[2]))


def readable(name: str) -> str:
    """`name` on one line, without control characters."""
    return " ".join(_CONTROL.sub(" ", name).split())


def _authority_and_path(url: str) -> tuple[str, str, str] | None:
    """The scheme, authority and path of a remote that is neither local nor a remote helper's."""
    if found := _URL.fullmatch(url):
        scheme, rest = found[1].lower(), found[3]
        # An @ past the host is a password with a sign in it that should have been escaped.
        readable = scheme in _DEFAULT_PORTS and "@" not in rest
        return (scheme, found[2], _QUERY.sub("", rest)) if readable else None
    found = None if "://" in url else _SCP.fullmatch(url)
    if found is None or found[1].lower() in (*_DEFAULT_PORTS, "file"):
        return None
    bracketed = found[1].partition("[")[2].rstrip("]")
    # [host:port]:path; more colons are those of an IPv6 address, which keeps its brackets
    authority = bracketed if 0 < bracketed.count(":") < 2 else found[1]
    return "ssh", authority, found[2]


def _host(authority: str, *, default_port: str) -> str | None:
    """The host, lower-cased, with its port where that is not the default."""
    found = _AUTHORITY.fullmatch(authority.rpartition("@")[2].lower())
    if found is None:
        return None
    name = found[1].rstrip(".").removeprefix("www.")
    port = found[2] or default_port
    if name in _SSH_OVER_443:
        return _SSH_OVER_443[name]
    if alias := _ACCOUNT_ALIAS.fullmatch(name):
        name = alias[1]
    if not name.strip(".-"):
        return None
    return name if port == default_port else f"{name}:{port}"


def _trimmed(steps: list[str]) -> list[str]:
    """The path without `~/`, `.git` and the `/.git` of a repository that has a worktree."""
    steps = steps[1:] if steps[:1] == ["~"] else steps
    if not steps:
        return []
    last = steps[-1].removesuffix(".git")
    return [*steps[:-1], last] if last else steps[:-1]


def _azure(host: str, steps: list[str]) -> tuple[str, list[str]]:
    """Azure DevOps writes one repository in five ways; the others' addresses stay as they are."""
    organisation, _, domain = host.partition(".")
    if host in ("ssh.dev.azure.com", "vs-ssh.visualstudio.com") and steps[:1] == ["v3"]:
        return "dev.azure.com", steps[1:]
    if domain == "visualstudio.com":
        collection = steps[:1] == ["DefaultCollection"]
        host, steps = "dev.azure.com", [organisation, *steps[collection:]]
    if host == "dev.azure.com" and steps[-2:-1] == ["_git"]:
        # The repository a project is born with bears its name, and the address leaves it out.
        project = steps[1:-2] or steps[-1:]
        steps = [*steps[:1], *project, steps[-1]]
    return host, steps
