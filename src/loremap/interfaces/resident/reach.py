"""Reaching the resident from a command: whether it is there, starting it, asking it to end."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path

from loremap.interfaces.hooks import client, start
from loremap.interfaces.resident.places import (
    ResidentState,
    RunFolder,
    ensure_private_run,
    holder,
    run_folder,
)

POLL_S = 0.05
ASK_S = 2.0
STOP_S, KILL_S = 10.0, 3.0
BEGIN_S = 5.0
"""A resident that was started has begun by then, or never will."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The resident, or why there is none."""

    state: ResidentState | None
    started: bool = False
    trouble: str = ""

    def __bool__(self) -> bool:
        return self.state is not None


def status(home: Path) -> ResidentState | None:
    """What the resident of a data folder says of itself; None where none answers."""
    return asked(run_folder(home), "status")


def ensure(home: Path, *, wait_s: float = 5.0) -> Reached:
    """The resident of a data folder, started if there is none or an older one."""
    run = run_folder(home)
    ensure_private_run(run)
    version, stamp = client.installed()
    until = time.monotonic() + wait_s
    state, started = asked(run, "status"), False
    while state is None or state.leaving or state.older_than(version, int(stamp)):
        if not started:
            started = start.start_resident(str(home), str(run.path), every_s=0.5, reap=True)
        if time.monotonic() > until:
            return Reached(None, started, _why_not(run))
        time.sleep(POLL_S)
        state = asked(run, "status", seconds=max(0.2, until - time.monotonic()))
    return Reached(state, started)


def stop(home: Path) -> bool:
    """End the resident; whether there was one. One that hangs is ended by force."""
    run = run_folder(home)
    until = time.monotonic() + BEGIN_S
    while (pid := holder(run)) is None and _is_starting(run) and time.monotonic() < until:
        time.sleep(POLL_S)
    if pid is None:
        return False
    if asked(run, "stop") is not None and _gone(run, pid, STOP_S):
        return True
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if holder(run) == pid:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        if _gone(run, pid, KILL_S):
            return True
    return False


def _is_starting(run: RunFolder) -> bool:
    """Whether somebody has just started one that has not begun yet."""
    try:
        found = run.starting.stat()
    except OSError:
        return False
    return found.st_size == 0 and time.time() - found.st_mtime < BEGIN_S


def asked(run: RunFolder, what: str, *, seconds: float = ASK_S) -> ResidentState | None:
    """Ask the resident something; None where nobody answers in time or proves to be it."""
    clock = client.Clock(seconds)
    try:
        sock = client.connect(str(run.path), clock, hello_s=seconds)
        try:
            header = {"kind": "control"}
            header["version"], header["stamp"] = client.installed()
            client.send(sock, client.frame(header, what.encode()), clock)
            _, answer = client.answer_of(sock, clock)
        finally:
            sock.close()
        told = json.loads(answer)
    except (OSError, EOFError, ValueError, client.TooLate, client.Unproven):
        return None
    known = {each.name for each in fields(ResidentState)}
    told["folders"] = tuple(told.get("folders", ()))
    return ResidentState(**{name: value for name, value in told.items() if name in known})


def _gone(run: RunFolder, pid: int, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holder(run) != pid:
            return True
        time.sleep(POLL_S)
    return False


def _why_not(run: RunFolder) -> str:
    if holder(run) is not None:
        return "It runs but does not answer; `lore service stop` ends it."
    return f"It did not start; {run.log} may say why."
