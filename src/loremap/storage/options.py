"""How a store is opened, and the key of one that is encrypted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """How the store is opened."""

    synchronous: str = "full"
    busy_timeout_ms: int = 15_000
    backups: int = 3


@dataclass(frozen=True, slots=True)
class Key:
    """A raw 32-byte key, and the salt that names the file it opens; both in hex."""

    key: str
    salt: str


KeyOf = Callable[[str], Key]
"""Finds the key that belongs to a salt; raises KeyMissing."""
