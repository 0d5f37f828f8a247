"""What is done to a store as a whole, open or not: backups, its key, bringing it back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from loremap.errors import NotOffered
from loremap.storage.options import Key, KeyOf, Options


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup; the newest has the number 1."""

    number: int
    made_at: datetime
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What a store was brought back from, and what was lost."""

    backup: int | None
    """The number of the backup; None where there was none to use."""
    backup_at: datetime | None
    memories: int
    brought: int
    """Memories that were newer in the damaged file, or only there."""
    lost: tuple[str, ...]
    older: tuple[str, ...]
    said: Mapping[str, str]
    """By the id of what is older: the first words of the version that is left."""
    unread: Mapping[str, tuple[int, int]]
    """By table that could not be read whole: rows in the backup, rows read of the damaged file."""
    faults: int
    """Faults that were found in the damaged file; -1 where there was no file."""
    aside: Path | None


class Care:
    """The care of a store that a server holds: what its administrator sees to is refused."""

    on_server = True

    def __init__(self, name: str) -> None:
        self.name = name
        """What messages call the store."""

    def exists(self) -> bool:
        """Whether there is a store; on a server the first who opens it makes it."""
        return True

    def was_here(self) -> bool:
        """Whether there is or was a store."""
        return True

    def refuse_gone(self) -> None:
        """Raise where the store was there before and is missing or empty now."""

    def make(self, key: Key, *, options: Options, now: datetime) -> None:
        """Make an empty store that only `key` opens."""
        raise self.no_key()

    # Its key

    def salt(self) -> str | None:
        """What names the key of an encrypted store; None where it has none."""
        return None

    def check_key(self, key: Key, *, options: Options) -> None:
        """Raise KeyWrong where `key` does not open the store."""
        raise self.no_key()

    def rekey(self, new: Key | None, *, key_of: KeyOf, options: Options) -> None:
        """Rewrite the store and its copies under `new`; None makes them plain."""
        raise self.no_key()

    def needs(self, salt: str) -> bool:
        """Whether the store or a copy of it is encrypted with the key of that salt."""
        return False

    def set_aside(self, now: datetime) -> Path:
        """Move a store that cannot be opened out of the way, with its backups; returns where."""
        raise self.no_key()

    # Its backups

    def backups(self) -> list[Backup]:
        """The backups there are, newest first."""
        raise self.no_backups()

    def restore(self, number: int) -> Path:
        """Put a backup in the store's place; returns where what was there is kept."""
        raise self.no_backups()

    def recover(self, *, key_of: KeyOf, options: Options, now: datetime) -> Recovered:
        """Bring back a store that is gone or damaged, from the newest good backup and what can
        still be read. Raises BadInput where nothing is wrong."""
        raise self.no_backups()

    def start_anew(self, now: datetime) -> Path | None:
        """Let a new store be made where the one before is gone; returns where its backups are put.
        Raises where there is a store."""
        raise NotOffered(
            f"The store is on a server ({self.name}); it is not started anew from here.",
            hint="Unset LOREMAP_DATABASE to use a file.",
        )

    def no_key(self) -> NotOffered:
        """Says that there is no key to be had."""
        return NotOffered(
            f"The store is on a server ({self.name}) and has no key of its own.",
            hint="Whoever runs the server encrypts its disks.",
        )

    def no_backups(self) -> NotOffered:
        """Says who makes the backups."""
        return NotOffered(
            f"The store is on a server ({self.name}); whoever runs the server makes and restores "
            "its backups.",
            hint="Ask its administrator.",
        )
