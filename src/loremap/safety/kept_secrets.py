"""Secrets that a user gives us to keep: in the keychain, else in a file only they can read."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from loremap.errors import BadInput
from loremap.safety.keys import SERVICE, has_keychain, refuse_open_file


def kept_secret(name: str, folder: Path) -> str:
    """The secret that was kept under a name; empty where there is none."""
    if has_keychain():
        import keyring
        from keyring.errors import KeyringError

        try:
            if found := keyring.get_password(SERVICE, name):
                return found
        except KeyringError as fault:
            raise BadInput(
                f"The keychain did not give what was kept in it: {fault}.", hint="Unlock it."
            ) from fault
    file = _file(name, folder)
    if not file.exists():
        return ""
    refuse_open_file(file)
    return file.read_text("utf-8", "replace").strip()


def keep_secret(name: str, secret: str, folder: Path) -> str:
    """Keep a secret under a name; returns where."""
    if has_keychain():
        import keyring
        from keyring.errors import KeyringError

        try:
            keyring.set_password(SERVICE, name, secret)
            if keyring.get_password(SERVICE, name) == secret:
                return "keychain"
        except KeyringError:
            pass  # a locked or broken keychain: the file has to do
    file = _file(name, folder)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        file.chmod(0o600)  # it may have been there before, open to others
        out.write(secret + "\n")
    return str(file)


def drop_secret(name: str, folder: Path) -> None:
    """Keep it no longer."""
    _file(name, folder).unlink(missing_ok=True)
    if has_keychain():
        import keyring
        from keyring.errors import KeyringError, PasswordDeleteError

        try:
            keyring.delete_password(SERVICE, name)
        except PasswordDeleteError:
            return  # it was never there
        except KeyringError as fault:
            raise BadInput(f"The keychain refused to drop the key: {fault}.") from fault


def _file(name: str, folder: Path) -> Path:
    return folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.secret"
