"""Tells from a repository's settings where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from loremap.code.git import git_says, shown_text
from loremap.model.identity import normalised_remote

_REMOTES = (
    *("config", "-z", "--get-regexp"),
    r"^(remote\..*\.url|branch\..*\.remote|url\..*\.insteadof)$",
)


@dataclass(frozen=True, kw_only=True)
class _Remotes:
    """The settings that say where a repository comes from."""

    urls: dict[str, str]
    upstreams: dict[str, str]
    shorthands: dict[str, str]


def chosen_remote(place: Path, branch: str | None) -> tuple[str | None, str | None]:
    """The name and address of the remote that says whose repository this is."""
    return _chosen(_remotes(place), branch)


def _remotes(place: Path) -> _Remotes:
    found = _Remotes(urls={}, upstreams={}, shorthands={})
    for entry in shown_text(git_says(_REMOTES, at=place) or b"").split("\0"):
        key, _, value = entry.partition("\n")
        section, _, rest = key.partition(".")
        name, _, setting = rest.rpartition(".")
        match section, setting:
            case "remote", "url":
                found.urls.setdefault(name, value)  # the first is the one git fetches from
            case "branch", "remote":
                found.upstreams[name] = value
            case "url", "insteadof":
                found.shorthands[value] = name
    return found


def _chosen(remotes: _Remotes, branch: str | None) -> tuple[str | None, str | None]:
    preferred = ["origin", remotes.upstreams.get(branch or "", ""), *sorted(remotes.urls)]
    for name in preferred:
        if (url := remotes.urls.get(name)) and (remote := _address(url, remotes.shorthands)):
            return name, remote
    return None, None


def _address(url: str, shorthands: dict[str, str]) -> str | None:
    """The normalised address of `url`, spelt out where it is a shorthand such as `gh:owner/name`.

    A full address is taken as written: what one machine rewrites it to, such as a mirror, is only
    the way there.
    """
    written = normalised_remote(url)
    if written and "." in written.partition("/")[0]:
        return written
    short = max((key for key in shorthands if url.startswith(key)), key=len, default="")
    return normalised_remote(shorthands[short] + url.removeprefix(short)) if short else written
