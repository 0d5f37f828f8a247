"""Brings the pinned model files into the cache, or leaves the cache as it was."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from loremap.embedding.downloads import UndeliveredError
from loremap.embedding.lock import exclusive
from loremap.embedding.pinned import (
    DEFAULT,
    LocalModel,
    fetch_hint,
    is_genuine,
    model_folder,
)
from loremap.embedding.protocol import Progress, silent
from loremap.embedding.sources import SOURCES, Source, from_folder
from loremap.errors import ModelMissing, ModelTampered

_INCOMING = ".incoming-"


def deliver(
    cache_dir: Path | None = None,
    *,
    model: LocalModel = DEFAULT,
    folder: Path | None = None,
    sources: Sequence[Source] | None = None,
    progress: Progress = silent,
) -> Path:
    """The folder of the verified model, fetched first where need be.

    A `folder` given by the caller is the only source tried: who names one expects no network.
    """
    home = model_folder(cache_dir, model)
    tried = [from_folder(folder)] if folder else sources or SOURCES[model.name]
    try:
        if not _is_whole(home, model):
            with exclusive(home):
                _sweep(home)
                if not _is_whole(home, model):  # another process may have fetched it meanwhile
                    _fetch(home, model, tried, progress)
    except OSError as error:
        raise ModelMissing(
            f"The model cannot be kept in {home}: {error.strerror or error}.",
            hint="Make room, or set LOREMAP_CACHE to a folder that can be written.",
        ) from error
    return home


def _is_whole(folder: Path, model: LocalModel) -> bool:
    return all(is_genuine(folder / pinned.name, pinned) for pinned in model.files)


def _fetch(home: Path, model: LocalModel, sources: Sequence[Source], progress: Progress) -> None:
    """Take the files from the first source whose every byte is the pinned one."""
    reasons: list[str] = []
    tampered = False
    for source in sources:
        with tempfile.TemporaryDirectory(
            prefix=_INCOMING, dir=home, ignore_cleanup_errors=True
        ) as incoming:
            try:
                source(model, Path(incoming), progress)
            except UndeliveredError as reason:
                reasons.append(str(reason))
                continue
            if _is_whole(Path(incoming), model):
                _keep(Path(incoming), home, model)
                return
            tampered = True
    if tampered:
        raise ModelTampered(
            "What was delivered as the model is not the pinned one; it was thrown away.",
            hint="Try again, or give a trusted copy: `lore model fetch --from FOLDER`.",
        )
    raise ModelMissing(
        f"The model could not be fetched ({'; '.join(reasons)}).", hint=fetch_hint(model)
    )


def _keep(incoming: Path, home: Path, model: LocalModel) -> None:
    for pinned in model.files:
        with (incoming / pinned.name).open("rb+") as file:
            os.fsync(file.fileno())
        (incoming / pinned.name).replace(home / pinned.name)


def _sweep(home: Path) -> None:
    """Remove what a killed fetch left; the lock says that nobody is still writing it."""
    for leftover in home.glob(f"{_INCOMING}*"):
        shutil.rmtree(leftover, ignore_errors=True)
