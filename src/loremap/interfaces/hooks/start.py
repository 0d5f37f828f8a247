"""Starts the resident, from a hook that found none or a relay that waits for one."""

from __future__ import annotations

import sys
import time

if sys.platform == "win32":
    import nt as system  # pragma: no cover
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING or __package__:
    from loremap.interfaces.hooks.client import (
        ENV_NAMES,
        check_private,
        make_folders,
        variables,
        write_file,
    )
    from loremap.interfaces.hooks.known import ENV_PREFIXES
else:
    from client import ENV_NAMES, check_private, make_folders, variables, write_file
    from known import ENV_PREFIXES

START_EVERY_S = 5.0
NOT_PASSED_ON = ("LOREMAP_AGENT", "LOREMAP_OFF", "PYTHONPATH", "PYTHONHOME")


def start_resident(
    home: str, run: str, *, every_s: float = START_EVERY_S, reap: bool = False
) -> bool:
    """Start the resident on its own, unless somebody has just done so; its lock decides which of
    two stays. Who goes on living says `reap`."""
    mark = f"{run}/starting"
    try:
        found = system.stat(mark)
        if not found.st_size and 0 <= time.time() - found.st_mtime < every_s:
            return False  # one that has begun since would have filled it
    except OSError:
        make_folders(run)
    check_private(run)
    write_file(mark, b"")
    program = sys.executable
    if not program:
        return False
    arguments = [program, "-E", "-P", "-m", "loremap.interfaces.resident", "--home", home]
    _spawn(program, arguments, resident_environment(home), reap=reap)
    return True


def resident_environment(home: str) -> dict[str, str]:
    """What the resident inherits: not what belongs to the session that happened to start it."""
    found = {
        name: value
        for name, value in variables().items()
        if not name.startswith(ENV_PREFIXES) and name not in (*ENV_NAMES, *NOT_PASSED_ON)
    }
    return {**found, "LOREMAP_HOME": home, "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}


def _spawn(program: str, arguments: list[str], env: dict[str, str], *, reap: bool) -> None:
    """Start a process that outlives this one, holds none of its files and is nobody's child."""
    if sys.platform == "win32":  # pragma: no cover
        import subprocess

        detached = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        subprocess.Popen(arguments, env=env, close_fds=True, creationflags=detached,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)  # fmt: skip
        return
    child = system.fork()
    if child:
        if reap:
            system.waitpid(child, 0)
        return
    try:
        system.setsid()
        if system.fork():
            system._exit(0)
        nothing = system.open("/dev/null", system.O_RDWR)
        for descriptor in (0, 1, 2):
            system.dup2(nothing, descriptor)
        system.closerange(3, 256)
        system.chdir("/")
        system.execve(program, arguments, env)
    finally:
        system._exit(127)
