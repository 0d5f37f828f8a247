"""Words that developers use for one another, and the expansion of a query by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from loremap.model.words import words

DEFAULT_ALIASES: dict[str, tuple[str, ...]] = {
    "auth": ("authentication", "authorization", "login", "oauth", "jwt"),
    "db": ("database", "sql", "postgres", "sqlite", "mysql"),
    "api": ("endpoint", "route", "rest", "graphql"),
    "config": ("configuration", "settings", "env"),
    "ci": ("pipeline", "workflow", "continuous integration"),
    "test": ("tests", "testing", "spec", "pytest", "jest"),
    "deploy": ("deployment", "release", "rollout", "ship"),
    "deps": ("dependencies", "dependency", "packages"),
    "repo": ("repository",),
    "docs": ("documentation", "readme"),
    "perf": ("performance", "slow", "latency"),
    "ui": ("frontend", "interface", "component"),
    "k8s": ("kubernetes",),
    "env": ("environment",),
    "ts": ("typescript",),
    "js": ("javascript",),
    "py": ("python",),
    "pr": ("pull request", "merge request"),
    "err": ("error", "exception"),
    "msg": ("message",),
}


def expanded(terms: Sequence[str], aliases: Mapping[str, Iterable[str]]) -> list[str]:
    """Further index terms that stand for any of `terms`, not `terms` themselves."""
    groups = _grouped(tuple((key, *others) for key, others in aliases.items()))
    found: dict[str, None] = {}
    for term in terms:
        for key, group in groups:
            if term in key or (term in group and len(group) < 4):
                found |= dict.fromkeys(sorted(group))
    return [term for term in found if term not in terms]


@lru_cache(maxsize=8)
def _grouped(aliases: tuple[tuple[str, ...], ...]) -> list[tuple[set[str], set[str]]]:
    """The words of each key, and those of all that it stands for."""
    return [
        (set(words(names[0])), {word for name in names for word in words(name)})
        for names in aliases
    ]
