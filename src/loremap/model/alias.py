"""A word and what it stands for in searches."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AliasSource(StrEnum):
    """Who says so."""

    BUILT_IN = "built in"
    PROJECT = "project"
    """The project's own texts and manifests."""
    USER = "user"


@dataclass(frozen=True, slots=True)
class Alias:
    """A word that also finds others; none of them where a user took it away."""

    term: str
    expansions: tuple[str, ...]
    source: AliasSource
