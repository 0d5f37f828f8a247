"""Whether a store was here before, so that one that is gone is not taken for one that never was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from loremap.errors import RESTORE, Gone


def marker_of(path: Path) -> Path:
    """The file beside a store that says that it was made."""
    return path.with_name(path.name + ".known")


def was_here(path: Path) -> bool:
    """Whether there was a store at `path`: its marker or its backups say so."""
    return marker_of(path).exists() or any(_backups(path))


def _backups(path: Path) -> Iterator[Path]:
    return (path.parent / "backups").glob(f"{path.name}.bak.*")


def note_presence(path: Path) -> None:
    """Note that there is a store at `path`."""
    marker = marker_of(path)
    if not marker.exists():
        marker.touch(mode=0o600)


def drop_presence(path: Path) -> None:
    """Let a new store be made at `path`."""
    marker_of(path).unlink(missing_ok=True)


def refuse_gone(path: Path) -> None:
    """Raise where the store at `path` was there before and is missing or empty now."""
    if (not path.exists() or not path.stat().st_size) and was_here(path):
        raise gone(path)


def gone(path: Path) -> Gone:
    """Says that what is at `path` is not an empty store but a lost one."""
    what = "is missing" if not path.exists() else "is empty"
    return Gone(
        f"The store {path} was there before and {what} now.",
        hint=f"{RESTORE} If you removed it on purpose, `lore init --new` starts an empty one.",
    )
