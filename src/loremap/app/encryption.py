"""Encrypting the store, changing its key, decrypting it, and starting anew when the key is lost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from loremap.config.folders import Folders, database, key_folder
from loremap.errors import BadInput, KeyMissing, LoremapError
from loremap.memory.standby import files as standby_files
from loremap.safety import keys
from loremap.storage.care import Care
from loremap.storage.open import care_of
from loremap.storage.options import Key, Options


@dataclass(frozen=True, slots=True)
class KeyState:
    """Whether the store is encrypted, and where its key was found."""

    store: str
    on_server: bool
    exists: bool
    encrypted: bool
    place: str | None
    keychain: bool


def care_here(folders: Folders) -> Care:
    """The care of this user's store."""
    return care_of(folders.store, database())


def key_of(salt: str) -> Key:
    """The key that belongs to a salt; raises KeyMissing."""
    return Key(keys.find_key(salt, key_folder()).key, salt)


def state(folders: Folders) -> KeyState:
    """What `lore key status` tells."""
    care = care_here(folders)
    salt = care.salt()
    place = None
    if salt is not None:
        try:
            place = keys.find_key(salt, key_folder()).place
        except KeyMissing:
            place = None
    return KeyState(
        care.name, care.on_server, care.exists(), salt is not None, place, keys.has_keychain()
    )


def fresh_key(given: str | None = None) -> tuple[Key, str]:
    """A new key, kept in the keychain or a key file, and the place it is kept in; where the
    environment holds the key, it stays the only place."""
    given = given or keys.from_environment()
    key = Key(keys.checked_key(given) if given else keys.new_key(), keys.new_salt())
    if keys.from_environment() == key.key:
        return key, keys.ENVIRONMENT
    return key, keys.keep_key(key.salt, key.key, key_folder())


def encrypt(folders: Folders, *, options: Options, given: str | None = None) -> str:
    """Encrypt the store and its backups; returns where the key is kept."""
    if care_here(folders).salt() is not None:
        raise BadInput(
            "The store is encrypted already.", hint="`lore key change` gives it another key."
        )
    return _to_new_key(folders, options=options, given=given)


def change(folders: Folders, *, options: Options, given: str | None = None) -> str:
    """Give the store and its backups another key; returns where it is kept."""
    old = _needed_key(folders)
    if given is None and keys.from_environment():
        raise BadInput(
            f"{keys.ENVIRONMENT} is set and would go before the new key; nothing was changed.",
            hint="Give the new key with --key-from-stdin, then set the variable to it.",
        )
    place = _to_new_key(folders, options=options, given=given)
    keys.drop_key(old.salt, key_folder())
    return place


def decrypt(folders: Folders, *, options: Options) -> None:
    """Make the store and its backups plain again."""
    old = _needed_key(folders)
    care_here(folders).rekey(None, key_of=key_of, options=options)
    standby_files.clear(folders.home)
    keys.drop_key(old.salt, key_folder())


def export_key(folders: Folders) -> str:
    """The key, for a safe place of the user's own."""
    return _needed_key(folders).key


def import_key(folders: Folders, given: str, *, options: Options) -> str:
    """Keep a key that opens the store; raises KeyWrong where it does not. Returns the place."""
    care = care_here(folders)
    salt = care.salt()
    if salt is None:
        raise BadInput("The store is not encrypted; it needs no key.")
    key = Key(keys.checked_key(given), salt)
    care.check_key(key, options=options)
    return keys.keep_key(salt, key.key, key_folder())


def reset(folders: Folders, now: datetime) -> Path:
    """Start anew when the key is lost; the old file and its backups are kept, in case the key
    turns up."""
    aside = care_here(folders).set_aside(now)
    standby_files.clear(folders.home)
    return aside


def _to_new_key(folders: Folders, *, options: Options, given: str | None) -> str:
    care = care_here(folders)
    new, place = fresh_key(given)
    try:
        care.rekey(new, key_of=key_of, options=options)
    except LoremapError:
        if not care.needs(new.salt):
            keys.drop_key(new.salt, key_folder())
        raise
    standby_files.clear(folders.home)  # they lay beside a plain store
    return place


def _needed_key(folders: Folders) -> Key:
    salt = care_here(folders).salt()
    if salt is None:
        raise BadInput("The store is not encrypted.", hint="`lore key encrypt` encrypts it.")
    return key_of(salt)
