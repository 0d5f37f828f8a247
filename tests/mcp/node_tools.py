"""The protocol's own test programs, in pinned versions from the cache of the agent tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "real_clients"))

import install

INSPECTOR = install.Pin(
    name="inspector",
    version="2.12.0",
    packages={"any": "@modelcontextprotocol/inspector@{version}"},
    program="inspector/clients/launcher/build/index.js",
    node_major=22,
)
CONFORMANCE = install.Pin(
    name="conformance",
    version="0.2.0-alpha.12",
    packages={"any": "@modelcontextprotocol/conformance@{version}"},
    program="conformance/dist/index.js",
    node_major=22,
)
RUN_SECONDS = 90


def command(pin: install.Pin) -> tuple[str, ...]:
    """The command line of a program; fetched first where it is not there yet."""
    cache = install.cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    install.PINS.setdefault(pin.name, pin)
    install.install(pin, cache)
    return install.command(pin.name, cache)


def ran(arguments: tuple[str, ...], *, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a program with a home of its own."""
    home.mkdir(exist_ok=True)
    return subprocess.run(
        arguments,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "NO_COLOR": "1"},
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=RUN_SECONDS,
        check=False,
    )
