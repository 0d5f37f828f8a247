"""Asks git, without hooks, passwords or the network, and without waiting for long."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

_CALL_SECONDS = 2.0
_GIT_OPTIONS = (
    "--no-pager",
    "--no-optional-locks",
    "--no-replace-objects",  # they are local to a clone, and the root commit must not be
    *("-c", "safe.directory=*"),  # others' repositories are read, and nothing in them is run
    *("-c", "core.fsmonitor=false"),
    *("-c", "protocol.allow=never"),  # a partial clone must not fetch what it lacks
)
_KEPT_SETTINGS = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"})


def git_says(
    arguments: Iterable[str], *, at: Path, seconds: float = _CALL_SECONDS, given: bytes = b""
) -> bytes | None:
    """What git prints, `given` at its input; None when it is missing, late or says no."""
    # Looked up here, in absolute folders only: a repository may bring a `git` of its own.
    places = [
        place for place in os.environ.get("PATH", "").split(os.pathsep) if Path(place).is_absolute()
    ]
    program = shutil.which("git", path=os.pathsep.join(places))
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, *_GIT_OPTIONS, *arguments],
            cwd=at,
            env=_environment(),
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _environment() -> dict[str, str]:
    """Ours without git's own variables: in a hook they point at the repository that runs it."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _KEPT_SETTINGS
    }
    return kept | {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM": "1",  # as `_marker` climbs
    }


def shown_text(answer: bytes) -> str:
    """What git printed, as text any database takes."""
    return answer.decode("utf-8", "backslashreplace")
