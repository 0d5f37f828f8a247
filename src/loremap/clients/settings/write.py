"""Writes a set of files whole: all of them, or none."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from loremap.errors import BadInput

NEW, NEW_PROGRAM = 0o600, 0o700
"""A client may later put its own secrets into a file that we created."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file as it is and as it will be; None stands for no file."""

    path: Path
    before: bytes | None
    after: bytes | None
    executable: bool = False


def read(path: Path) -> bytes | None:
    """What is in a file; None if there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise BadInput(
            f"{path} cannot be read ({fault.strerror or fault}); nothing was changed.",
            hint="See what is there in its place, then run this again.",
        ) from fault


def write_all(changes: Sequence[Change]) -> dict[Path, tuple[Path, ...]]:
    """Make all changes, or leave everything as it was; returns the folders made for each file."""
    refuse_to_touch(changes)
    done: list[Change] = []
    made: dict[Path, tuple[Path, ...]] = {}
    for change in changes:
        done.append(change)
        try:
            made[change.path] = _make_folder(change.path)
            _write(change)
        except OSError as fault:
            _undo(done, made)
            raise refused(change.path, fault) from fault
    return made


def refuse_to_touch(changes: Sequence[Change]) -> None:
    """Raise where a file may not be written, or has changed since it was read."""
    for change in changes:
        if read(change.path) != change.before:
            raise BadInput(
                f"{change.path} was just changed by another program; nothing was changed.",
                hint="Run this again.",
            )
        target = change.path.resolve()
        if target.exists() and not target.stat().st_mode & stat.S_IWUSR:
            raise BadInput(
                f"{change.path} is read-only; nothing was changed.",
                hint=f"Make it writable (chmod u+w {target}), then run this again.",
            )


def link_to(path: Path, *, below: Path) -> Path | None:
    """The link below a folder on the way to a file, where there is one."""
    ways = [each for each in (path, *path.parents) if each.is_relative_to(below) and each != below]
    return next((each for each in reversed(ways) if each.is_symlink()), None)


def remove_empty(folders: Sequence[str]) -> None:
    """Delete the folders that are empty, the innermost first."""
    for folder in folders:
        with contextlib.suppress(OSError):
            Path(folder).rmdir()


def refused(path: Path, fault: OSError) -> BadInput:
    """What the system refused, in one line."""
    return BadInput(
        f"{path} cannot be written ({fault.strerror or fault}); nothing was changed.",
        hint="Make it writable, then run this again.",
    )


def _make_folder(path: Path) -> tuple[Path, ...]:
    """Make the folder of a file; returns what had to be made, the innermost first."""
    folder = path.resolve().parent
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(missing)


def _write(change: Change) -> None:
    target = change.path.resolve()  # a link stays a link
    if change.after is None:
        target.unlink(missing_ok=True)
        return
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    if mode is None:
        mode = NEW_PROGRAM if change.executable else NEW
    number, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    new = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(change.after)
        new.chmod(mode)
        new.replace(target)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def _undo(done: Sequence[Change], made: dict[Path, tuple[Path, ...]]) -> None:
    """Put back what was there before."""
    for change in reversed(done):
        with contextlib.suppress(OSError):
            if read(change.path) != change.before:
                _write(Change(path=change.path, before=change.after, after=change.before))
    for folders in made.values():
        remove_empty([str(folder) for folder in folders])
