"""Every error Loremap raises on purpose, each with what to do next.

LoremapError
├── BadInput             what the caller gave cannot be used; nothing was stored
│   ├── NotFound         no memory, project, tag or model of that name
│   ├── Ambiguous        more than one memory fits
│   ├── Stale            someone else changed it since it was looked at
│   ├── NotOffered       the store's database leaves that to whoever runs it
│   └── BrokenSettings   the settings file cannot be read
├── StoreError           the store cannot be used as it is; nothing was changed
│   ├── UnsafeFolder     the data folder is on a file system where a store is unsafe
│   ├── DiskFull         no room to write
│   ├── ReadOnly         the store can be read but not written
│   ├── Busy             another process held the store longer than the timeout
│   ├── TooNew           a newer Loremap wrote this store
│   ├── Damaged          the file, or a row of it, is not what was written
│   ├── Gone             the file was there before and is missing or empty
│   ├── GraphFault       the code graph cannot be used; memories are not touched
│   ├── Moved            the store was re-keyed or replaced under an open connection
│   └── MigrationFailed  the store is still at the version it had
├── LockedStore         the store is encrypted and cannot be opened
│   ├── KeyMissing
│   └── KeyWrong
└── ModelError           a model cannot answer; words and rules go on without it
    ├── ModelMissing     not fetched yet
    ├── ModelTampered    the bytes are not the ones that were pinned
    ├── ModelFailed      down, slow, or its answer cannot be used
    │   └── BadAnswer    the sidecar answered, and not what it was asked
    └── SidecarRests     the sidecar is not asked now: a ceiling was met, or it failed too often
"""

from __future__ import annotations

RESTORE = "`lore backup restore` brings back what can be read and the rest from the newest backup."
"""What every message about a damaged store ends with."""


class LoremapError(Exception):
    """What happened and, in `hint`, what to do next; both fit on one line."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class BadInput(LoremapError):
    """What the caller gave cannot be used; nothing was stored."""


class NotFound(BadInput):
    """No memory, project, tag or model of that name."""


class Ambiguous(BadInput):
    """More than one memory fits; `candidates` are pairs of id and summary."""

    def __init__(
        self, message: str, *, hint: str = "", candidates: tuple[tuple[str, str], ...] = ()
    ) -> None:
        super().__init__(message, hint=hint)
        self.candidates = candidates


class Stale(BadInput):
    """Someone else changed it since it was looked at; nothing was written."""


class NotOffered(BadInput):
    """The database that holds the store leaves that to whoever runs it."""


class BrokenSettings(BadInput):
    """The settings file cannot be read."""


class StoreError(LoremapError):
    """The store cannot be used as it is; nothing was changed."""


class UnsafeFolder(StoreError):
    """The data folder lies on a file system where a store is unsafe."""


class DiskFull(StoreError):
    """No room to write."""


class ReadOnly(StoreError):
    """The store can be read but not written."""


class Busy(StoreError):
    """Another process held the store longer than the timeout."""


class TooNew(StoreError):
    """A newer Loremap wrote this store."""


class Damaged(StoreError):
    """The file, or a row of it, is not what was written."""


class Gone(StoreError):
    """The file was there before and is missing or empty."""


class GraphFault(StoreError):
    """The code graph cannot be used as it is; a scan makes it anew."""


class Moved(StoreError):
    """The store was re-keyed or replaced under an open connection."""


class MigrationFailed(StoreError):
    """A migration failed; the store is still at the version it had."""


class LockedStore(LoremapError):
    """The store is encrypted and cannot be opened."""


class KeyMissing(LockedStore):
    """No key was found in the keychain, the environment or the key file."""


class KeyWrong(LockedStore):
    """The key that was found does not open the store."""


class ModelError(LoremapError):
    """A model cannot answer; words and rules go on without it."""


class ModelMissing(ModelError):
    """The model has not been fetched yet."""


class ModelTampered(ModelError):
    """The bytes are not the ones that were pinned."""


class ModelFailed(ModelError):
    """The model is down, slow, or gave an answer that cannot be used."""

    def __init__(self, message: str, *, hint: str = "", short: str = "") -> None:
        super().__init__(message, hint=hint)
        self.short = short or message
        """The same without words of others, which an error answer may repeat."""


class BadAnswer(ModelFailed):
    """The sidecar answered, and not what it was asked."""


class SidecarRests(ModelError):
    """The sidecar is not asked now: a ceiling was met, or it failed too often."""
