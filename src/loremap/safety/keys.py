"""Where the store's key comes from: the environment, the keychain, or a key file."""

from __future__ import annotations

import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from loremap.errors import BadInput, KeyMissing

SERVICE = "loremap"
ENVIRONMENT = "LOREMAP_KEY"
_HEX = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A key and where it was found."""

    key: str
    place: str


def new_key() -> str:
    """A random 32-byte key, in hex."""
    return secrets.token_hex(32)


def new_salt() -> str:
    """The random 16 bytes that stand first in an encrypted file and name its key, in hex."""
    return secrets.token_hex(16)


def checked_key(text: str, place: str = "That") -> str:
    """`text` as a key; raises where it is not 64 hexadecimal digits, naming its `place`."""
    if not _HEX.fullmatch(text.strip()):
        raise BadInput(
            f"{place} is no key: a key is 64 hexadecimal digits (32 bytes).",
            hint="`openssl rand -hex 32` makes one.",
        )
    return text.strip().lower()


def from_environment() -> str | None:
    """The key in the environment, which goes before all others."""
    given = os.environ.get(ENVIRONMENT)
    return checked_key(given, ENVIRONMENT) if given else None


def find_key(salt: str, folder: Path) -> FoundKey:
    """The key of the store with that salt; raises KeyMissing, saying where it was looked for."""
    given = from_environment()
    if given is not None:
        return FoundKey(given, ENVIRONMENT)
    kept = _from_keychain(salt)
    if kept is not None:
        return FoundKey(checked_key(kept, "The key in the keychain"), "keychain")
    file = key_file(salt, folder)
    if file.exists():
        refuse_open_file(file)
        return FoundKey(checked_key(file.read_text("ascii", "replace"), str(file)), str(file))
    raise KeyMissing(
        f"The store is encrypted and its key is neither in {ENVIRONMENT}, nor in the keychain, nor "
        f"in {file}. The data is unharmed.",
        hint="Put the key back with `lore key import`, or start anew with `lore key reset`. If it "
        "never was encrypted, it is damaged: `lore backup restore`.",
    )


def keep_key(salt: str, key: str, folder: Path) -> str:
    """Keep a key in the keychain, else in a file only its owner can read; returns where."""
    if has_keychain() and _into_keychain(salt, key):
        return "keychain"
    file = key_file(salt, folder)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as out:
        file.chmod(0o600)  # it may have been there before, open to others
        out.write(key + "\n")
    return str(file)


def drop_key(salt: str, folder: Path) -> None:
    """Forget the key of a store that no longer needs it."""
    key_file(salt, folder).unlink(missing_ok=True)
    if has_keychain():
        import keyring
        from keyring.errors import KeyringError, PasswordDeleteError

        try:
            keyring.delete_password(SERVICE, salt)
        except PasswordDeleteError:
            return  # it was never there
        except KeyringError as fault:
            raise BadInput(f"The keychain refused to drop the old key: {fault}.") from fault


def key_file(salt: str, folder: Path) -> Path:
    """The file that holds the key of the store with that salt, where there is no keychain."""
    return folder / f"{salt}.key"


def has_keychain() -> bool:
    """Whether this machine has a keychain that keeps what it is given."""
    import keyring
    from keyring.backends import fail, null

    return not isinstance(keyring.get_keyring(), fail.Keyring | null.Keyring)


def _from_keychain(salt: str) -> str | None:
    if not has_keychain():
        return None
    import keyring
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(SERVICE, salt)
    except KeyringError as fault:
        raise KeyMissing(
            f"The keychain did not give the store's key: {fault}. The data is unharmed.",
            hint=f"Unlock the keychain, or set {ENVIRONMENT}.",
        ) from fault


def _into_keychain(salt: str, key: str) -> bool:
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(SERVICE, salt, key)
        return keyring.get_password(SERVICE, salt) == key
    except KeyringError:
        return False  # a locked or broken keychain: the caller falls back to the key file


def refuse_open_file(file: Path) -> None:
    """Raise where others can read a key: it is none then."""
    if os.name == "posix" and file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise BadInput(f"The key file {file} can be read by others.", hint=f"chmod 600 {file}")
