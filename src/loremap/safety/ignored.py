"""Which files may not be read into memory: ignored ones, and those that hold secrets by their name.

The rules of `.gitignore` are read here, without git, because memory must work where git does not,
and as RE2, because a repository from a stranger may hold a pattern that makes `re` run for hours.
The library pathspec (1.1.1) is not used: on 4,583 paths under random rules, made as in the test,
it disagreed with `git check-ignore` on 35 and refused lines that git takes, such as `[[:alpha:]]`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from pathlib import Path, PurePath

from loremap.safety.linear import compiled

GITIGNORE = ".gitignore"
SECRETSIGNORE = ".secretsignore"


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)))


_SAFE_ENDINGS = (".example", ".sample", ".template", ".dist", ".pub")
_SAFE_NAMES = ("example.env", "sample.env", "template.env")
_SECRET_NAMES = _any_of(
    *(".env", ".env.*", ".envrc", "*.env"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdbx"),
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"),
    *(".npmrc", ".pypirc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".htpasswd", ".dockercfg"),
    *(".git-credentials", ".vault-token", "credentials", "credentials.json"),
    *("secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml"),
)
_SECRET_FOLDERS = frozenset({".ssh", ".aws", ".gnupg", ".kube"})
_MAX_BYTES = 1_000_000
_LONGEST_PATH = 4096


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file."""

    line: str
    pattern: str
    negated: bool
    folders_only: bool
    anywhere: bool

    def applies(self, path: bytes, *, folder: bool) -> bool:
        """Whether the rule is about `path`, which is relative to the rule's own folder."""
        if self.folders_only and not folder:
            return False
        subject = path.rpartition(b"/")[2] if self.anywhere else path
        return compiled(self.pattern).fullmatch(subject) is not None


def inside(path: str | os.PathLike[str], root: str | os.PathLike[str]) -> str | None:
    """`path` relative to `root`, with every link followed, or None where it lies outside."""
    try:
        base = Path(root).resolve()
        return (base / path).resolve().relative_to(base).as_posix()
    except (ValueError, OSError, RuntimeError):  # outside; unreadable or NUL; a loop of links
        return None


def refusal_for(path: str | os.PathLike[str], root: str | os.PathLike[str]) -> str | None:
    """Why the content of `path` may not be kept, in one line, or None where it may.

    A file outside `root` is judged by its name alone; whether to read it at all is for `inside`.
    """
    relative = inside(path, root)
    for name in (os.fspath(path), relative or _real(path)):
        if (reason := refused_by_name(PurePath(name))) is not None:
            return reason
    # Where git keeps its settings a remote's address may hold a password.
    if relative is not None and ".git" in PurePath(relative.lower()).parts:
        return "it belongs to git itself"
    if relative is None or relative == ".":
        return None
    return _ignored(relative, Path(root).resolve())


def refused_by_name(path: PurePath) -> str | None:
    """Why a file of that name may not be kept, or None."""
    return refused_by_parts(path.parts)


def refused_by_parts(parts: Sequence[str]) -> str | None:
    """The same for a path in parts, the last of them its name."""
    shown = parts[-1] if parts else ""
    name = shown.lower()
    if name.endswith(_SAFE_ENDINGS) or name in _SAFE_NAMES:
        return None
    if not _SECRET_FOLDERS.isdisjoint(part.lower() for part in parts[:-1]):
        return f"{shown} lies in a folder of keys"
    if _SECRET_NAMES.match(name):
        return f"{shown} is a file of secrets by its name"
    return None


def _real(path: str | os.PathLike[str]) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:  # a NUL in the name: there is no such file
        return os.fspath(path)


def _ignored(relative: str, root: Path) -> str | None:
    """Which ignore file of the project at `root` leaves `relative` out, and by which line."""
    folder = (root / relative).is_dir()
    secret = _rule_for(
        relative, lambda above: () if above else rules_of(root / SECRETSIGNORE), folder
    )
    if secret is not None:
        return f"{SECRETSIGNORE} leaves it out: {secret.line}"
    top = _repository(root)

    def rules_in(above: str) -> tuple[Rule, ...]:
        shared = () if above else rules_of(top / ".git" / "info" / "exclude")
        return (*shared, *rules_of(top / above / GITIGNORE))

    rule = _rule_for((root / relative).relative_to(top).as_posix(), rules_in, folder)
    return f"{GITIGNORE} leaves it out: {rule.line}" if rule is not None else None


def _repository(root: Path) -> Path:
    """The top folder of the git repository that `root` is in, or `root`."""
    return next((above for above in (root, *root.parents) if (above / ".git").exists()), root)


def _rule_for(
    relative: str, rules_in: Callable[[str], tuple[Rule, ...]], folder: bool
) -> Rule | None:
    """The rule that leaves out a path or a folder above it, which no later rule can bring back."""
    parts = relative.split("/")
    for depth in range(1, len(parts) + 1):
        rule = last_rule(parts[:depth], rules_in, folder=folder or depth < len(parts))
        if rule is not None and not rule.negated:
            return rule
    return None


