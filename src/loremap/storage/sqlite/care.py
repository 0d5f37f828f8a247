"""The care of a store in a file: its backups, its key, bringing it back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from loremap.errors import BadInput, NotFound
from loremap.storage.care import Backup, Care, Recovered
from loremap.storage.options import Key, KeyOf, Options
from loremap.storage.sqlite import backup, presence
from loremap.storage.sqlite.connect import connected, salt_of
from loremap.storage.sqlite.exclusive import held
from loremap.storage.sqlite.recover import recover
from loremap.storage.sqlite.rekey import rekey
from loremap.storage.sqlite.store import open_store


class FileCare(Care):
    """The care of the store at a path."""

    on_server = False

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path = path

    def exists(self) -> bool:
        """Whether there is a store."""
        return self._path.exists()

    def was_here(self) -> bool:
        """Whether there is or was a store."""
        return self.exists() or presence.was_here(self._path)

    def refuse_gone(self) -> None:
        """Raise where the store was there before and is missing or empty now."""
        presence.refuse_gone(self._path)

    def make(self, key: Key, *, options: Options, now: datetime) -> None:
        """Make an empty store that only `key` opens."""
        open_store(self._path, key=key, options=options, now=now).close()

    def salt(self) -> str | None:
        """What names the key of an encrypted store; None where it has none."""
        return salt_of(self._path)

    def check_key(self, key: Key, *, options: Options) -> None:
        """Raise KeyWrong where `key` does not open the store."""
        connected(self._path, key=key, options=options, read_only=True).close()

    def rekey(self, new: Key | None, *, key_of: KeyOf, options: Options) -> None:
        """Rewrite the store and its copies under `new`; None makes them plain."""
        rekey(self._path, key_of=key_of, new=new, options=options)

    def needs(self, salt: str) -> bool:
        """Whether a copy of the store is encrypted with the key of that salt."""
        return any(salt_of(path) == salt for path in backup.copies(self._path))

    def set_aside(self, now: datetime) -> Path:
        """Move a store that cannot be opened out of the way, with its backups; returns where."""
        path, folder = self._path, backup.folder_of(self._path)
        if not path.exists():
            raise NotFound(f"There is no store at {path}.")
        aside = path.with_name(f"lore.{now:%Y%m%d-%H%M%S}.locked.db")
        with held(path):
            if folder.exists():
                folder.replace(aside.with_suffix(".backups"))
            for suffix in ("-wal", "-shm"):
                log = path.with_name(path.name + suffix)
                if log.exists():
                    log.replace(aside.with_name(aside.name + suffix))
            path.replace(aside)
        presence.drop_presence(path)
        return aside

    def backups(self) -> list[Backup]:
        """The backups there are, newest first."""
        return [
            Backup(
                int(path.suffix[1:]),
                datetime.fromtimestamp(path.stat().st_mtime, UTC),
                path.stat().st_size,
            )
            for path in backup.backup_paths(backup.folder_of(self._path))
        ]

    def restore(self, number: int) -> Path:
        """Put a backup in the store's place; returns where what was there is kept."""
        return backup.restore(self._path, backup.folder_of(self._path), number)

    def recover(self, *, key_of: KeyOf, options: Options, now: datetime) -> Recovered:
        """Bring back a store that is gone or damaged, from the newest good backup and what can
        still be read. Raises BadInput where nothing is wrong."""
        return recover(self._path, key_of=key_of, options=options, now=now)

    def start_anew(self, now: datetime) -> Path | None:
        """Let a new store be made where the one before is gone; returns where its backups are put.
        Raises where there is a store."""
        path, folder = self._path, backup.folder_of(self._path)
        if path.exists() and path.stat().st_size:
            raise BadInput("There is a store already.", hint="`lore status` tells of it.")
        aside = None
        if folder.exists():
            aside = path.with_name(f"lore.{now:%Y%m%d-%H%M%S}.gone.backups")
            folder.replace(aside)
        backup.remove(path)
        presence.drop_presence(path)
        return aside
