"""Asks git, without hooks, passwords or the network, and without waiting for long.

A foreign repository's settings can name programs: filters, textconv, fsmonitor, a remote helper
for what a partial clone lacks. So git is asked only what runs none of them: names of files, of
refs and of objects. Nothing is compared that a filter would have to clean first.
"""

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
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.attributesFile=/dev/null"),  # a repository may name one that never ends
)
_KEPT_SETTINGS = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"})


def git_says(
    arguments: Iterable[str], *, at: Path, seconds: float = _CALL_SECONDS, given: bytes = b""
) -> bytes | None:
    """What git prints, `given` at its input; None when it is missing, late or says no."""
    done = _asked(arguments, at=at, seconds=seconds, given=given)
    return done.stdout if done is not None and done.returncode == 0 else None


def is_refused(at: Path) -> bool:
    """Whether git reads nothing there because the repository belongs to somebody else."""
    done = _asked(("rev-parse", "--git-dir"), at=at)
    return done is not None and done.returncode != 0 and b"safe.directory" in done.stderr


def _asked(
    arguments: Iterable[str], *, at: Path, seconds: float = _CALL_SECONDS, given: bytes = b""
) -> subprocess.CompletedProcess[bytes] | None:
    # Looked up here, in absolute folders only: a repository may bring a `git` of its own.
    places = [
        place for place in os.environ.get("PATH", "").split(os.pathsep) if Path(place).is_absolute()
    ]
    program = shutil.which("git", path=os.pathsep.join(places))
    if program is None:
        return None
    try:
        return subprocess.run(
            [program, *_GIT_OPTIONS, *arguments],
            cwd=at,
            env=_environment(),
            input=given,
            capture_output=True,
            timeout=seconds,
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


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
        # A partial clone must not fetch what it lacks. No setting overrules this, as
        # `protocol.ext.allow` overrules `protocol.allow`.
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM": "1",  # as `_marker` climbs
    }


def shown_text(answer: bytes) -> str:
    """What git printed, as text any database takes."""
    return answer.decode("utf-8", "backslashreplace")