def last_rule(
    parts: list[str], rules_in: Callable[[str], tuple[Rule, ...]], *, folder: bool
) -> Rule | None:
    """The rule that decides about one path: the last one of the nearest folder that has any."""
    for above in range(len(parts) - 1, -1, -1):
        subject = os.fsencode("/".join(parts[above:]))
        for rule in reversed(rules_in("/".join(parts[:above]))):
            if rule.applies(subject, folder=folder):
                return rule
    return None


def rules_of(path: Path) -> tuple[Rule, ...]:
    """The rules in the ignore file at `path`; none where it cannot be read."""
    try:
        stat = path.stat()
        return _rules_as_of(path, stat.st_mtime_ns, stat.st_size)
    except OSError:  # none there, or not ours to read
        return ()


@lru_cache(maxsize=512)
def _rules_as_of(path: Path, _mtime_ns: int, _size: int) -> tuple[Rule, ...]:
    with path.open("rb") as file:
        lines = file.read(_MAX_BYTES).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return tuple(rule for line in lines if (rule := rule_of(line)) is not None)


def rule_of(line: bytes) -> Rule | None:
    """The rule of one line of an ignore file; None for a blank, a comment or a broken pattern."""
    text = _trimmed(line.removesuffix(b"\r"))
    body = text.removeprefix(b"!")
    glob = body.removesuffix(b"/")
    pattern = _regex(glob.removeprefix(b"/"))
    if not glob or text.startswith(b"#") or len(glob) > _LONGEST_PATH or pattern is None:
        return None
    return Rule(
        line=text.decode("utf-8", "replace"),
        pattern=pattern,
        negated=text.startswith(b"!"),
        folders_only=body.endswith(b"/"),
        anywhere=b"/" not in glob,
    )


def _trimmed(line: bytes) -> bytes:
    """`line` without the spaces at its end, but for one that a backslash keeps."""
    bare = line.rstrip(b" ")
    kept = (len(bare) - len(bare.rstrip(b"\\"))) % 2
    return line[: len(bare) + kept]


_TOKEN = re.compile(
    rb"(?P<deep>(?:(?<=/)|^)\*{2,}(?:/|$))|(?P<star>\*+)|(?P<one>\?)"
    rb"|\[(?P<not>[!^]?)(?P<set>\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*)\]"
    rb"|\\(?P<escaped>.)|(?P<plain>[^\\\[])",
    re.DOTALL,
)
_SET_ITEM = re.compile(rb"\[:[a-z]+:\]|(?:\\.|[^\\])(?:-(?:\\.|[^\\]))?", re.DOTALL)


def _regex(glob: bytes) -> str | None:
    """The RE2 pattern of a git wildcard, over bytes as in git; None where it is broken."""
    pieces, at = list[str](), 0
    while at < len(glob):
        token = _TOKEN.match(glob, at)
        if token is None:
            return None
        piece = _piece(token)
        if piece is None:
            return None
        pieces.append(piece)
        at = token.end()
    return "".join(pieces)


def _piece(token: re.Match[bytes]) -> str | None:
    if token["deep"] is not None:
        return "(?s:.*/)?" if token["deep"].endswith(b"/") else "(?s:.+)"
    if token["star"] is not None:
        return "[^/]*"
    if token["one"] is not None:
        return "[^/]"
    if token["set"] is not None:
        return _set(token["set"], negated=bool(token["not"]))
    return f"\\x{(token['escaped'] or token['plain'])[0]:02x}"


def _set(items: bytes, *, negated: bool) -> str | None:
    """A bracket expression, which in git never stands for `/`; None where it names no class."""
    members = set[int]()
    for item in _SET_ITEM.findall(items):
        if item.startswith(b"[:"):
            if item not in _CLASSES:
                return None
            members |= _CLASSES[item]
        else:
            ends = [sign[-1] for sign in re.findall(rb"\\.|[^\\]", item, re.DOTALL)]
            members |= set(range(ends[0], ends[-1] + 1))
    chosen = (set(range(256)) - members if negated else members) - {ord("/")}
    return "[" + "".join(f"\\x{byte:02x}" for byte in sorted(chosen)) + "]" if chosen else None


def _members(pattern: bytes) -> set[int]:
    return {byte for byte in range(128) if re.match(pattern, bytes([byte]))}


_CLASSES = {
    b"[:alnum:]": _members(rb"[A-Za-z0-9]"),
    b"[:alpha:]": _members(rb"[A-Za-z]"),
    b"[:blank:]": _members(rb"[ \t]"),
    b"[:cntrl:]": _members(rb"[\x00-\x1f\x7f]"),
    b"[:digit:]": _members(rb"[0-9]"),
    b"[:graph:]": _members(rb"[!-~]"),
    b"[:lower:]": _members(rb"[a-z]"),
    b"[:print:]": _members(rb"[ -~]"),
    b"[:punct:]": _members(rb"[!-/:-@\[-`{-~]"),
    b"[:space:]": _members(rb"[ \t-\r]"),
    b"[:upper:]": _members(rb"[A-Z]"),
    b"[:xdigit:]": _members(rb"[0-9A-Fa-f]"),
}
