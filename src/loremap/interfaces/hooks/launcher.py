"""Writes the one program that agents' settings name: it stays where it is while Python and Loremap
are replaced, and knows where they are now."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from loremap.config.folders import ensure_private, folders, key_folder
from loremap.config.settings import load
from loremap.errors import BrokenSettings
from loremap.interfaces.hooks.client import TOTAL_MS
from loremap.interfaces.resident.places import run_folder, write_private

ON_THE_WAY_MS = 75

_SH = """\
#!/bin/sh
# Written by Loremap, and again whenever its resident starts, by `lore connect` and `lore doctor`.
python={python}
enter={enter}
home={home}
cache={cache}
keys={keys}
: "${{LOREMAP_CACHE:=$cache}}" "${{LOREMAP_KEYS:=$keys}}" "${{LOREMAP_HOOK_MS:={wait}}}"
export LOREMAP_CACHE LOREMAP_KEYS LOREMAP_HOOK_MS
if [ -x "$python" ] && [ -f "$enter" ]; then
  exec "$python" -I -S "$enter" --home "$home" --run {run} "$@"
fi
if command -v lore >/dev/null 2>&1; then
  LOREMAP_HOME="$home" exec lore "$@"
fi
if [ "$1" = mcp ]; then
  echo "lore-agent: Loremap is no longer installed; its settings can be removed." >&2
  exit 1
fi
cat >/dev/null 2>&1
exit 0
"""

_CMD = """\
@echo off
rem Written by Loremap, and again whenever its resident starts, by lore connect and lore doctor.
setlocal
{paths}
if not defined LOREMAP_CACHE set "LOREMAP_CACHE=%lore_cache%"
if not defined LOREMAP_KEYS set "LOREMAP_KEYS=%lore_keys%"
if not defined LOREMAP_HOOK_MS set "LOREMAP_HOOK_MS=%lore_wait%"
if not exist "%lore_python%" goto command
if not exist "%lore_enter%" goto command
"%lore_python%" -I -S "%lore_enter%" --home "%lore_home%" --run "%lore_run%" %*
exit /b %errorlevel%
:command
where lore >nul 2>nul
if errorlevel 1 goto gone
set "LOREMAP_HOME=%lore_home%"
call lore %*
exit /b %errorlevel%
:gone
if "%~1"=="mcp" exit /b 1
more >nul
exit /b 0
"""
_IN_UTF_8 = """\
for /f "tokens=2 delims=:." %%P in ('chcp') do set "lore_page=%%P"
chcp 65001 >nul
{paths}
chcp %lore_page% >nul"""
"""Round lines that are not ASCII: a batch file is read in whatever code page its console has."""


def launcher(home: Path) -> Path:
    """The program that agents start, written anew where it is not as it should be."""
    home = home.absolute()
    windows = sys.platform == "win32"
    file = home / "bin" / ("lore-agent.cmd" if windows else "lore-agent")
    text = _text(home, windows=windows)
    if not _is(file, text):
        ensure_private(home)
        ensure_private(file.parent)
        write_private(file, text)
    file.chmod(0o700)
    return file


def _text(home: Path, *, windows: bool) -> bytes:
    parts = {
        "python": sys.executable,
        "enter": str(Path(__file__).with_name("enter.py")),
        "home": str(home),
        "run": str(run_folder(home).path),
        # Agents pass on little of the environment, and the resident is started from here.
        "cache": str(folders().cache),
        "keys": str(key_folder()),
        "wait": str(wait_ms(home)),
    }
    if windows:
        return _batch(parts)
    quoted = {name: shlex.quote(value) for name, value in parts.items()}
    return os.fsencode(_SH.format(**quoted))


def wait_ms(home: Path) -> int:
    """How long a hook waits: what a prompt may take, as the user set it, and the way there."""
    try:
        deadline_ms = load(home / "config.toml").whole("inject.deadline_ms")
    except BrokenSettings:
        return TOTAL_MS
    return max(TOTAL_MS, deadline_ms + ON_THE_WAY_MS)


def _batch(parts: Mapping[str, str]) -> bytes:
    lines = [f'set "lore_{name}={value.replace("%", "%%")}"' for name, value in parts.items()]
    paths = "\n".join(lines)
    if not paths.isascii():
        paths = _IN_UTF_8.replace("{paths}", paths)
    return _CMD.replace("{paths}", paths).replace("\n", "\r\n").encode()


def _is(file: Path, text: bytes) -> bool:
    try:
        return not file.is_symlink() and file.read_bytes() == text
    except OSError:
        return False
